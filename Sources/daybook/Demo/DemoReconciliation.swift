import Canonical
import Matching
import Simulator

/// The end of the demonstration: the statements of processors and banks about the day, and their discrepancies.
struct DemoReconciliation: Sendable {
    let client: APIClient
    let statements: SimulatedStatements
    let truth: TruthFile
    /// Sets the reconciliation rules of the ledger.
    let agree: @Sendable (MatchingRules) async throws -> Void

    /// The answers of the API.
    private struct Result {
        var files: [JSONValue]
        var run: JSONValue
        var report: JSONValue
        var score: ReconciliationScore

        /// True when a run has examined everything, and all money is explained in every currency.
        var isBalanced: Bool {
            let balances = report["balances"]?.array ?? []
            return !balances.isEmpty
                && balances.allSatisfy {
                    $0["difference"]?["value"]?.int64 == 0 && $0["unexamined"]?.int64 == 0
                }
        }
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
        let report = try await client.patiently { try await client.get("/v1/reconciliation-report") }
        return Result(files: files, run: run, report: report, score: try await reconciling.score(truth))
    }

    func run() async throws {
        Terminal.say("The statements of processors and banks about the day, up to the bill of the next month:")
        let result = try await reconcile()
        showFiles(result.files)
        Terminal.say()
        func count(_ name: String) -> String { "\(result.run["explained"]?[name]?.int64 ?? 0)" }
        Terminal.say(
            "\(count("matchedLines")) of \(count("lines")) lines and \(count("matchedMovements")) of \(count("movements")) "
                + "movements of the ledger explain each other. The exceptions compared with the discrepancies:"
        )
        result.score.show(statements.discrepancies)
        Terminal.say()
        Terminal.say("The explanations of the payments on both sides:")
        showSides(result.report)
        Terminal.say()
        showBalances(result.report)
        Terminal.say(
            result.isBalanced ? "every cent is explained, on both sides" : "! some money is not explained"
        )
    }

    /// The same as one document.
    func report() async throws -> JSONValue {
        let result = try await reconcile()
        return [
            "statements": .array(result.files), "score": result.score.json(),
            "explained": result.run["explained"] ?? [:], "report": result.report,
            "isBalanced": .bool(result.isBalanced),
        ]
    }

    // MARK: Tables

    private func showFiles(_ files: [JSONValue]) {
        Terminal.table(
            ["file", "format", "lines", "controls", "failed"],
            files.map { file in
                [file["name"]?.string ?? "", file["format"]?.string ?? ""]
                    + ["lines", "controls", "failedControls"].map { "\(file[$0]?.int64 ?? 0)" }
            },
            rightAligned: [2, 3, 4]
        )
    }

    private func showSides(_ report: JSONValue) {
        Terminal.table(
            ["side", "currency", "explained by", "payments", "amount"],
            [("processors", "processor"), ("ledger", "ledger")].flatMap { side, member in
                (report[member]?.array ?? []).map { share in
                    [
                        side, share["currency"]?.string ?? "", share["state"]?.string ?? "",
                        "\(share["count"]?.int64 ?? 0)", Self.money(share["amount"]),
                    ]
                }
            },
            rightAligned: [3, 4]
        )
    }

    private func showBalances(_ report: JSONValue) {
        Terminal.table(
            ["currency", "processors", "ledger", "difference", "not examined"],
            (report["balances"]?.array ?? []).map { balance in
                [balance["currency"]?.string ?? ""]
                    + ["processor", "ledger", "difference"].map { Self.money(balance[$0]) }
                    + ["\(balance["unexamined"]?.int64 ?? 0)"]
            },
            rightAligned: [1, 2, 3, 4]
        )
    }

    private static func money(_ json: JSONValue?) -> String {
        guard let value = json?["value"]?.int64, let currency = json?["currency"]?.string else { return "-" }
        return MoneyText(value, currency).text
    }
}
