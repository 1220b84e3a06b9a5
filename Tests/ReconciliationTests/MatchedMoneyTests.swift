import Canonical
import Composition
import Journal
import Matching
import Payments
import Postgres
import Reconciliation
import Redaction
import Testing

/// Where the money of matched lines is: each cent in one account, in whichever order it is reported.
struct MatchedMoneyTests {
    private static let reconcile: JSONValue = ["command": ["operation": "reconcile"]]
    private static let sale: JSONValue = [
        "event": [
            "type": "Captured", "transaction": "T1", "capture": "sale", "vendor": "dejavoo", "tender": "credit",
            "occurredAt": "2026-03-02T12:00:00Z", "amounts": ["total": 10_000], "currency": "USD",
            "references": ["gatewayTransaction": "GW-1", "invoice": "INV-1", "merchant": "M1"],
        ]
    ]

    private static func file(_ id: String, side: String = "processor", _ lines: String...) -> JSONValue {
        let columns = "type,gross,day,processor_id,payout,bank_reference,merchant,invoice,currency,transaction_amount,"
        let text = ([columns + "transaction_currency"] + lines).map { $0 + "\n" }.joined()
        return ["statement": ["id": .string(id), "side": .string(side), "csv": .string(text)]]
    }

    private static func balances(_ planted: PlantedLedger) async throws -> [String: Int64] {
        try await planted.ledger.catchUp()
        let found = try await planted.ledger.journal.balances(of: "acme", by: [.account, .part])
        return Dictionary(
            uniqueKeysWithValues: found.map { one in
                (one.keys.compactMap(\.self).joined(separator: "/") + " " + one.currency.alpha, one.balance)
            }
        )
    }

