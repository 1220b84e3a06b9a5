import Canonical
import Composition
import DaybookTestKit
import Matching
import Postgres
import Projections
import Reconciliation
import Statements
import Testing

/// Balances that a processor carries over from one period to the next.
struct CarriedBalanceTests {
    typealias Line = PlantedDeposits.Line

    private static func line(_ name: String, _ amount: Int64, day: Int, merchant: String = "M1") -> Line {
        Line(name: name, type: "transfer", amount: amount, day: day, keys: ["merchant": merchant])
    }

    /// The open exceptions, as `negative-balance a`, and the lines that explain each other.
    private static func found(in planted: PlantedLedger) async throws -> (exceptions: [String], carried: [String]) {
        let exceptions = try await planted.exceptions().map { "\($0.what) \($0.line ?? "-")" }.sorted()
        let carried = try await planted.ledger.pool.query(
            """
            SELECT l.view -> 'references' ->> 'other_reference' FROM read_reconciliation.postings p
            JOIN read_statements.lines l ON l.tenant = p.tenant AND l.id = p.line
            WHERE p.rule = 'carried-over' AND p.account = 'processor-receivable' AND p.until IS NULL ORDER BY 1
            """,
            []
        ).map { try $0.text(0) }
        return (exceptions, carried)
    }

    /// Two opposite amounts of one account explain each other, whichever comes first.
    @Test(
        arguments: [
            ("a pair", [line("a", 90, day: 1), line("b", -90, day: 2)], [], ["a", "b"]),
            ("a balance above zero", [line("a", -90, day: 1), line("b", 90, day: 2)], [], ["a", "b"]),
            ("below zero alone", [line("a", 90, day: 1)], ["negative-balance a"], []),
            ("above zero alone", [line("a", -90, day: 1)], ["unexplained-line a"], []),
            (
                "other amounts", [line("a", 90, day: 1), line("b", -91, day: 2)],
                ["negative-balance a", "unexplained-line b"], []
            ),
            (
                "other merchants", [line("a", 90, day: 1), line("b", -90, day: 2, merchant: "M2")],
                ["negative-balance a", "unexplained-line b"], []
            ),
            (
                "the last of several", [line("a", 90, day: 1), line("b", -90, day: 2), line("c", 90, day: 3)],
                ["negative-balance c"], ["a", "b"]
            ),
            ("nothing", [line("a", 0, day: 1)], [], []),
        ] as [(String, [Line], [String], [String])]
    )
    func halvesExplainEachOther(
        note: String,
        lines: [Line],
        exceptions: [String],
        carried: [String]
    ) async throws {
        try await PlantedLedger.with { planted in
            try await planted.import(lines, side: .processor)
            try await planted.reconcile()
            let found = try await Self.found(in: planted)
            #expect(found.exceptions == exceptions && found.carried == carried, "\(note): \(found)")
            try await StatementJournalTests.expectBalanced(planted)
            let again = try await planted.reconcile(whole: true).completion
            #expect(again.raised + again.cleared + again.posted + again.unposted == 0)
        }
    }

    /// Each period in a file, in any order with a run after each; then the file with the later half is withdrawn.
    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]])
    func periodsComeInAnyOrder(order: [Int]) async throws {
        let files = [
            [Self.line("a", 90, day: 1)], [Self.line("b", -90, day: 2), Self.line("c", 90, day: 2)],
            [Self.line("d", -90, day: 3)],
        ]
        try await PlantedLedger.with { planted in
            var last: UUID128?
            for place in order {
                let id = try await planted.import(files[place], side: .processor).id
                if place == 2 { last = id }
                try await planted.reconcile()
                try await StatementJournalTests.expectNothingNew(planted)
            }
            var found = try await Self.found(in: planted)
            #expect(found.exceptions == [] && found.carried == ["a", "b", "c", "d"])
            _ = try await planted.withdraw(try #require(last))
            try await planted.reconcile()
            found = try await Self.found(in: planted)
            #expect(found.exceptions == ["negative-balance c"] && found.carried == ["a", "b"])
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// The fee of a transfer is no part of the balance, in whichever order the halves come.
    @Test(arguments: [[0, 1], [1, 0]]) func aFeeIsNoPartOfTheBalance(order: [Int]) async throws {
        var first = Self.line("a", 90, day: 1)
        first.keys["fee"] = "-0.02"
        let files = [[first], [Self.line("b", -90, day: 2)]]
        try await PlantedLedger.with { planted in
            for place in order {
                try await planted.import(files[place], side: .processor)
                try await planted.reconcile()
            }
            let found = try await Self.found(in: planted)
            #expect(found.exceptions == [] && found.carried == ["a", "b"], "\(found)")
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }
}
