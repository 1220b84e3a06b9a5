import Canonical
import Matching
import Operations
import Payments
import Simulator

/// The trading day of the demonstration, and the ledger's answers about it as a back office reads them.
struct DemoDay: Sendable {
    let client: APIClient
    private let agree: @Sendable (MatchingRules) async throws -> Void
    let plan: SimulationPlan

    /// - Parameter agree: Sets the reconciliation rules of the ledger.
    init(client: APIClient, agree: @escaping @Sendable (MatchingRules) async throws -> Void) throws {
        self.client = client
        self.agree = agree
        plan = try SimulationPlan(
            seed: 2025,
            merchants: 10,
            terminals: 15,
            transactions: 300,
            days: 1,
            faults: FaultProfile(all: 20_000),
            // Discrepancies of every class.
            discrepancies: DiscrepancyProfile(parsing: "all=0.03,batch-out-of-balance=0.5,unmatched-deposit=0.3")
        )
    }

    func run() async throws {
        Terminal.say(
            "A trading day: \(plan.transactions, "payment") at \(plan.terminals, "terminal") of \(plan.merchants, "merchant"), "
                + "over the SDKs of \(plan.vendors.map(\.rawValue).joined(separator: ", ")),"
        )
        Terminal.say("with every kind of fault in 2 of 100 cases.")
        let report = try await trade()
        let score = try await score(report.truth)
        Terminal.say()
        try await showPayments()
        Terminal.say()
        try await showBatches()
        Terminal.say()
        Terminal.say("The ledger's answers compared with the true outcomes:")
        let again = report.truth.payments.count { $0.tellsAgain != nil }
        if again > 0 { Terminal.say("payments reported twice, under two references, which count twice: \(again)") }
        score.show()
        Terminal.say()
        try await showReceipt(report.truth)
        Terminal.say()
        try await reconciliation(of: report.truth).run()
    }

    private func reconciliation(of truth: TruthFile) throws -> DemoReconciliation {
        DemoReconciliation(
            client: client,
            statements: try SimulatedStatements(plan, truth),
            truth: truth,
            agree: agree
        )
    }

    /// The same as one document, with the unchanged answers of the API.
    func report() async throws -> JSONValue {
        let report = try await trade()
        let score = try await score(report.truth)
        return [
            "simulation": TruthFile.head(plan), "deliveries": .number(.init(Int64(report.sent))),
            "transactions": .array(try await all("/v1/transactions", as: JSONValue.self)),
            "batches": .array(try await all("/v1/batches", as: JSONValue.self)),
            "score": score.json(), "reconciliation": try await reconciliation(of: report.truth).report(),
            "receipt": try await client.get("/v1/transactions/\(receiptID(report.truth))/receipt?copy=merchant"),
        ]
    }

    /// The score before the first statement, because statements resolve payments in doubt. A day that is played again
    /// is reconciled already.
    private func score(_ truth: TruthFile) async throws -> Score {
        try await LedgerReading(client: client, position: try await dayEnd()).score(truth)
    }

    /// The last position before the first statement; nil without statements.
    private func dayEnd() async throws -> Int64? {
        var first: Int64?
        try await client.pages("/v1/statements", as: StatementJSON.self) { item in
            first = min(first ?? item.firstPosition, item.firstPosition)
        }
        return first.map { $0 - 1 }
    }

    private func trade() async throws -> Trading.Report {
        let report = try await Trading(plan: plan, client: client, isJSON: true).run(documentsTo: nil, truthTo: nil)
        if let (code, count) = report.traffic.refused.first {
            throw Failure("The ledger refused \(count, "document"): \(code).")
        }
        return report
    }

    /// All items of a list, as of the end of the day.
    private func all<Item: Codable & Sendable & Hashable>(_ path: String, as type: Item.Type) async throws -> [Item] {
        var items: [Item] = []
        let past = try await dayEnd().map { "?as_of_position=\($0)" } ?? ""
        try await client.pages(path + past, as: type) { items.append($0) }
        return items
    }

    // MARK: Tables

    private func showPayments() async throws {
        struct Line: Hashable {
            var vendor: String
            var status: String
        }
        var counts: [Line: Int] = [:]
        var doubtful = 0
        for payment in try await all("/v1/transactions", as: TransactionJSON.self) {
            counts[Line(vendor: payment.vendor?.rawValue ?? "-", status: payment.status.rawValue), default: 0] += 1
            if payment.inDoubt { doubtful += 1 }
        }
        Terminal.say("Payments:")
        let statuses = TransactionStatus.allCases.map(\.rawValue).filter { status in
            counts.keys.contains { $0.status == status }
        }
        let vendors = Set(counts.keys.map(\.vendor)).sorted()
        Terminal.table(
            ["status"] + vendors,
            statuses.map { status in
                [status] + vendors.map { counts[Line(vendor: $0, status: status)].map { "\($0)" } ?? "-" }
            },
            rightAligned: Set(1...max(1, vendors.count))
        )
        Terminal.say("\(doubtful) in doubt: the outcome is unknown")
    }

    private func showBatches() async throws {
        Terminal.say("Batches:")
        let rows = try await all("/v1/batches", as: BatchJSON.self).map { batch in
            [
                batch.vendor.rawValue, batch.account ?? "-", batch.number ?? "(open)", batch.status.rawValue,
                "\(batch.totals.reduce(0) { $0 + $1.count })", "\(batch.totals.reduce(0) { $0 + $1.voidedCount })",
                batch.net.map { MoneyText($0.value, $0.currency.alpha).text }.joined(separator: ", "),
            ]
        }
        .sorted { $0[0..<3].joined(separator: "/") < $1[0..<3].joined(separator: "/") }
        Terminal.table(
            ["vendor", "terminal", "batch", "status", "lines", "voided", "net"],
            rows,
            rightAligned: [4, 5, 6]
        )
    }

    private func showReceipt(_ truth: TruthFile) async throws {
        let id = try await receiptID(truth)
        Terminal.say("Receipt of \(id):")
        Terminal.say()
        Terminal.say(try await client.text("/v1/transactions/\(id)/receipt?copy=merchant&width=42"))
    }

    /// The id of the first settled payment with a tip, found by the app's reference.
    private func receiptID(_ truth: TruthFile) async throws -> UUID128 {
        let sold = truth.payments.filter { $0.evidence == .complete && $0.captured > 0 }
        guard let payment = sold.first(where: { $0.status == .settled && $0.tip > 0 }) ?? sold.first,
            let found = try await client.get(
                "/v1/transactions?reference=\(payment.reference)",
                as: PageJSON<TransactionJSON>.self
            ).items.first
        else { throw Failure("The ledger does not have a payment of the day.") }
        return found.id
    }
}
