import Canonical
import Composition
import Matching
import Payments
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
        @Sendable func line(_ name: String, _ type: String, _ amount: Int64) -> PlantedDeposits.Line {
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

    /// Lines of American Express. Only the comparison of deposits knows about the format.
    private static func importAmex(_ planted: PlantedLedger, _ lines: [PlantedDeposits.Line]) async throws {
        let file = try await planted.import(lines, side: .processor)
        try await planted.ledger.catchUp()
        _ = try await planted.ledger.pool.execute(
            "UPDATE read_statements.statements SET format = 'amex-epraw' WHERE tenant = 'acme' AND id = $1",
            [.uuid(file.id)]
        )
    }

    private static func expectNoChanges(_ planted: PlantedLedger) async throws {
        let whole = try await planted.reconcile(whole: true).completion
        #expect(whole.raised + whole.cleared == 0)
    }

    /// A payment below zero and the transfer by which a later payment is less explain each other, once.
    @Test func aDebtExplainsOneTransfer() async throws {
        @Sendable func line(_ name: String, _ type: String, _ amount: Int64, day: Int) -> PlantedDeposits.Line {
            PlantedDeposits.Line(name: name, type: type, amount: amount, day: day, keys: ["merchant": "M1"])
        }
        try await PlantedLedger.with { planted in
            try await Self.importAmex(planted, [line("debt", "payout", 500, day: 1)])
            // A bank's line of a later day: the payment below zero is overdue.
            try await planted.import(
                [PlantedDeposits.Line(name: "b-1", type: "deposit", amount: 7, day: 40, keys: ["account": "DE77"])],
                side: .bank
            )
            try await planted.reconcile()
            #expect(try await planted.depositExceptions() == ["debt"])
            try await Self.importAmex(planted, [line("first", "transfer", -500, day: 2)])
            try await planted.reconcile()
            #expect(try await planted.depositExceptions() == [])
            try await Self.expectNoChanges(planted)
            try await Self.importAmex(planted, [line("second", "transfer", -500, day: 3)])
            try await planted.reconcile()
            #expect(try await planted.depositExceptions() == ["second"])
            // A payment to the merchant explains no transfer.
            try await Self.importAmex(
                planted,
                [line("paid", "payout", -300, day: 4), line("third", "transfer", 300, day: 4)]
            )
            try await planted.reconcile()
            #expect(try await planted.depositExceptions() == ["second", "third", "paid"])
            try await Self.expectNoChanges(planted)
        }
    }

    /// Of the transfers in earlier files, only those that nothing has explained are compared again.
    @Test func explainedTransfersAreNotComparedAgain() async throws {
        @Sendable func line(_ name: String, _ type: String, _ amount: Int64) -> PlantedDeposits.Line {
            PlantedDeposits.Line(name: name, type: type, amount: amount, day: 7)
        }
        try await PlantedLedger.with { planted in
            let rule = PostingRule("top-up", .deposit, account: .fees, part: "other")
            try await planted.setRules(MatchingRules(postings: [rule]))
            try await planted.import(
                [line("posted", "deposit", 100), line("carried", "transfer", 70), line("open", "withdrawal", -30)],
                side: .processor
            )
            let run = try await planted.reconcile()
            #expect(try await planted.depositExceptions() == ["open"])
            let compared = try await planted.ledger.pool.withTransaction { transaction in
                try await transaction.script(
                    """
                    CREATE TEMPORARY TABLE scope_deposits (line uuid PRIMARY KEY, is_payout boolean NOT NULL, round int NOT NULL)
                        ON COMMIT DROP
                    """
                )
                let scope = DepositScope(tenant: "acme", rules: DepositRule.standardLadder, since: run.position)
                let isSmall = try await scope.fill(in: transaction)
                #expect(isSmall)
                return try await transaction.query(
                    """
                    SELECT l.view -> 'references' ->> 'other_reference' FROM scope_deposits s
                    JOIN read_statements.lines l ON l.tenant = 'acme' AND l.id = s.line
                    """,
                    []
                ).map { try $0.textOrNull(0) }
            }
            #expect(compared == ["open"])
        }
    }
}
