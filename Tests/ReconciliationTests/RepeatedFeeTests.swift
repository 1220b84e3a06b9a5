import Canonical
import Composition
import Journal
import Matching
import Operations
import Payments
import Redaction
import Statements
import Testing

@testable import Reconciliation

/// Fees without a day and an id, of which another file may report the same or another one.
struct RepeatedFeeTests {
    private static let first = """
        type,currency,gross,day,merchant,processor_id
        sale,USD,10.00,2026-01-02,M1,G1
        sale,USD,20.00,2026-01-30,M1,G2
        fee,USD,-25.00,,M1,

        """

    private static let columns = "type,currency,net,day,merchant,processor_id"

    /// A file with a sale of a day.
    private static func file(
        _ fees: String...,
        on day: String = "2026-01-15",
        columns: String = RepeatedFeeTests.columns
    ) -> String {
        let merchant = columns.contains("merchant") ? "M1," : ""
        return ([columns, "sale,USD,30.00,\(day),\(merchant)G3"] + fees).joined(separator: "\n") + "\n"
    }

    @discardableResult
    private static func add(_ text: String, to planted: PlantedLedger) async throws -> UUID128 {
        let outcome = try await planted.ledger.reconciliation.importer.import(
            StatementBytes(Array(text.utf8)),
            StatementImporter.Request(format: .daybookCSV),
            sender: PlantedLedger.sender
        )
        return outcome.id
    }

    private static func questions(_ planted: PlantedLedger) async throws -> [ExceptionJSON] {
        try await planted.ledger.catchUp()
        let request = try Lists.exceptions.request([
            (name: "class", value: "duplicate-at-processor"), (name: "open", value: "true"),
        ])
        return try await planted.ledger.page(request, of: "acme", limit: 100).items(as: ExceptionJSON.self)
    }

    private static func fees(_ planted: PlantedLedger) async throws -> Int64 {
        try await planted.ledger.catchUp()
        let balances = try await planted.ledger.journal.balances(of: "acme", by: [.account])
        return balances.filter { $0.keys == ["fees"] }.reduce(0) { $0 + $1.balance }
    }

    private static let files: [(note: String, file: String, asked: Int)] = [
        ("net, not gross", file("fee,USD,-25.00,,M1,"), 1),
        ("the same form", first.replacing("G", with: "H"), 1),
        ("without a merchant", file("fee,USD,-25.00,,", columns: "type,currency,net,day,processor_id"), 1),
        ("two of them: one may be another", file("fee,USD,-25.00,,M1,", "fee,USD,-25.00,,M1,"), 1),
        ("of the next month", file("fee,USD,-25.00,,M1,", on: "2026-02-15"), 0),
        ("another amount", file("fee,USD,-26.00,,M1,"), 0), ("another merchant", file("fee,USD,-25.00,,M2,"), 0),
        ("another currency", file("fee,EUR,-25.00,,M1,"), 0), ("with a day", file("fee,USD,-25.00,2026-01-31,M1,"), 0),
        ("with an id", file("fee,USD,-25.00,,M1,F1"), 0), ("no fee", file("reserve,USD,-25.00,,M1,"), 0),
    ]

    @Test(arguments: files) func aFeeOfAnOverlappingFileIsAQuestion(note: String, file: String, asked: Int) async throws
    {
        try await PlantedLedger.with { planted in
            try await Self.add(Self.first, to: planted)
            try await planted.reconcile()
            #expect(try await Self.questions(planted).isEmpty)
            try await Self.add(file, to: planted)
            try await planted.reconcile()
            let found = try await Self.questions(planted)
            #expect(found.count == asked, "\(note)")
            #expect(found.allSatisfy { $0.amount?.value == -2500 && $0.candidates?.count == 1 }, "\(note)")
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// The second fee is in suspense until operators find that it is another one, or withdraw one of the files.
    @Test(arguments: [true, false]) func theSecondFeeIsInSuspense(isAnother: Bool) async throws {
        try await PlantedLedger.with { planted in
            try await Self.add(Self.first, to: planted)
            let second = try await Self.add(Self.file("fee,USD,-25.00,,M1,"), to: planted)
            #expect(try await Self.fees(planted) == 5000)
            try await planted.reconcile()
            #expect(try await Self.fees(planted) == 2500)
            let question = try #require(try await Self.questions(planted).first)
            if isAnother {
                _ = try await planted.ledger.reconciliation.exceptionCommands.act(
                    .resolve(ExceptionResolution(.corrected, correction: "one for each terminal")),
                    on: question.id,
                    reason: "as the contract states it",
                    sender: PlantedLedger.sender
                )
                _ = try await planted.approve(question.id, by: PlantedLedger.approver)
            } else {
                _ = try await planted.withdraw(second)
                try await planted.reconcile()
            }
            #expect(try await Self.questions(planted).isEmpty)
            #expect(try await Self.fees(planted) == (isAnother ? 5000 : 2500))
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// A posting rule has the money of both fees, also of a component: the second one is in suspense out of its account.
    @Test(arguments: ["net", "fee"]) func theSecondFeeOfAPostingRuleIsInSuspense(column: String) async throws {
        try await PlantedLedger.with { planted in
            try await planted.setRules(
                MatchingRules(postings: [PostingRule("monthly", .fee, account: .fees, part: "monthly")])
            )
            func file(_ sale: String, on day: String) -> String {
                """
                type,currency,gross,\(column),day,merchant,processor_id
                sale,USD,30.00,,\(day),M1,\(sale)
                fee,USD,\(column == "net" ? "" : "0.00"),-25.00,,M1,

                """
            }
            try await Self.add(file("G1", on: "2026-01-15"), to: planted)
            try await Self.add(file("G2", on: "2026-01-15"), to: planted)
            try await planted.reconcile()
            #expect(try await Self.questions(planted).count == 1)
            let found = try await planted.ledger.journal.balances(of: "acme", by: [.account, .part])
            let fees = found.filter { $0.keys[0] == "fees" }
            #expect(fees.map(\.keys) == [["fees", "monthly"]] && fees.map(\.balance) == [2500])
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }
}
