import DaybookTestKit
import Testing

@testable import EventLog

@Suite struct BatchPlanTests {
    private typealias Plan = BatchPlan<Int>

    private func plan(_ items: [AppendItem], maxItems: Int = 100, maxBytes: Int = 1 << 20) -> Plan {
        let queue = items.enumerated().map { Plan.Entry(item: $1, ticket: $0) }
        return Plan(queue: queue, maxItems: maxItems, maxBytes: maxBytes)
    }

    @Test func itemsThatShareNothingGoTogether() {
        let plan = plan([
            .sample("a", keys: [.sample("1")], references: ["x"]),
            .sample("b", keys: [.sample("2")], references: ["y"]),
            .sample("c"),
        ])
        #expect(plan.chosen.map(\.ticket) == [0, 1, 2])
        #expect(plan.rest.isEmpty)
        #expect(plan.riders.isEmpty)
    }

    @Test func namesOfDifferentTenantsAreDifferentNames() {
        let plan = plan([
            .sample("a", tenant: "acme", keys: [.sample("1")], references: ["x"]),
            .sample("a", tenant: "other", keys: [.sample("1")], references: ["x"]),
        ])
        #expect(plan.chosen.map(\.ticket) == [0, 1])
    }

    @Test(arguments: [
        [AppendItem.sample("a"), .sample("a")],
        [.sample("a", references: ["x"]), .sample("b", references: ["y", "x"])],
        // The same key for another request, and for one of two requests.
        [.sample("a", keys: [.sample("1", request: "p")]), .sample("b", keys: [.sample("1", request: "q")])],
        [.sample("a", keys: [.sample("1"), .sample("2")]), .sample("b", keys: [.sample("2")])],
    ])
    func whoeverMeetsAnotherWaits(items: [AppendItem]) {
        let plan = plan(items)
        #expect(plan.chosen.map(\.ticket) == [0])
        #expect(plan.rest.map(\.ticket) == [1])
        #expect(plan.riders.isEmpty)
    }

    @Test func nobodyOvertakesWhoeverWaits() {
        // 1 waits for 0 because of x; 2 must wait for 1 because of its stream, and 3 for 2 because of its key.
        let plan = plan([
            .sample("a", references: ["x"]), .sample("b", references: ["x"]),
            .sample("b", keys: [.sample("1")]), .sample("c", keys: [.sample("1")]), .sample("d"),
        ])
        #expect(plan.chosen.map(\.ticket) == [0, 4])
        #expect(plan.rest.map(\.ticket) == [1, 2, 3])
    }

    @Test func theSameRequestRidesAlong() {
        let keys = [IdempotencyKey.sample("1"), .sample("2")]
        let plan = plan([.sample("a", keys: keys), .sample("b", keys: keys), .sample("c", keys: keys)])
        #expect(plan.chosen.map(\.ticket) == [0])
        #expect(plan.riders[0]?.map(\.ticket) == [1, 2])
        #expect(plan.rest.isEmpty)
    }

    @Test func theLimitsHoldButOneItemAlwaysGoes() {
        let items = (0..<5).map { AppendItem.sample("s\($0)") }
        #expect(plan(items, maxItems: 2).chosen.count == 2)
        #expect(plan(items, maxItems: 2).rest.map(\.ticket) == [2, 3, 4])
        #expect(plan(items, maxBytes: items[0].byteCount * 3).chosen.count == 3)
        #expect(plan(items, maxBytes: 1).chosen.map(\.ticket) == [0])
        #expect(plan([]).chosen.isEmpty)
    }

    @Test func whateverTheQueueNothingIsLostDoubledOrReordered() {
        var random = SeededGenerator.forTest()
        for _ in 0..<400 {
            let items = (0..<Int.random(in: 0...40, using: &random)).map { _ in Self.item(&random) }
            let maxItems = Int.random(in: 1...20, using: &random)
            let plan = plan(items, maxItems: maxItems, maxBytes: Int.random(in: 1...8000, using: &random))
            Self.check(plan, items, maxItems)
        }
    }

    private static func check(_ plan: Plan, _ items: [AppendItem], _ maxItems: Int) {
        let chosen = plan.chosen.map(\.ticket)
        let rest = plan.rest.map(\.ticket)
        let riders = plan.riders.flatMap { $0.value.map(\.ticket) }
        #expect((chosen + rest + riders).sorted() == Array(items.indices))
        #expect(chosen == chosen.sorted() && rest == rest.sorted())
        #expect(chosen.count <= maxItems)
        #expect(items.isEmpty || !chosen.isEmpty)
        for (index, first) in chosen.enumerated() {
            for second in chosen[(index + 1)...] { #expect(!overlap(items[first], items[second])) }
        }
        for (leader, entries) in plan.riders {
            for entry in entries {
                #expect(entry.item.idempotency == plan.chosen[leader].item.idempotency)
                #expect(entry.item.tenant == plan.chosen[leader].item.tenant)
                #expect(entry.ticket > plan.chosen[leader].ticket)
            }
        }
        // Whoever waits has nothing in common with anybody chosen behind them.
        for waiting in rest {
            for later in chosen where later > waiting { #expect(!overlap(items[waiting], items[later])) }
        }
    }

    private static func overlap(_ one: AppendItem, _ other: AppendItem) -> Bool {
        guard one.tenant == other.tenant else { return false }
        let keys = Set(one.idempotency.map(\.key))
        return one.stream == other.stream || !Set(one.references).isDisjoint(with: other.references)
            || !keys.isDisjoint(with: other.idempotency.map(\.key))
    }

    private static func item(_ random: inout SeededGenerator) -> AppendItem {
        func some(_ limit: Int) -> [Int] {
            (0..<Int.random(in: 0...2, using: &random)).map { _ in Int.random(in: 0..<limit, using: &random) }
        }
        return .sample(
            "s\(Int.random(in: 0..<30, using: &random))",
            tenant: Bool.random(using: &random) ? "acme" : "other",
            keys: some(12).map { .sample("k\($0)", request: "r\($0 % 2)") },
            references: some(20).map { "n\($0)" },
            count: Int.random(in: 1...3, using: &random)
        )
    }
}
