import Canonical
import Composition
import DaybookTestKit
import Matching
import Postgres
import Reconciliation
import Testing

/// Lines and payments that name one merchant differently.
struct LinkedMerchantTests {
    private typealias Movement = PlantedWorld.Movement
    private typealias Line = PlantedWorld.Line
    private typealias Finding = PlantedWorld.Finding

    /// The app's name of the merchant, and the processor's.
    private static let shop = "shop"
    private static let processor = "MID-1"

    /// As if a payment had named the merchant by both names in the event at this position.
    static func link(_ planted: PlantedLedger, since position: Int64) async throws {
        _ = try await planted.ledger.pool.execute(
            """
            INSERT INTO read_merchants.linked_names (tenant, vendor, name, role, owner, owner_role, since)
            VALUES ('acme', 'dejavoo', $1::text, 'sender', $1::text, 'sender', $3::int8),
                ('acme', 'dejavoo', $2::text, 'processor', $2::text, 'processor', $3::int8),
                ('acme', 'dejavoo', $2::text, 'processor', $1::text, 'sender', $3::int8)
            """,
            [.text(shop), .text(processor), .int64(position)]
        )
    }

    private static func batched(_ number: Int, _ amount: Int64, _ terminal: String) -> Movement {
        let keys = ["merchant": shop, "terminal": terminal, "batch": "7"]
        return Movement(transaction: number, amount: amount, day: 3, keys: keys)
    }

    private static func total(_ name: String, _ gross: Int64, _ keys: [String: String]) -> Line {
        let keys = keys.merging(["batch": "7"]) { first, _ in first }
        return Line(name: name, gross: gross, day: 4, role: "total", keys: keys)
    }

    private static func expectNoChanges(_ planted: PlantedLedger) async throws {
        let whole = try await planted.reconcile(whole: true).completion
        #expect(whole.matched + whole.unmatched + whole.raised + whole.cleared == 0)
    }

    /// The names are linked after a run has examined both sides.
    @Test func aTotalUnderAnotherNameIsMatched() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([Self.batched(1, 1000, "t1"), Self.batched(2, 250, "t2")])
            try await planted.import([Self.total("all", 1250, ["merchant": Self.processor])])
            let before = try await planted.reconcile()
            #expect(try await planted.links().isEmpty)
            #expect(try await planted.exceptions().compactMap(\.line) == ["all"])
            try await Self.link(planted, since: before.position)
            #expect(try await planted.reconcile().isWhole)
            #expect(
                try await planted.links() == [
                    Finding(what: "merchant-batch", line: "all", transaction: 1),
                    Finding(what: "merchant-batch", line: "all", transaction: 2),
                ]
            )
            #expect(try await planted.exceptions().isEmpty)
            #expect(try await !planted.reconcile().isWhole)
            try await Self.expectNoChanges(planted)
        }
    }

    /// A payment that arrives later brings its total, under the other name, into the scope of the next run.
    @Test func aLaterPaymentBringsTheTotalUnderTheOtherName() async throws {
        try await PlantedLedger.with { planted in
            try await Self.link(planted, since: 1)
            try await planted.put([Self.batched(1, 1000, "t1")])
            try await planted.import([Self.total("all", 1250, ["merchant": Self.processor])])
            let before = try await planted.reconcile()
            // What is counted in a total is under its exception, whatever name it has.
            #expect(
                try await planted.exceptions() == [Finding(what: "batch-out-of-balance", line: "all", transaction: nil)]
            )
            try await planted.put([Self.batched(2, 250, "t2")], position: before.position)
            #expect(try await !planted.reconcile().isWhole)
            #expect(Set(try await planted.links().compactMap(\.transaction)) == [1, 2])
            #expect(try await planted.exceptions().isEmpty)
            try await Self.expectNoChanges(planted)
        }
    }

    /// Two wrong totals whose sum is right.
    @Test func aTotalOfATerminalTakesNoPaymentOfAnother() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([Self.batched(1, 6000, "t1"), Self.batched(2, 4000, "t2")])
            try await planted.import([
                Self.total("first", 7000, ["merchant": Self.shop, "terminal": "t1"]),
                Self.total("second", 3000, ["merchant": Self.shop, "terminal": "t2"]),
            ])
            try await planted.reconcile()
            #expect(try await planted.links().isEmpty)
            #expect(
                try await planted.exceptions() == [
                    Finding(what: "batch-out-of-balance", line: "first", transaction: nil),
                    Finding(what: "batch-out-of-balance", line: "second", transaction: nil),
                ]
            )
            try await Self.expectNoChanges(planted)
        }
    }

    /// The files of the merchant have reached day 40, and those of another one day 33.
    @Test func theProgressOfAMerchantIsThatOfAllItsNames() async throws {
        try await PlantedLedger.with { planted in
            func line(_ number: Int, _ merchant: String, day: Int) -> Line {
                let keys = ["processor_id": "g-\(number)", "merchant": merchant]
                return Line(name: "n-\(number)", gross: 1000, day: day, keys: keys)
            }
            try await planted.put(
                [(1, Self.shop, 36), (2, Self.shop, 40), (3, "other", 33)].map { number, merchant, day in
                    let keys = ["gateway_id": "g-\(number)", "merchant": merchant]
                    return Movement(transaction: number, amount: 1000, day: day, keys: keys)
                }
            )
            try await planted.import([line(2, Self.processor, day: 40)])
            try await planted.import([line(3, "other", day: 33)])
            let before = try await planted.reconcile()
            #expect(try await planted.exceptions().isEmpty)
            try await Self.link(planted, since: before.position)
            try await planted.reconcile()
            let missing = Finding(what: "missing-at-processor", line: nil, transaction: 1)
            #expect(try await planted.exceptions() == [missing])
            let merchants = try await planted.ledger.pool.query(
                "SELECT merchant FROM read_reconciliation.exceptions WHERE tenant = 'acme'",
                []
            )
            #expect(try merchants.map { try $0.text(0) } == [Self.shop])
            try await Self.expectNoChanges(planted)
        }
    }
}
