import Canonical
import Composition
import DaybookTestKit
import EventLog
import Matching
import Projections
import Reconciliation
import Testing

/// A sale whose fees equal its amount is a sale.
struct NetZeroTests {
    private static func line(_ name: String, fee: Int64?, type: String = "sale") -> PlantedWorld.Line {
        PlantedWorld.Line(name: name, type: type, gross: 30, fee: fee, day: 5, keys: ["processor_id": "g-\(name)"])
    }

    private static func movement(_ number: Int) -> PlantedWorld.Movement {
        PlantedWorld.Movement(transaction: number, amount: 30, day: 5, keys: ["gateway_id": "g-\(number)"])
    }

    @Test func aSaleWithANetOfZeroIsMatchedAndCounted() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([Self.movement(1), Self.movement(2)])
            try await planted.import([
                Self.line("1", fee: -30), Self.line("2", fee: -10), Self.line("3", fee: -30),
                // An authorisation moves no money, whatever its fee.
                Self.line("4", fee: -30, type: "authorization"),
            ])
            try await planted.reconcile()
            #expect(
                try await planted.links() == [
                    .init(what: "gateway-id", line: "1", transaction: 1),
                    .init(what: "gateway-id", line: "2", transaction: 2),
                ]
            )
            let unknown = PlantedWorld.Finding(what: "missing-in-ledger", line: "3", transaction: nil)
            #expect(try await planted.exceptions() == [unknown])
            let query = ReconciliationQuery(pool: planted.ledger.pool)
            let counts = try await query.counts(of: "acme")
            #expect(counts.lines == 3 && counts.matchedLines == 2)
            let position = try await planted.ledger.reader.head()
            let report = try await query.report(of: "acme", ReportScope(), at: position, now: Timestamp.earliest)
            let shares = report.processor.map { "\($0.state.rawValue) \($0.count) \($0.amount ?? -1)" }
            #expect(shares == ["exception 1 30", "matched 2 60"])
            let payments = try #require(report.account.first { $0.kind == .payments })
            #expect(payments.count == 3 && payments.gross == 90 && payments.fees == -70 && payments.amount == 20)
        }
    }
}
