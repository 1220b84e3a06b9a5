import Canonical
import Composition
import DaybookTestKit
import EventLog
import Matching
import Payments
import Redaction
import Testing

@testable import Journal
@testable import Reconciliation

/// Statements that come after their day was closed.
struct ClosedStatementDayTests {
    static let day = "2026-01-02"

    private static func line(_ name: String, _ type: String, _ gross: Int64, fee: Int64? = nil) -> PlantedWorld.Line {
        let keys = ["merchant": "M1", "processor_id": "g-\(name)"]
        return PlantedWorld.Line(name: name, type: type, gross: gross, fee: fee, day: 1, keys: keys)
    }

    @discardableResult
    static func close(_ planted: PlantedLedger, _ day: String = day) async throws -> Int64 {
        let closing = PeriodClosing(
            merchant: "M1",
            day: day,
            zone: "UTC",
            cutoff: "00:00",
            position: try await planted.ledger.reader.head(),
            totals: [],
            carried: [],
            reason: "done"
        )
        let commands = planted.ledger.reconciliation.periodCommands
        return try await commands.close(closing, idempotencyKey: nil, sender: PlantedLedger.sender).position
    }

    /// The balances up to the closed day.
    private static func balances(_ planted: PlantedLedger, at position: Int64? = nil) async throws -> [AccountBalance] {
        try await planted.ledger.catchUp()
        var filter = JournalFilter()
        let end: CivilDate = try #require(CivilDate(day))
        filter.to = end
        return try await planted.ledger.journal.balances(
            of: "acme",
            by: [.account, .part, .day],
            matching: filter,
            at: position
        )
    }

    /// Files, withdrawals and exceptions after the closing are posted later and name the day. The age of
    /// the money does not change.
    @Test func laterFilesAdjustTheClosedDay() async throws {
        try await PlantedLedger.with { planted in
            let first = try await planted.import([
                Self.line("n-1", "sale", 1000, fee: -30), Self.line("n-2", "fee", -250),
            ])
            try await planted.reconcile()
            let closing = try await Self.close(planted)
            let closed = try await Self.balances(planted)
            #expect(closed.count > 3)
            try await planted.import([Self.line("n-3", "sale", 700), Self.line("n-4", "adjustment", -50)])
            _ = try await planted.withdraw(first.id)
            let completion = try await planted.reconcile().completion
            #expect(completion.raised > 0 && completion.cleared > 0)
            #expect(try await Self.balances(planted) == closed)
            #expect(try await Self.balances(planted, at: closing) == closed)
            let legs = try await planted.ledger.journal.legs(of: "acme", matching: JournalFilter(), limit: 1000)
            for leg in legs where leg.merchant != nil {
                #expect((leg.adjusts == Self.day) == (leg.position > closing), "\(leg)")
                #expect((leg.day > Self.day) == (leg.position > closing), "\(leg)")
            }
            #expect(legs.filter { $0.adjusts != nil }.count > 5)
            let owed = try await planted.ledger.journal.owed(to: "acme")
            #expect(owed.map { "\($0.day) \($0.amount.value)" } == ["\(Self.day) 650"])
            try await ReceivableTests.expectTheBalances(planted)
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }
}
