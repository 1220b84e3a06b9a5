import Canonical
import DaybookTestKit
import EventLog
import GatewayStandIn
import Gateways
import Intake
import Payments
import Projections
import Replay
import ReplayRules
import Simulator
import Testing

/// A plan is executed, the database is set back to the time before, and the gateway keeps its books.
@Suite("Replays on a log that has lost its end") struct LostTailTests {
    private static let amount: Int64 = 1_250

    /// A ledger with an approved and started plan of two payments that were never posted.
    private static let payments = prepared("replay-lost-payments") { log, books in
        let ids = try await ReplayExecutionTests.unposted(2, cents: amount, log, books)
        try await World.with(log, books: books) { world in
            try await Replaying.with(world) { replaying in
                for id in ids { _ = try await replaying.vault.keep("11110000000000001111", of: id, tenant: "acme") }
                _ = try await started(replaying.plan(.transactions(ids)).plan, replaying)
            }
        }
    }

    private static func prepared(
        _ name: String,
        _ fill: @escaping @Sendable (TestLog, _ books: String) async throws -> Void
    ) -> TestDatabase.Template {
        TestDatabase.Template(name, onCopy: TestDatabase.Template.ledger.onCopy) { url in
            try await TestDatabase.Template.ledger.prepare(url)
            let directory = try TemporaryDirectory()
            try await TestLog.with(url: url) { try await fill($0, directory.path + "/books") }
            try await directory.remove()
        }
    }

    private static func started(_ plan: UUID128, _ replaying: Replaying) async throws -> UUID128 {
        try await replaying.act(.approve, on: plan)
        try await replaying.act(.start, on: plan)
        try await replaying.caughtUp()
        return plan
    }

    /// Executes the started plan on a copy of the database.
    private static func execute(
        _ template: TestDatabase.Template,
        _ books: String,
        with body: @escaping @Sendable (World, Replaying, UUID128) async throws -> Void
    ) async throws {
        try await TestLog.with(template: template) { log in
            if let last = try await log.events().last { log.clock.set(last.recordedAt) }
            try await World.with(log, books: books) { world in
                try await Replaying.with(world) { replaying in
                    try await replaying.caughtUp()
                    let plan = try #require(try await replaying.query.atWork().first?.id)
                    try await body(world, replaying, plan)
                }
            }
        }
    }

    /// The payments of a plan.
    private static func transactions(_ plan: UUID128, _ replaying: Replaying) async throws -> [UUID128] {
        try await replaying.query.items(of: plan, tenant: "acme", limit: 10).compactMap { item in
            try JSONValue(parsing: item.reported.utf8)["transaction"]?.string.flatMap { UUID128($0) }
        }
    }

    private static func charges(_ world: World) async -> [BookedPayment] {
        await world.keeper.read { books in books.payments.filter(\.isCharge) }
    }

    @Test("The plan that is executed again finds its calls")
    func again() async throws {
        try await withBooksAlone { books in
            try await Self.execute(Self.payments, books) { world, replaying, plan in
                _ = try await replaying.drive(plan, [replaying.process()])
                #expect(await Self.charges(world).count == 2)
            }
            try await Self.execute(Self.payments, books) { world, replaying, plan in
                let end = try await replaying.drive(plan, [replaying.process()])
                #expect(end.status == .completed && end.ends == [.posted: 2], "\(end)")
                try await Self.expectCharged(world, replaying, plan)
            }
        }
    }

    @Test("A plan that is made again finds the calls of the lost one")
    func anew() async throws {
        try await withBooksAlone { books in
            try await Self.execute(Self.payments, books) { world, replaying, plan in
                _ = try await replaying.drive(plan, [replaying.process()])
                #expect(await Self.charges(world).count == 2)
            }
            try await Self.execute(Self.payments, books) { world, replaying, old in
                try await replaying.act(.stop, on: old)
                let ids = try await Self.transactions(old, replaying)
                let plan = try await Self.started(try await replaying.plan(.transactions(ids)).plan, replaying)
                let end = try await replaying.drive(plan, [replaying.process()])
                #expect(end.status == .completed && end.ends == [.posted: 2], "\(end)")
                try await Self.expectCharged(world, replaying, plan)
            }
        }
    }

    /// Each payment is charged once, and the ledger agrees.
    private static func expectCharged(_ world: World, _ replaying: Replaying, _ plan: UUID128) async throws {
        let charges = await charges(world)
        #expect(charges.count == 2 && Set(charges.map(\.reference)).count == 2)
        for id in try await transactions(plan, replaying) {
            let state = try await world.state(id)
            #expect(state.status == .captured && state.captured == amount && !state.isInDoubt, "\(state.status)")
            #expect(state.openCalls.isEmpty && state.anomalies.isEmpty, "\(state.anomalies)")
            #expect(try await replaying.charges(id).count == 1)
        }
    }

    /// A ledger with a started plan for a part refund that was never sent.
    private static let refunds = prepared("replay-lost-refunds") { log, books in
        let id = try await World.with(log, books: books) { world in
            let id = try await world.sell(amount)
            try await world.closeBatch(of: id, cents: amount)
            return id
        }
        try await World.with(log, books: books, isDown: true) { world in
            let history = try await log.reader.stream(StreamName.transaction(id), of: "acme")
            let state = TransactionState(folding: try history.map(TransactionEvent.init))
            _ = try await GatewayCaller(recorder: world.recorder, clock: log.clock).call(
                GatewayCall(
                    .refund,
                    reference: UUIDv7Generator(clock: log.clock).next().text,
                    original: OriginalPayment(gatewayTransaction: state.references.gatewayTransaction),
                    amount: Money(300, .usd)
                ),
                at: try world.account(at: "bridge"),
                GatewayCaller.Subject(
                    stream: StreamName.transaction(id),
                    version: Int64(history.count),
                    accounts: World.accounts
                ),
                sender: World.sender
            )
        }
        try await World.with(log, books: books) { world in
            try await Replaying.with(world) { replaying in
                _ = try await started(replaying.plan(.transactions([id])).plan, replaying)
            }
        }
    }

    @Test("A refund whose record was lost is found, and left to operators")
    func refund() async throws {
        try await withBooksAlone { books in
            // The gateway of the copies has the payment.
            try await TestLog.with { log in
                try await World.with(log, books: books) { world in
                    let id = try await world.sell(Self.amount)
                    try await world.closeBatch(of: id, cents: Self.amount)
                }
            }
            for round in 0..<2 {
                try await Self.execute(Self.refunds, books) { world, replaying, plan in
                    let end = try await replaying.drive(plan, [replaying.process()])
                    #expect(end.ends == (round == 0 ? [.posted: 1] : [.unknown: 1]), "\(end)")
                    let refunded = await world.keeper.read { $0.payments.filter { $0.kind == .refund }.map(\.captured) }
                    #expect(refunded == [300])
                    guard round == 1, let id = try await Self.transactions(plan, replaying).first else { return }
                    let state = try await world.state(id)
                    #expect(state.isInDoubt && state.refunded == 0)
                }
            }
        }
    }
}

/// A directory for the books of gateways.
private func withBooksAlone(_ body: (_ books: String) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    do {
        try await body(directory.path + "/books")
        try await directory.remove()
    } catch {
        try? await directory.remove()
        throw error
    }
}