    /// The bank's money is counted once if the payment and a payout report it. Without the files it is the payment's again.
    @Test(arguments: [true, false]) func moneyArrivesOnce(isFundedFirst: Bool) async throws {
        let funded: JSONValue = [
            "event": [
                "type": "Funded", "transaction": "T1", "id": "F-1", "vendor": "dejavoo", "amount": 10_000,
                "currency": "USD", "occurredAt": "2026-03-04T12:00:00Z",
            ]
        ]
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            try await player.play(Self.sale)
            if isFundedFirst { try await player.play(funded) }
            try await player.play(
                Self.file(
                    "S1",
                    "sale,100.00,2026-03-02,GW-1,PO1,,M1,,USD,,",
                    "payout,-100.00,2026-03-03,,PO1,PO1,M1,,USD,,"
                )
            )
            try await player.play(Self.file("S2", side: "bank", "deposit,100.00,2026-03-04,,,PO1,,,USD,,"))
            try await player.play(Self.reconcile)
            if !isFundedFirst { try await player.play(funded) }
            #expect(try await Self.balances(planted) == ["bank USD": 10_000, "sales/credit USD": -10_000])
            try await StatementJournalTests.expectNothingNew(planted)
            try await ReceivableTests.expectTheBalances(planted)
            for name in ["S2", "S1"] { _ = try await planted.withdraw(try #require(player.statements[name])) }
            try await player.play(Self.reconcile)
            #expect(try await Self.balances(planted) == ["bank USD": 10_000, "sales/credit USD": -10_000])
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// Each tender of a payment has its own account, also if one line is matched with all of them.
    @Test func aLineReleasesTheMoneyOfEachTender() async throws {
        @Sendable func tender(_ id: String, _ kind: String, _ amount: Int64) -> JSONValue {
            [
                "event": [
                    "type": "TenderApplied", "transaction": "T1", "id": .string(id), "vendor": "dejavoo",
                    "amounts": ["total": .number(.init(amount))], "currency": "USD", "isPartial": true,
                    "isCaptured": true, "occurredAt": "2026-03-02T12:00:00Z", "account": ["kind": .string(kind)],
                    "references": ["gatewayTransaction": "GW-1", "merchant": "M1"],
                ]
            ]
        }
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            try await player.play(tender("A", "gift", 4000))
            try await player.play(tender("B", "credit", 6000))
            let before = try await Self.balances(planted)
            #expect(before["gift-liability/gift USD"] == 4000 && before["processor-receivable/dejavoo USD"] == 6000)
            try await player.play(Self.file("S1", "sale,100.00,2026-03-02,GW-1,,,M1,,USD,,"))
            try await player.play(Self.reconcile)
            #expect(
                try await Self.balances(planted) == [
                    "processor-receivable/daybook-csv USD": 10_000, "sales/gift USD": -4000, "sales/credit USD": -6000,
                ]
            )
            try await StatementJournalTests.expectNothingNew(planted)
            _ = try await planted.withdraw(try #require(player.statements["S1"]))
            try await player.play(Self.reconcile)
            #expect(try await Self.balances(planted) == before)
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// What a rule accepts of a converted amount is not owed by anyone.
    @Test func anAcceptedDifferenceIsRounding() async throws {
        try await PlantedLedger.with { planted in
            let rule = MatchingRule("invoice", [.invoice], .unique, days: 7, tolerance: 5)
            try await planted.setRules(MatchingRules(ladder: [rule]))
            var player = ScenarioPlayer(planted)
            try await player.play(Self.sale)
            try await player.play(Self.file("S1", "sale,90.00,2026-03-02,,,,M1,INV-1,EUR,100.03,USD"))
            try await player.play(Self.reconcile)
            #expect(try await planted.exceptions() == [])
            #expect(
                try await Self.balances(planted) == [
                    "processor-receivable/daybook-csv EUR": 9000, "currency-clearing EUR": -9000,
                    "currency-clearing USD": 10_003, "rounding USD": -3, "sales/credit USD": -10_000,
                ]
            )
            try await StatementJournalTests.expectNothingNew(planted)
            _ = try await planted.withdraw(try #require(player.statements["S1"]))
            try await player.play(Self.reconcile)
            #expect(
                try await Self.balances(planted) == [
                    "processor-receivable/dejavoo USD": 10_000, "sales/credit USD": -10_000,
                ]
            )
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// An exception that was resolved, and cleared by what came later, is in suspense again when it is reopened, until
    /// the next run.
    @Test func aReopenedExceptionIsInSuspense() async throws {
        @Sendable func command(_ operation: String) -> JSONValue {
            [
                "command": [
                    "operation": .string(operation), "exception": "missing-in-ledger", "resolution": ["kind": "timing"],
                ]
            ]
        }
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            try await player.play(Self.file("S1", "sale,100.00,2026-03-02,GW-1,,,M1,,USD,,"))
            try await player.play(Self.reconcile)
            #expect(try await Self.balances(planted)["suspense USD"] == -10_000)
            let row = try await planted.ledger.pool.query("SELECT id FROM read_reconciliation.exceptions", []).first
            let exception = try #require(row).uuid(0)
            for operation in ["resolveException", "approveException"] { try await player.play(command(operation)) }
            #expect(try await Self.balances(planted)["suspense USD"] == nil)
            try await player.play(Self.sale)
            try await player.play(Self.reconcile)
            let matched: [String: Int64] = [
                "processor-receivable/daybook-csv USD": 10_000, "sales/credit USD": -10_000,
            ]
            #expect(try await Self.balances(planted) == matched)
            _ = try await planted.ledger.reconciliation.exceptionCommands.act(
                .reopen,
                on: exception,
                reason: "it was not",
                sender: PlantedLedger.sender
            )
            #expect(try await Self.balances(planted)["suspense USD"] == -10_000)
            try await StatementJournalTests.expectBalanced(planted)
            try await player.play(Self.reconcile)
            // The payment still explains it: the run clears it again.
            #expect(try await Self.balances(planted) == matched)
            try await StatementJournalTests.expectBalanced(planted)
        }
    }
}
