import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Projections
import Replay
import ReplayRules
import Testing

/// One order reported on several streams.
@Suite("Order duplicates") struct OrderDuplicateTests {
    /// Records the app's reference of a payment.
    private static func name(_ id: UUID128, _ reference: String, _ world: World) async throws {
        let received = DocumentReceived(
            vendor: .bridgepay,
            kind: "test",
            document: [:],
            redactions: [],
            reference: reference
        )
        _ = try await world.recorder.record(
            [],
            from: received,
            stream: StreamName.transaction(id),
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: world.log.clock.now(),
            sender: World.sender
        )
    }

    private static func begin(_ ids: [UUID128], _ replaying: Replaying) async throws -> UUID128 {
        let plan = try await replaying.plan(.transactions(ids)).plan
        try await replaying.act(.approve, on: plan)
        try await replaying.act(.start, on: plan)
        return plan
    }

    @Test("Concurrent plans over both streams of an order charge it once; a later plan gives the reason")
    func oneOrder() async throws {
        try await withBooks { log, books in
            let ids = try await ReplayExecutionTests.unposted(2, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    for id in ids {
                        try await Self.name(id, "order-7", world)
                        _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme")
                    }
                    let plans = [
                        try await Self.begin([ids[0]], replaying), try await Self.begin([ids[1]], replaying),
                    ]
                    var ends: [ReplayItemEnd.End: Int64] = [:]
                    for plan in plans {
                        let processes = [replaying.process(), replaying.process()]
                        ends.merge(try await replaying.drive(plan, processes).ends) { $0 + $1 }
                    }
                    #expect(ends == [.posted: 1, .needsPerson: 1])
                    let charges = [
                        try await replaying.charges(ids[0]).count, try await replaying.charges(ids[1]).count,
                    ]
                    #expect(charges.sorted() == [0, 1])
                    let open = charges[0] == 0 ? ids[0] : ids[1]
                    let again = try await replaying.plan(.transactions([open])).plan
                    try await replaying.caughtUp()
                    let item = try await replaying.query.items(of: again, tenant: "acme", limit: 1).first
                    let reported = try JSONValue(parsing: try #require(item).reported.utf8)
                    #expect(
                        reported["disposition"] == "needs-person" && reported["rule"] == "sibling.reference",
                        "\(reported)"
                    )
                    #expect(reported["evidence"]?.array?.count == 1)
                    #expect(TestLog.faults(of: try await log.events()).isEmpty)
                }
            }
        }
    }

    @Test("Orders with different names are all submitted, and one that was declined on two streams once more")
    func severalOrders() async throws {
        try await withBooks { log, books in
            let ids = try await ReplayExecutionTests.unposted(4, log, books)
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    for (id, name) in zip(ids, ["a", "b", "c", "c"]) {
                        try await Self.name(id, name, world)
                        _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme")
                    }
                    let plan = try await Self.begin(ids, replaying)
                    let end = try await replaying.drive(plan, [replaying.process(), replaying.process()])
                    #expect(end.ends == [.posted: 3, .needsPerson: 1], "\(end)")
                }
            }
        }
    }

    @Test("A payment at the vendor's test system is no duplicate of a live one")
    func testPayments() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    let money = Money(1500, .usd)
                    let references = References(invoice: "order-8", merchant: "8846")
                    let verdict = Verdict(evidence: .gateway, response: Response())
                    func record(_ number: UInt64, isTest: Bool, _ outcome: TransactionEvent) async throws -> UUID128 {
                        let id = UUID128(high: 8, low: number)
                        let request = PaymentRequest(amounts: Amounts(total: money), references: references)
                        _ = try await world.recorder.record(
                            [.saleRequested(request), outcome],
                            from: DocumentReceived(
                                vendor: .bridgepay,
                                kind: "test",
                                document: [:],
                                redactions: [],
                                isTest: isTest
                            ),
                            stream: StreamName.transaction(id),
                            keys: [],
                            idempotency: [],
                            policy: LifecyclePolicy(),
                            occurredAt: world.log.clock.now(),
                            sender: World.sender
                        )
                        return id
                    }
                    let approval = Approval(
                        amounts: Amounts(total: money),
                        evidence: .gateway,
                        response: Response(),
                        references: references
                    )
                    let live = try await record(1, isTest: false, .declined(verdict))
                    let tried = try await record(2, isTest: true, .authorizationApproved(approval))
                    try await replaying.caughtUp()
                    let query = OrderDuplicateQuery(pool: log.pool)
                    func duplicates(of id: UUID128) async throws -> [UUID128] {
                        try await query.orderDuplicates(
                            of: [id],
                            tenant: "acme",
                            windows: [:],
                            standard: 900,
                            now: world.log.clock.now()
                        ).map(\.transaction)
                    }
                    #expect(try await duplicates(of: live) == [])
                    let again = try await record(3, isTest: false, .authorizationApproved(approval))
                    try await replaying.caughtUp()
                    #expect(try await duplicates(of: live) == [again] && tried != again)
                }
            }
        }
    }
}
