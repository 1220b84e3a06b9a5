import Canonical
import Composition
import Postgres
import Statements
import Testing

@testable import Reconciliation

/// Transfers at a processor that are no payouts: deposits, withdrawals, and transfers in formats that carry no
/// balances.
struct OtherTransferTests {
    private static let head = """
        automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,created,available_on,\
        currency,gross,fee,net,reporting_category,source_id,charge_id,payment_intent_id,card_brand,description

        """

    /// A line of Stripe's report about the payout `po_1`.
    private static func row(_ number: Int, _ category: String, _ amount: String, _ source: String) -> String {
        """
        po_1,2026-01-08 00:00:00,txn_\(number),2026-01-05 10:00:00,2026-01-05 05:00:00,2026-01-07 00:00:00,usd,\
        \(amount),0.00,\(amount),\(category),\(source),,,,

        """
    }

    private static func bank(_ name: String, _ amount: Int64, _ reference: String) -> PlantedDeposits.Line {
        PlantedDeposits.Line(
            name: name,
            type: amount < 0 ? "withdrawal" : "deposit",
            amount: amount,
            day: 8,
            keys: ["account": "DE77", "bank_reference": reference]
        )
    }

    private static func open(_ planted: PlantedLedger) async throws -> [String] {
        try await planted.ledger.pool.query(
            """
            SELECT concat_ws(' ', x.class, l.processor_id, x.amount) FROM read_reconciliation.exceptions x
            JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
            WHERE x.tenant = 'acme' AND x.status = 'open' ORDER BY 1
            """,
            []
        ).map { try $0.text(0) }
    }

    private static func states(_ planted: PlantedLedger) async throws -> [String] {
        try await planted.deposits.coverage(of: "acme").map { "\($0.side.rawValue) \($0.state.rawValue) \($0.count)" }
    }

    /// A transfer among the lines of a payout is not the payout: each is matched by its own id. What no bank answers is
    /// an exception at once, without a bank's file as well.
    @Test func aTransferIsAnExceptionUntilABankAnswersIt() async throws {
        let report =
            Self.head + Self.row(1, "topup", "50.00", "tu_1") + Self.row(2, "transfer", "-30.00", "tr_1")
            + Self.row(3, "payout", "-20.00", "po_1")
        try await PlantedLedger.with { planted in
            _ = try await planted.ledger.reconciliation.importer.import(
                StatementBytes(Array(report.utf8)),
                StatementImporter.Request(format: .stripePayout),
                sender: PlantedLedger.sender
            )
            try await planted.reconcile()
            #expect(try await Self.open(planted) == ["unmatched-deposit tr_1 -3000", "unmatched-deposit tu_1 5000"])
            #expect(try await Self.states(planted) == ["processor awaited 1", "processor unmatched 2"])
            try await StatementJournalTests.expectBalanced(planted)

            try await planted.import([Self.bank("b-1", -5000, "tu_1")], side: .bank)
            try await planted.reconcile()
            #expect(try await Self.open(planted) == ["unmatched-deposit tr_1 -3000"])
            let proof = try #require(try await planted.deposits.proof(of: planted.line("b-1"), tenant: "acme"))
            #expect(proof.payouts.map(\.reference) == ["tu_1"] && proof.settlements.isEmpty && proof.difference == 0)
            try await StatementJournalTests.expectNothingNew(planted)

            let last = try await planted.import([Self.bank("b-2", 3000, "tr_1")], side: .bank)
            try await planted.reconcile()
            #expect(try await Self.open(planted) == [])
            try await StatementJournalTests.expectNothingNew(planted)

            _ = try await planted.withdraw(last.id)
            try await planted.ledger.catchUp()
            try await planted.reconcile()
            #expect(try await Self.open(planted) == ["unmatched-deposit tr_1 -3000"])
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// Sums of a day are those of payouts: another transfer of the day does not change them.
    @Test func otherTransfersAreNotInSumsOfADay() async throws {
        func line(_ name: String, _ type: String, _ amount: Int64) -> PlantedDeposits.Line {
            PlantedDeposits.Line(name: name, type: type, amount: amount, day: 7, keys: ["processor_id": name])
        }
        let lines = [line("p-1", "payout", -4000), line("p-2", "payout", -2500), line("w-1", "withdrawal", -100)]
        try await PlantedLedger.with { planted in
            try await planted.import(lines, side: .processor)
            try await planted.import([Self.bank("b-1", 6500, "other")], side: .bank)
            try await planted.reconcile()
            #expect(try await Set(planted.depositLinks().map(\.payout)) == ["p-1", "p-2"])
            #expect(try await Self.open(planted) == ["unmatched-deposit w-1 -100"])
            try await StatementJournalTests.expectBalanced(planted)
        }
    }
}
