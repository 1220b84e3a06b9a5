import Canonical
import Composition
import DaybookTestKit
import Matching
import Postgres
import Projections
import Reconciliation
import Statements
import Testing

/// Payouts that differ from the lines that they pay.
struct PayoutDifferenceTests {
    private typealias Line = PlantedDeposits.Line

    private static func line(_ name: String, _ type: String, _ amount: Int64, _ keys: [String: String]) -> Line {
        Line(name: name, type: type, amount: amount, day: 5, keys: keys)
    }

    /// The open exceptions about payouts, as `payout -50`.
    private static func found(in planted: PlantedLedger) async throws -> [String] {
        try await planted.ledger.pool.query(
            """
            SELECT concat_ws(' ', l.view -> 'references' ->> 'other_reference', x.amount)
            FROM read_reconciliation.exceptions x JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
            WHERE x.class = 'payout-differs' AND x.status = 'open' ORDER BY 1
            """,
            []
        ).map { try $0.text(0) }
    }

    /// A payout is compared with its lines, however they name it; without lines it is not.
    @Test(
        arguments: [
            ("payout", ["payout": "po_1"], ["payout": "po_1"], Int64(-900), ["p -30"]),
            ("equal", ["payout": "po_1"], ["payout": "po_1"], -930, []),
            ("more", ["payout": "po_1"], ["payout": "po_1"], -931, ["p 1"]),
            ("batch", ["batch": "7", "merchant": "M"], ["batch": "7", "merchant": "M"], -900, ["p -30"]),
            ("another merchant", ["batch": "7", "merchant": "M"], ["batch": "7", "merchant": "N"], -900, []),
            ("group", ["group": "g"], ["group": "g"], -900, ["p -30"]),
            ("nothing in common", ["payout": "po_1"], ["payout": "po_2"], -900, []),
            ("a failed one", ["payout": "po_1"], ["payout": "po_1"], 0, []),
        ] as [(String, [String: String], [String: String], Int64, [String])]
    )
    func payoutsAreComparedWithTheirLines(
        note: String,
        lines: [String: String],
        payout: [String: String],
        amount: Int64,
        differences: [String]
    ) async throws {
        try await PlantedLedger.with { planted in
            let file = [
                Self.line("a", "sale", 1_000, lines), Self.line("b", "adjustment", -70, lines),
                Self.line("pending", "balance", 55, lines), Self.line("p", "payout", amount, payout),
            ]
            try await planted.import(file, side: .processor)
            try await planted.reconcile()
            #expect(try await Self.found(in: planted) == differences, "\(note)")
            try await StatementJournalTests.expectBalanced(planted)
        }
    }

    /// The payout names the merchant as its app does, and the lines as the processor does.
    @Test func linesUnderAnotherNameOfTheMerchantArePaid() async throws {
        try await PlantedLedger.with { planted in
            let (lines, payout) = (["batch": "7", "merchant": "MID-1"], ["batch": "7", "merchant": "shop"])
            try await planted.import([Self.line("p", "payout", -900, payout)], side: .processor)
            try await planted.import([Self.line("a", "sale", 1_000, lines)], side: .processor)
            let before = try await planted.reconcile()
            #expect(try await Self.found(in: planted) == [])
            try await LinkedMerchantTests.link(planted, since: before.position)
            try await planted.reconcile()
            #expect(try await Self.found(in: planted) == ["p -100"])
            // A file with further lines changes the payout under the other name.
            try await planted.import([Self.line("b", "adjustment", -100, lines)], side: .processor)
            try await planted.reconcile()
            #expect(try await Self.found(in: planted) == [])
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// The lines of two payouts in several files, and a file that is withdrawn: each run finds what a run of everything
    /// would, in any order.
    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func filesComeInAnyOrder(order: [Int]) async throws {
        let (first, second) = (["payout": "po_1"], ["batch": "7", "merchant": "M"])
        let files = [
            [Self.line("a", "sale", 1_000, first), Self.line("p", "payout", -1_990, first)],
            [Self.line("b", "sale", 990, first), Self.line("c", "sale", 500, second)],
            [
                Self.line("q", "payout", -300, second), Self.line("r", "payout", -195, second),
                Self.line("d", "sale", 7, first),
            ],
        ]
        try await PlantedLedger.with { planted in
            var last: UUID128?
            for place in order {
                let id = try await planted.import(files[place], side: .processor).id
                if place == 2 { last = id }
                try await planted.reconcile()
                try await StatementJournalTests.expectNothingNew(planted)
            }
            let found = try await Self.found(in: planted)
            #expect(found.count == 2 && found.contains("p -7"))
            // Both payouts of the batch together are 5 less; the exception is about one of them.
            #expect(found.contains("q -5") || found.contains("r -5"))
            _ = try await planted.withdraw(try #require(last))
            try await planted.reconcile()
            #expect(try await Self.found(in: planted) == [])
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }
}
