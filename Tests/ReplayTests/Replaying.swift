import Canonical
import DaybookTestKit
import EventLog
import GatewayStandIn
import Gateways
import Intake
import Payments
import Projections
import Redaction
import Replay
import ReplayRules
import Simulator
import Testing

/// Plans over a log and gateways on sockets, on a stopped clock.
struct Replaying: Sendable {
    static let planner = Sender(tenant: "acme", actor: "ann", correlation: "test", holder: "ann")

    let world: World
    let readModels: ReadModels
    let vault: CardVault
    let query: ReplayQuery

    private var log: TestLog { world.log }

    /// Follows the log while `body` runs.
    static func with<Result: Sendable>(
        _ world: World,
        _ body: @Sendable (Replaying) async throws -> Result
    ) async throws -> Result {
        let log = world.log
        let readModels = ReadModels(
            [TransactionsProjection(), MerchantsProjection(), ReplaysProjection()],
            pool: log.pool,
            reader: log.reader
        )
        try await readModels.install()
        let follower = readModels.follower(appended: log.signal, logger: TestLog.logger)
        let following = Task { await follower.run() }
        let replaying = Replaying(
            world: world,
            readModels: readModels,
            vault: CardVault(pool: log.pool, key: Array(repeating: 7, count: 32), clock: log.clock),
            query: ReplayQuery(pool: log.pool)
        )
        func end() async {
            following.cancel()
            await following.value
        }
        do {
            let result = try await body(replaying)
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    func caughtUp() async throws {
        let head = try await log.reader.head()
        for name in ["transactions", "replays"] {
            #expect(try await readModels.wait(for: name, toReach: head, timeout: .seconds(60)))
        }
    }

    /// The commands with which apps store tokens.
    var cardTokenCommands: CardTokenCommands {
        CardTokenCommands(
            vault: vault,
            proposals: log.proposals,
            holders: { actor, _ in actor == "key:another" ? "ann" : nil },
            sequencer: log.sequencer,
            reader: log.reader,
            ids: UUIDv7Generator(clock: log.clock),
            clock: log.clock
        )
    }

    func plan(
        _ scope: PlanRequest.Scope,
        operation: ReplayOperation? = nil,
        key: String? = nil,
        books: RuleBooks = World.books
    ) async throws -> ReplayPlanner.Outcome {
        try await caughtUp()
        let planner = ReplayPlanner(
            sequencer: log.sequencer,
            reader: log.reader,
            readModels: readModels,
            transactions: TransactionQuery(pool: log.pool),
            gateways: world.gateways,
            vault: vault,
            books: books,
            ids: UUIDv7Generator(clock: log.clock),
            clock: log.clock
        )
        let asked = PlanRequest(scope, operation: operation, reason: "the gateway was down")
        return try await planner.plan(asked, idempotencyKey: key, sender: Self.planner)
    }

    func act(_ action: ReplayAction, on plan: UUID128, by name: String = "bob") async throws {
        let commands = ReplayCommands(
            sequencer: log.sequencer,
            reader: log.reader,
            planCache: PlanCache(reader: log.reader, logGuard: log.logGuard),
            policy: ReplayPolicy(),
            query: query,
            readModels: readModels,
            ids: UUIDv7Generator(clock: log.clock),
            clock: log.clock
        )
        _ = try await commands.act(
            action,
            on: plan,
            authority: ReplayAuthority(ReplayActor(name: name, holder: name), mayPlan: true, mayApprove: true),
            reason: "agreed",
            sender: Sender(tenant: "acme", actor: name, correlation: "test", holder: name)
        )
    }

    func process() -> ReplayProcess {
        ReplayProcess(
            pool: log.pool,
            reader: log.reader,
            readModels: readModels,
            sequencer: log.sequencer,
            recorder: world.recorder,
            gateways: world.gateways,
            planCache: PlanCache(reader: log.reader, logGuard: log.logGuard),
            vault: vault,
            options: ReplayOptions(),
            logGuard: log.logGuard,
            rest: EpochRest(microseconds: 60_000_000),
            ids: UUIDv7Generator(clock: log.clock),
            wallClock: log.clock,
            logger: TestLog.logger
        )
    }

    /// Lets processes work until the plan has ended, and advances the clock when they wait.
    func drive(_ plan: UUID128, _ processes: [ReplayProcess], rounds: Int = 60) async throws -> ReplayView {
        for _ in 0..<rounds {
            try await caughtUp()
            let now = try #require(try await query.plan(plan, of: "acme"))
            if now.status.isOver { return now }
            let isBusy = try await withThrowingTaskGroup(of: Bool.self) { group in
                for process in processes { group.addTask { try await process.step() } }
                return try await group.reduce(false) { $0 || $1 }
            }
            if !isBusy { log.clock.advance(seconds: 5) }
        }
        return try #require(try await query.plan(plan, of: "acme"))
    }

    /// The references of the attempts of a payment, as sent to the gateway.
    func attempts(_ id: UUID128) async throws -> [String] {
        try await log.reader.stream(StreamName.transaction(id), of: "acme").map(TransactionEvent.init).compactMap {
            guard case .gateway(let event) = $0, event.name == .callSent, event.report.operation.canMoveMoney else {
                return nil
            }
            return event.report.reference
        }
    }

    /// The charges of the payment in the gateways' books.
    func charges(_ id: UUID128) async throws -> [BookedPayment] {
        let names = Set(try await attempts(id))
        return await world.keeper.read { books in
            books.payments.filter { names.contains($0.reference) && $0.isCharge }
        }
    }
}
