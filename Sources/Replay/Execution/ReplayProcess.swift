package import Canonical
package import EventLog
package import Gateways
package import Intake
package import Logging
import Payments
package import Postgres
package import Projections
import ReplayRules
import Synchronization

/// Executes running plans, a bounded number of items at a time. Any number of servers may run it at once.
package final class ReplayProcess: Sendable {
    /// The number of items that are leased and recorded together.
    private static let batch = 16
    /// The number of a batch's items that are executed at a time. A slow item delays only the later items of its
    /// batch.
    private static let width = 4
    /// The number of batches after which other plans have their turn.
    private static let mostBatches = 8

    private let pool: PostgresPool
    private let reader: EventReader
    private let recorder: PlanRecorder
    private let planCache: PlanCache
    private let queue: ReplayWorkQueue
    private let executor: ReplayExecutor
    private let query: ReplayQuery
    private let vault: CardVault
    private let options: ReplayOptions
    private let logGuard: LogGuard
    /// Nothing is begun on a log that is not proven, or shortly after its adoption. An append may notice the adoption
    /// in the middle of a step.
    private let mayBegin: @Sendable () -> Bool
    private let ids: any UUIDGenerator
    private let wallClock: any WallClock
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let isStopping = Mutex(false)

    package init(
        pool: PostgresPool,
        reader: EventReader,
        readModels: ReadModels,
        sequencer: Sequencer,
        recorder: TransactionRecorder,
        gateways: GatewayRegistry,
        planCache: PlanCache,
        vault: CardVault,
        options: ReplayOptions,
        logGuard: LogGuard,
        rest: EpochRest,
        ids: any UUIDGenerator,
        wallClock: any WallClock,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.pool = pool
        self.reader = reader
        self.planCache = planCache
        self.vault = vault
        self.options = options
        self.logGuard = logGuard
        let mayBegin: @Sendable () -> Bool = {
            guard logGuard.isProven, logGuard.hold == nil else { return false }
            guard let end = rest.end(of: logGuard.epoch) else { return true }
            return end <= wallClock.now()
        }
        self.mayBegin = mayBegin
        self.ids = ids
        self.wallClock = wallClock
        self.logger = logger
        self.clock = clock
        self.recorder = PlanRecorder(sequencer: sequencer, planCache: planCache, ids: ids, clock: wallClock)
        queue = ReplayWorkQueue(pool: pool)
        query = ReplayQuery(pool: pool)
        executor = ReplayExecutor(
            reader: reader,
            planCache: planCache,
            caller: GatewayCaller(recorder: recorder, logGuard: logGuard, clock: wallClock),
            gateways: gateways,
            vault: vault,
            orderDuplicates: OrderDuplicates(pool: pool, reader: reader),
            readModels: readModels,
            mayBegin: mayBegin,
            clock: wallClock
        )
    }

    /// The number of batches that are executed at a time. Together they execute `concurrent` items.
    private var lanes: Int { max(1, (options.concurrent + Self.width - 1) / Self.width) }

    /// Starts nothing new: `run` returns once the work in progress is complete.
    package func stop() { isStopping.withLock { $0 = true } }

    private var goesOn: Bool { !isStopping.withLock { $0 } && !Task.isCancelled }

    /// Runs until it is stopped or cancelled. A failed step is retried.
    package func run() async {
        let loop = BackgroundLoop(
            retry: .milliseconds(500)...(.milliseconds(500)),
            failureMessage: "replays wait",
            logger: logger,
            clock: clock
        )
        var idle = 0
        await loop.run {
            guard goesOn else { return .end }
            // At the start, and after about every ten minutes without work. Expired tokens are never handed out in the
            // meantime.
            if idle % 2_400 == 0 {
                try await vault.purge()
                try await queue.purge()
            }
            idle = try await step() ? 1 : idle + 1
            return idle > 1 ? .time(.milliseconds(250)) : .none
        }
    }

    /// Works on every plan that has work.
    ///
    /// - Returns: Whether there was work.
    @discardableResult
    package func step() async throws -> Bool {
        try await logGuard.establish(from: pool)
        guard mayBegin() else { return false }
        var isBusy = false
        for plan in try await query.atWork() where goesOn {
            if try await work(on: plan.id, tenant: plan.tenant) { isBusy = true }
        }
        return isBusy
    }

    private func work(on id: UUID128, tenant: String) async throws -> Bool {
        guard let plan = try await planCache.plan(id, of: tenant), let planning = plan.planning else { return false }
        let isRunning = plan.status == .running
        guard isRunning || plan.status == .paused || plan.status == .stopped else { return false }
        if isRunning, plan.openCount == 0 {
            try await queue.clear(id, tenant: tenant)
            return try await complete(id, tenant: tenant)
        }
        if try await queue.isEmpty(id, tenant: tenant) {
            // After a pause or a stop, only items that were begun are completed.
            let open = plan.openItems.filter { isRunning || $0.attempt != nil }
            guard !open.isEmpty else { return false }
            try await queue.fill(open.map(\.planned.number), plan: id, tenant: tenant, at: wallClock.now())
        }
        let terms = ReplayItemMachine.Terms(
            book: planning.book.book(queriesOnlyStandIns: options.queriesOnlyStandIns),
            expiresAt: planning.expiresAt
        )
        // A failure ends its own lane and does not cancel the calls of the others.
        let results = await withTaskGroup(of: Result<Bool, any Error>.self) { group in
            for _ in 0..<lanes { group.addTask { await self.lane(of: id, terms, tenant) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return try results.map { try $0.get() }.contains(true)
    }

    private func lane(of id: UUID128, _ terms: ReplayItemMachine.Terms, _ tenant: String) async -> Result<
        Bool, any Error
    > {
        do { return .success(try await workBatches(of: id, terms, tenant)) } catch { return .failure(error) }
    }

    /// Executes one batch after the other.
    ///
    /// - Returns: Whether there was anything to execute.
    private func workBatches(of id: UUID128, _ terms: ReplayItemMachine.Terms, _ tenant: String) async throws -> Bool {
        for number in 0..<Self.mostBatches {
            guard goesOn, mayBegin(), let plan = try await planCache.plan(id, of: tenant) else { return number > 0 }
            let isRunning = plan.status == .running
            let begun = isRunning ? nil : plan.openItems.filter { $0.attempt != nil }.map(\.planned.number)
            let now = wallClock.now()
            let lease = ids.next()
            let claims = try await queue.claim(
                id,
                tenant: tenant,
                only: begun,
                limit: Self.batch,
                lease: lease,
                at: now,
                until: now.adding(microseconds: options.leaseSeconds * 1_000_000)
            )
            guard !claims.isEmpty else { return number > 0 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.hold(lease, id, tenant) }
                group.addTask { try await self.execute(claims, of: plan, terms, id, tenant, lease) }
                // The lease is renewed as long as the items are executed.
                try await group.next()
                group.cancelAll()
            }
        }
        return true
    }

    private func hold(_ lease: UUID128, _ id: UUID128, _ tenant: String) async throws {
        while !Task.isCancelled {
            do { try await clock.sleep(for: .seconds(max(1, options.leaseSeconds / 3))) } catch { return }
            let until = wallClock.now().adding(microseconds: options.leaseSeconds * 1_000_000)
            // If renewing the lease fails, the worker continues. At worst, another worker checks the same items.
            try? await queue.renew(id, tenant: tenant, lease: lease, until: until)
        }
    }

    // MARK: Items

    private func execute(
        _ claims: [ReplayWorkQueue.Claim],
        of plan: ReplayPlan,
        _ terms: ReplayItemMachine.Terms,
        _ id: UUID128,
        _ tenant: String,
        _ lease: UUID128
    ) async throws {
        let versions = try await reader.versions(
            ofTransactions: claims.compactMap { plan.items[$0.item]?.planned.transaction },
            tenant: tenant
        )
        let others = try await otherCards(claims.compactMap { plan.items[$0.item]?.planned }, versions, tenant)
        let after = try await recorder.record(id, tenant) { plan in
            plan.attempts(
                claims.map(\.item),
                plan: id,
                versions: versions,
                otherCards: others,
                at: self.wallClock.now()
            )
        }
        let open = claims.compactMap { after.items[$0.item] }.filter { $0.end == nil && $0.isActionable }
        var ready: [ReplayItemMachine.Work] = open.filter { $0.attempt != nil }.map { item in
            ReplayItemMachine.Work(
                tenant: tenant,
                plan: id,
                item: item.planned,
                terms: terms
            )
        }
        var results: [Int64: ReplayItemMachine.Result] = [:]
        await withTaskGroup(of: (Int64, ReplayItemMachine.Result?).self) { group in
            func add() {
                guard goesOn, mayBegin(), let work = ready.popLast() else { return }
                group.addTask { (work.item.number, await self.execute(work)) }
            }
            ready.reverse()
            for _ in 0..<max(1, options.concurrent / lanes) { add() }
            for await (item, result) in group {
                if let result { results[item] = result }
                add()
            }
        }
        let reported = results
        let ended = try await recorder.record(id, tenant) { plan in plan.ends(reported) }
        let gone = claims.map(\.item).filter { ended.items[$0].map { $0.end != nil || !$0.isActionable } ?? true }
        try await queue.remove(gone, plan: id, tenant: tenant)
        let now = wallClock.now()
        let rest = Set(claims.map(\.item)).subtracting(gone)
        let putOff = rest.map { item -> (item: Int64, until: Timestamp) in
            // A failed item is retried soon, by any worker.
            guard case .later(let time)? = reported[item] else { return (item, now.adding(microseconds: 1_000_000)) }
            return (item, time)
        }
        try await queue.putOff(putOff, plan: id, tenant: tenant, lease: lease, at: now)
    }

    private func execute(_ work: ReplayItemMachine.Work) async -> ReplayItemMachine.Result? {
        do {
            return try await executor.execute(work)
        } catch {
            if !Task.isCancelled {
                logger.warning(
                    "an item of a replay waits",
                    metadata: [
                        "plan": "\(work.plan.text)", "item": "\(work.item.number)",
                        "error": "\(String(reflecting: type(of: error)))",
                    ]
                )
            }
            return nil
        }
    }

    /// The numbers of the items whose card token has changed.
    private func otherCards(
        _ items: [ReplayItem],
        _ versions: [UUID128: Int64],
        _ tenant: String
    ) async throws -> Set<Int64> {
        var others: Set<Int64> = []
        for item in items where versions[item.transaction] != item.version {
            let since = try await reader.stream(
                StreamName.transaction(item.transaction),
                of: tenant,
                from: item.version + 1,
                limit: 1_000
            )
            let facts = try since.map(TransactionEvent.init)
            if ReplaySnapshot.tellsOtherCard(facts, than: item) { others.insert(item.number) }
        }
        return others
    }

    private func complete(_ id: UUID128, tenant: String) async throws -> Bool {
        let authority = ReplayAuthority(ReplayActor(name: ReplayExecutor.actor), mayPlan: true)
        let after = try await recorder.record(id, tenant) { plan in
            let event = try? plan.complete(by: authority)
            return event.map { [$0] } ?? []
        }
        return after.status == .completed
    }
}
