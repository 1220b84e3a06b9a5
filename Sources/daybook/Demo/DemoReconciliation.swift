import Canonical
import Matching
import Payments
import Projections
import Simulator
import Statements

/// The end of the demonstration: what processors and banks report of the day, and what is wrong with it.
struct DemoReconciliation: Sendable {
    let client: APIClient
    let books: any ReconciledBooks
    let statements: SimulatedStatements

    /// Nothing compares deposits with payouts yet: that class is shown, and nothing is expected of it until it is raised.
    private func score(_ found: [FoundException]) -> ReconciliationScore {
        let isRaised = found.contains { $0.exceptionClass == ExceptionClass.unmatchedDeposit.rawValue }
        return ReconciliationScore(
            statements.discrepancies,
            found: found,
            ignoring: isRaised ? [] : [.unmatchedDeposit]
        )
    }

    func run() async throws {
        Terminal.say("What processors and banks report of it, up to the bill of the month after:")
        showFiles(try await importFiles())
        try await books.reconcile(by: ProcessorTerms.rules)
        let found = try await books.exceptions()
        let score = score(found)
        Terminal.say()
        let explained = try await books.explained()
        Terminal.say(
            "\(explained.matchedLines) of \(explained.lines) lines and \(explained.matchedMovements) of "
                + "\(explained.movements) movements of the ledger are explained. What is not, against what is wrong:"
        )
        showClasses(score)
        for mismatch in score.mismatches { Terminal.say("! \(mismatch)") }
        Terminal.say(
            score.isClean ? "the reconciliation knows what is wrong" : "\(score.mismatches.count) mismatches"
        )
        Terminal.say()
        Terminal.say("What the processors' lines come to:")
        showBalances(try await books.balances())
    }

    /// The same as one document.
    func report() async throws -> JSONValue {
        let files = try await importFiles()
        try await books.reconcile(by: ProcessorTerms.rules)
        let balances = try await books.balances()
        return [
            "statements": .array(files), "score": score(try await books.exceptions()).json(),
            "isBalanced": .bool(balances.allSatisfy { $0.difference == 0 }),
        ]
    }

    private func importFiles() async throws -> [JSONValue] {
        var answers: [JSONValue] = []
        for file in statements.files {
            do {
                answers.append(
                    try await client.patiently {
                        try await client.post("/v1/statements?name=\(file.name)", file.bytes, as: file.format.mediaType)
                    }
                )
            } catch let error as APIClient.Refused {
                throw Failure(error)
            } catch let error as APIClient.Unreachable {
                throw Failure(error, at: client.base)
            }
        }
        return answers
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

    private func showClasses(_ score: ReconciliationScore) {
        let measures = Dictionary(uniqueKeysWithValues: score.measures.map { ($0.name, $0.measure) })
        let rows = ExceptionClass.allCases.compactMap { exceptionClass -> [String]? in
            let truth = statements.discrepancies.filter { $0.exceptionClass == exceptionClass }
            let measure = measures[exceptionClass.rawValue]
            guard !truth.isEmpty || measure != nil else { return nil }
            let planted = truth.count { $0.isPlanted }
            return [exceptionClass.rawValue, "\(planted)", "\(truth.count - planted)"]
                + (measure.map { ["\($0.claimed)", "\($0.right)"] } ?? ["-", "-"])
        }
        Terminal.table(
            ["class", "planted", "from the day", "found", "right"],
            rows,
            rightAligned: [1, 2, 3, 4]
        )
    }

    private func showBalances(_ balances: [LineBalance]) {
        Terminal.table(
            ["currency", "lines", "matched", "open", "fees", "chargebacks", "held, moved", "payouts", "difference"],
            balances.map { balance in
                func text(_ value: Int64) -> String {
                    Currency(alpha: balance.currency).map { Money(value, $0).decimalText } ?? "\(value)"
                }
                return [balance.currency]
                    + [
                        balance.lines, balance.matched, balance.open, balance.fees, balance.chargebacks, balance.held,
                        balance.payouts, balance.difference,
                    ].map(text)
            },
            rightAligned: Set(1...8)
        )
    }
}

extension StatementFormat {
    /// What a file of it is sent as.
    var mediaType: String {
        switch self {
        case .camt053, .camt054: "application/xml"
        case .iposgoSettlement, .spinBatch, .squarePayout: "application/json"
        case .bai2, .amexEPRAW, .valitorClearing: "text/plain"
        default: "text/csv"
        }
    }
}
