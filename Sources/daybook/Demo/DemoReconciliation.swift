import Canonical
import Matching
import Operations
import Payments
import Reconciliation
import Simulator
import Statements

/// The end of the demonstration: the statements of processors and banks about the day, and their discrepancies.
struct DemoReconciliation: Sendable {
    let client: APIClient
    let statements: SimulatedStatements
    let truth: TruthFile
    /// Sets the reconciliation rules of the ledger.
    let agree: @Sendable (MatchingRules) async throws -> Void

    /// The answers of the API.
    private struct Result {
        var files: [StatementJSON]
        var run: RunAnswerJSON
        var report: ReportJSON
        var score: ReconciliationScore

        /// The number of exceptions that are open.
        var open: Int64 { report.exceptions.reduce(0) { $0 + $1.open } }

        /// True when a run has examined everything, no currency has an unexplained difference, and suspense is that of
        /// the open exceptions.
        var isBalanced: Bool { !report.balances.isEmpty && report.balances.allSatisfy(\.isExplained) }
    }

    init(
        client: APIClient,
        statements: SimulatedStatements,
        truth: TruthFile,
        agree: @escaping @Sendable (MatchingRules) async throws -> Void
    ) {
        self.client = client
        self.statements = statements
        self.agree = agree
        var truth = truth
        truth.discrepancies = statements.discrepancies
        truth.matches = statements.matches
        self.truth = truth
    }

    private func reconcile() async throws -> Result {
        let reconciling = Reconciling(client: client)
        try await agree(ProcessorTerms.rules)
        let files = try await reconciling.import(
            statements.files.map { Reconciling.File(name: $0.name, bytes: $0.bytes) }
        )
        let run = try await reconciling.reconcile()
        let report = try await client.patiently {
            try await client.get("/v1/reconciliation-report", as: ReportJSON.self)
        }
        return Result(files: files, run: run, report: report, score: try await reconciling.score(truth))
    }

    func run() async throws {
        Terminal.say("The statements of processors and banks about the day, up to the bill of the next month:")
        let result = try await reconcile()
        showFiles(result.files)
        Terminal.say()
        let explained = result.run.explained
        Terminal.say(
            "\(explained.matchedLines) of \(explained.lines, "line") and \(explained.matchedMovements) of "
                + "\(explained.movements, "movement") of the ledger are matched. The exceptions compared with the discrepancies:"
        )
        result.score.show(statements.discrepancies)
        Terminal.say()
        Terminal.say("The payments on both sides:")
        showSides(result.report)
        Terminal.say()
        showBalances(result.report)
        Terminal.say(
            result.isBalanced
                ? "no difference is unexplained: every payment is matched or has an exception; "
                    + "\(result.open, "exception") open"
                : "! a difference is unexplained, or a payment is not examined"
        )
    }

    /// The same as one document.
    func report() async throws -> JSONValue {
        let result = try await reconcile()
        return [
            "statements": .array(try result.files.map { try $0.jsonValue() }), "score": result.score.json(),
            "explained": try result.run.explained.jsonValue(), "report": try result.report.jsonValue(),
            "isBalanced": .bool(result.isBalanced),
        ]
    }

    // MARK: Tables

    private func showFiles(_ files: [StatementJSON]) {
        Terminal.table(
            ["file", "format", "lines", "controls", "failed"],
            files.map { file in
                [file.name ?? "", file.format.rawValue]
                    + [file.lines, file.controls, file.failedControls].map { "\($0)" }
            },
            rightAligned: [2, 3, 4]
        )
    }

    private func showSides(_ report: ReportJSON) {
        Terminal.table(
            ["side", "currency", "state", "payments", "amount"],
            [("processors", report.processor), ("ledger", report.ledger)].flatMap { side, shares in
                shares.map { share in
                    [side, share.currency.alpha, share.state.rawValue, "\(share.count)", Self.text(share.amount)]
                }
            },
            rightAligned: [3, 4]
        )
    }

    private func showBalances(_ report: ReportJSON) {
        Terminal.table(
            ["currency", "processors", "ledger", "unexplained difference", "not examined"],
            report.balances.map { balance in
                [balance.currency.alpha]
                    + [balance.processor, balance.ledger, balance.difference].map(Self.text) + ["\(balance.unexamined)"]
            },
            rightAligned: [1, 2, 3, 4]
        )
    }

    private static func text(_ money: Money?) -> String { money?.description ?? "-" }
}
