import Canonical
package import EventLog
package import Gateways
package import Intake
package import Projections
import ReplayRules

/// The parts that resolve unknown outcomes and resubmit payments over one log.
package struct ReplayComponents: Sendable {
    /// Queries gateways for the outcomes of payments.
    package let resolver: OutcomeResolver
    /// The payments with an unknown outcome, and their status.
    package let worklist: DoubtWorklist
    /// The commands with which operators resolve doubts by testimony.
    package let doubts: DoubtCommands
    /// Reads plans and their items.
    package let plans: ReplayQuery
    /// Judges failed payments and follow-ups, and plans their resubmission.
    package let planner: ReplayPlanner
    /// The commands with which operators approve plans and control their execution.
    package let commands: ReplayCommands
    /// The tokens of payment cards.
    package let cards: CardVault
    /// The commands with which apps store and delete card tokens.
    package let cardTokens: CardTokenCommands
    /// Puts payments in doubt that were sent to the host and not answered.
    package let silence: SilenceProcess
    private let log: LogConnection
    private let recorder: TransactionRecorder
    private let readModels: ReadModels
    private let gateways: GatewayRegistry
    private let planCache: PlanCache
    private let options: ReplayOptions
    private let books: RuleBooks
    /// The most calls to all gateways together; 0 without gateways.
    private let callsAtOnce: Int

    package init(
        log: LogConnection,
        recorder: TransactionRecorder,
        proposals: Proposals,
        holders: @escaping CardTokenCommands.Holders,
        readModels: ReadModels,
        payments: PaymentQueries,
        gateways configurations: [GatewayConfiguration],
        options: ReplayOptions
    ) {
        self.log = log
        self.recorder = recorder
        self.readModels = readModels
        self.options = options
        let (sequencer, reader, ids, clock) = (log.sequencer, log.reader, log.ids, log.clock)
        callsAtOnce = configurations.reduce(0) { $0 + $1.queue.concurrent }
        gateways = GatewayRegistry(configurations, clock: clock)
        planCache = PlanCache(reader: reader, logGuard: log.logGuard)
        let books = RuleBooks(overriding: options.overrides, queriesOnlyStandIns: options.queriesOnlyStandIns)
        self.books = books
        cards = CardVault(pool: log.pool, key: options.vaultKey, clock: clock)
        cardTokens = CardTokenCommands(
            vault: cards,
            proposals: proposals,
            holders: holders,
            sequencer: sequencer,
            reader: reader,
            ids: ids,
            clock: clock
        )
        plans = ReplayQuery(pool: log.pool)
        resolver = OutcomeResolver(
            reader: reader,
            recorder: recorder,
            gateways: gateways,
            books: books,
            logGuard: log.logGuard,
            ids: ids,
            clock: clock
        )
        silence = SilenceProcess(
            pool: log.pool,
            recorder: recorder,
            books: books,
            ids: ids,
            wallClock: clock,
            logger: log.logger
        )
        worklist = DoubtWorklist(query: payments.doubts, resolver: resolver, clock: clock)
        doubts = DoubtCommands(
            sequencer: sequencer,
            reader: reader,
            proposals: proposals,
            books: books,
            ids: ids,
            clock: clock
        )
        planner = ReplayPlanner(
            sequencer: sequencer,
            reader: reader,
            readModels: readModels,
            transactions: payments.transactions,
            gateways: gateways,
            vault: cards,
            books: books,
            ids: ids,
            clock: clock
        )
        commands = ReplayCommands(
            sequencer: sequencer,
            reader: reader,
            planCache: planCache,
            policy: options.policy,
            query: plans,
            readModels: readModels,
            ids: ids,
            clock: clock
        )
    }

    /// Whether small plans need no second user.
    package var approvesSmallPlans: Bool { options.policy.items > 0 && options.overrides.isEmpty }
    /// The configured overrides of written rules, as `rule=value`.
    package var overrides: [String] { options.overrides }
    /// Whether all gateways are stand-ins on this machine.
    package var queriesOnlyStandIns: Bool { options.queriesOnlyStandIns }

    /// Queries gateways about payments in doubt and executes plans while `body` runs, and then completes the calls in
    /// progress: their answers are recorded before the log is closed. Without gateways, only runs `body`.
    package func calling<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        guard callsAtOnce > 0 else { return try await body() }
        let rest = EpochRest(gateways: gateways, book: try books.book(at: log.clock.now()))
        let resolving = ResolverProcess(
            pool: log.pool,
            resolver: resolver,
            readModels: readModels,
            appended: log.appended,
            ids: log.ids,
            wallClock: log.clock,
            logger: log.logger,
            // More payments would only wait for the gateways, and each occasionally takes a database connection.
            concurrent: min(callsAtOnce, 32)
        )
        let replaying = ReplayProcess(
            pool: log.pool,
            reader: log.reader,
            readModels: readModels,
            sequencer: log.sequencer,
            recorder: recorder,
            gateways: gateways,
            planCache: planCache,
            vault: cards,
            options: options,
            logGuard: log.logGuard,
            rest: rest,
            ids: log.ids,
            wallClock: log.clock,
            logger: log.logger
        )
        // Separate tasks, because a cancelled server must still record the answers of gateways.
        let questions = Task { await resolving.run() }
        let work = Task { await replaying.run() }
        func finish() async {
            replaying.stop()
            // A query that is cancelled is repeated later.
            questions.cancel()
            await questions.value
            await work.value
        }
        do {
            let result = try await body()
            await finish()
            return result
        } catch {
            await finish()
            throw error
        }
    }
}
