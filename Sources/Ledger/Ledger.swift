package import Access
package import Canonical
package import EventLog
package import Gateways
package import Intake
package import Logging
package import Merkle
package import Payments
package import Postgres
package import Projections
package import Reconciliation
package import Replay
import ReplayRules
import Settlement
import Vendors

/// The ledger put together: everything the API and the command line use, over one database.
package struct Ledger: Sendable {
    package let pool: PostgresPool
    package let reader: EventReader
    package let sequencer: Sequencer
    package let intake: Intake
    /// Takes events in that are told in the ledger's own form.
    package let events: EventIntake
    package let readModels: ReadModels
    package let transactions: TransactionQuery
    package let receipts: ReceiptQuery
    package let batches: BatchQuery
    package let totals: TotalsQuery
    package let dayQuery: DayQuery
    package let doubts: DoubtQuery
    package let duplicates: DuplicateQuery
    package let readers: ReaderQuery
    package let checkouts: CheckoutQuery
    package let anomalies: AnomalyQuery
    /// Where people say that an anomaly has been dealt with.
    package let commands: AnomalyCommands
    package let merchants: MerchantQuery
    /// Where people say where a merchant is and when its day begins.
    package let merchantCommands: MerchantCommands
    package let statements: StatementQuery
    /// Takes in what processors and banks report.
    package let statementImporter: StatementImporter
    package let statementCommands: StatementCommands
    /// Explains what they report by the ledger's own movements, once.
    package let reconciler: Reconciler
    /// The same, and what follows from it.
    package let reconciliation: Reconciliation
    package let reconciliationQuery: ReconciliationQuery
    /// Explains deposits by payouts, and payouts by their lines.
    package let deposits: DepositQuery
    package let exceptions: ExceptionQuery
    /// Where people work what nothing explains.
    package let exceptionCommands: ExceptionCommands
    /// Where people say by which rules a tenant is reconciled.
    package let rulesCommands: RulesCommands
    /// Where people close business days.
    package let periodCommands: PeriodCommands
    /// Asks gateways what became of payments.
    package let resolver: OutcomeResolver
    /// What nobody knows, with how it stands.
    package let worklist: DoubtWorklist
    /// Where people end a doubt by what they have seen.
    package let doubtCommands: DoubtCommands
    package let replays: ReplayQuery
    /// Judges what failed, and plans what is asked of gateways again.
    package let replayPlanner: ReplayPlanner
    /// Where people approve such plans, and say when they are carried out.
    package let replayCommands: ReplayCommands
    /// What stands for the cards of payments.
    package let cards: CardVault
    /// Where apps leave it.
    package let cardTokenCommands: CardTokenCommands
    package let keys: APIKeyStore
    /// Checkpoints, proofs and tiles.
    package let evidence: LogEvidence
    /// How far this process knows the log to have come.
    package let appended: PositionSignal
    package let clock: any WallClock
    package let ids: any UUIDGenerator
    /// How long whoever asks waits for the read models to have come far enough.
    package let waitLimit: Duration

    private let checkpointer: Checkpointer?
    private let missingKey: String
    private let hasGateways: Bool
    /// To all gateways together.
    private let callsAtOnce: Int
    private let gateways: GatewayRegistry
    private let planCache: PlanCache
    private let replaying: ReplayOptions
    /// Whether plans that are small enough go without a second person.
    package var approvesSmallReplays: Bool { replaying.policy.items > 0 }
    /// `rule=value`, in the place of written rules, as whoever runs the service says.
    package var replayRules: [String] { replaying.overrides }
    /// Whether only stand-ins on this machine are asked.
    package var asksOnlyStandIns: Bool { replaying.asksOnlyStandIns }
    private let recorder: TransactionRecorder
    private let notices: AppendNotices
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: How to reach the database; the sessions act as the service.
    ///   - connections: Connections for reading and for the read models; the sequencer and the listener have one each
    ///     of their own.
    ///   - archiveDirectory: Where archived parts of the log are; nil if it has none.
    ///   - acquireTimeout: How long a read waits for one of them, and so for a database that does not answer.
    ///   - waitLimit: How long whoever asks waits for the read models to have come far enough.
    ///   - signing: What the log is signed with; a ledger that follows signs.
    ///   - gateways: Who can be asked about payments; a ledger that follows asks them about what is in doubt.
    ///   - replaying: How replays are planned and carried out.
    package init(
        configuration: PostgresConfiguration,
        connections: Int = 12,
        archiveDirectory: String? = nil,
        acquireTimeout: Duration = .seconds(10),
        waitLimit: Duration = .seconds(2),
        limits: Sequencer.Limits = .init(),
        signing options: EvidenceOptions = .init(),
        gateways: [GatewayConfiguration] = [],
        replaying: ReplayOptions = .init(),
        clock: any WallClock = SystemClock(),
        logger: Logger
    ) {
        let configuration = configuration.acting(as: .service)
        self.clock = clock
        self.waitLimit = waitLimit
        self.logger = logger
        ids = UUIDv7Generator(clock: clock)
        appended = PositionSignal()
        pool = PostgresPool(
            configuration,
            options: .init(maximumConnections: connections, acquireTimeout: acquireTimeout),
            logger: logger
        )
        let tail = LogTail()
        reader = EventReader(pool: pool, archiveDirectory: archiveDirectory, tail: tail)
        let memory = PaymentMemory()
        sequencer = Sequencer(
            configuration: configuration,
            clock: clock,
            signal: appended,
            tail: tail,
            limits: limits,
            onAnotherLog: { memory.clear() },
            logger: logger
        )
        recorder = TransactionRecorder(sequencer: sequencer, reader: reader, ids: ids, clock: clock, memory: memory)
        hasGateways = !gateways.isEmpty
        callsAtOnce = gateways.reduce(0) { $0 + $1.queue.concurrent }
        self.gateways = GatewayRegistry(gateways, clock: clock)
        let books = RuleBooks(overriding: replaying.overrides, asksOnlyStandIns: replaying.asksOnlyStandIns)
        self.replaying = replaying
        planCache = PlanCache(reader: reader)
        cards = CardVault(pool: pool, key: replaying.vaultKey, clock: clock)
        cardTokenCommands = CardTokenCommands(vault: cards, sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        replays = ReplayQuery(pool: pool)
        resolver = OutcomeResolver(
            reader: reader,
            recorder: recorder,
            gateways: self.gateways,
            books: books,
            ids: ids,
            clock: clock
        )
        doubtCommands = DoubtCommands(sequencer: sequencer, reader: reader, books: books, ids: ids, clock: clock)
        intake = Intake(adapters: VendorAdapters.all, recorder: recorder)
        events = EventIntake(sequencer: sequencer, ids: ids, adapters: VendorAdapters.all)
        readModels = ReadModels(pool: pool, reader: reader)
        transactions = TransactionQuery(pool: pool)
        receipts = ReceiptQuery(pool: pool)
        batches = BatchQuery(pool: pool)
        totals = TotalsQuery(pool: pool)
        dayQuery = DayQuery(pool: pool)
        doubts = DoubtQuery(pool: pool)
        worklist = DoubtWorklist(query: doubts, resolver: resolver, clock: clock)
        duplicates = DuplicateQuery(pool: pool)
        readers = ReaderQuery(pool: pool)
        checkouts = CheckoutQuery(pool: pool)
        anomalies = AnomalyQuery(pool: pool)
        commands = AnomalyCommands(sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        merchants = MerchantQuery(pool: pool)
        merchantCommands = MerchantCommands(sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        statements = StatementQuery(pool: pool)
        statementImporter = StatementImporter(sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        statementCommands = StatementCommands(sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        reconciliationQuery = ReconciliationQuery(pool: pool)
        reconciler = Reconciler(
            pool: pool,
            sequencer: sequencer,
            reader: reader,
            readModels: readModels,
            ids: ids,
            clock: clock
        )
        reconciliation = Reconciliation(
            reconciler: reconciler,
            resolver: DoubtResolver(pool: pool, reader: reader, recorder: recorder, clock: clock),
            withdrawn: WithdrawnEvidence(pool: pool, reader: reader, recorder: recorder, clock: clock),
            readModels: readModels
        )
        deposits = DepositQuery(pool: pool)
        exceptions = ExceptionQuery(pool: pool)
        periodCommands = PeriodCommands(sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        rulesCommands = RulesCommands(
            sequencer: sequencer,
            reader: reader,
            readModels: readModels,
            rules: reconciliationQuery,
            ids: ids,
            clock: clock
        )
        exceptionCommands = ExceptionCommands(
            pool: pool,
            sequencer: sequencer,
            reader: reader,
            readModels: readModels,
            reconciler: reconciler,
            ids: ids,
            clock: clock
        )
        replayPlanner = ReplayPlanner(
            sequencer: sequencer,
            reader: reader,
            readModels: readModels,
            transactions: transactions,
            gateways: self.gateways,
            vault: cards,
            books: books,
            ids: ids,
            clock: clock
        )
        replayCommands = ReplayCommands(
            sequencer: sequencer,
            reader: reader,
            planCache: planCache,
            policy: replaying.policy,
            query: replays,
            readModels: readModels,
            ids: ids,
            clock: clock
        )
        keys = APIKeyStore(pool: pool, clock: clock)
        evidence = LogEvidence(pool: pool)
        missingKey = options.missingKey
        checkpointer = options.keys.map { [pool] keys in
            Checkpointer(
                pool: pool,
                keys: keys,
                witness: options.witness,
                clock: clock,
                interval: options.interval,
                logger: logger
            )
        }
        notices = AppendNotices(configuration: configuration, pool: pool, signal: appended, logger: logger)
    }

    /// Runs the ledger while `body` runs: appending, the read models, settlement. When `body` is done, what has
    /// been accepted is finished before this returns.
    ///
    /// - Parameters:
    ///   - follows: False for a short command that only appends: the read models are left to a server.
    ///   - installs: False for a command that changes nothing: the read models' tables are left as they are.
    ///   - callsGateways: False where gateways are only to be known: nobody is asked about what is in doubt, and no replay
    ///     is carried out.
    ///   - interval: Reconcile without being asked: at once when a statement has come in, and this often; nil for never.
    package func run<Result: Sendable>(
        follows: Bool = true,
        installs: Bool = true,
        callsGateways: Bool = true,
        reconcilingEvery interval: Duration? = nil,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { background in
            background.addTask { [pool] in await pool.run() }
            if installs {
                try await readModels.install()
                let keeper = PartitionKeeper(pool: pool, appended: appended, logger: logger)
                background.addTask { await keeper.run() }
            }
            if follows {
                for runner in readModels.runners(appended: appended, logger: logger) {
                    background.addTask { try await runner.run() }
                }
                let settlement = SettlementProcess(
                    pool: pool,
                    reader: reader,
                    recorder: recorder,
                    readModels: readModels,
                    appended: appended,
                    logger: logger
                )
                background.addTask { await settlement.run() }
                if let interval {
                    let process = ReconciliationProcess(
                        pool: pool,
                        reconciliation: reconciliation,
                        readModels: readModels,
                        appended: appended,
                        ids: ids,
                        interval: interval,
                        logger: logger
                    )
                    background.addTask { await process.run() }
                }
                if let checkpointer { background.addTask { await checkpointer.run() } }
            }
            background.addTask { [notices] in await notices.run() }
            do {
                let isCalling = follows && hasGateways && callsGateways
                let result = try await withAppending { try await calling(isCalling, body) }
                background.cancelAll()
                await finish(&background)
                return result
            } catch {
                background.cancelAll()
                await finish(&background)
                throw error
            }
        }
    }

    /// Asks gateways about what is in doubt and carries replays out while `body` runs, and then brings what is under way to
    /// its end: what gateways say is recorded before the log is closed.
    private func calling<Result: Sendable>(
        _ isCalling: Bool,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard isCalling else { return try await body() }
        let resolving = ResolverProcess(
            pool: pool,
            resolver: resolver,
            readModels: readModels,
            appended: appended,
            ids: ids,
            wallClock: clock,
            logger: logger,
            // More would wait before the gateways, and each takes a connection to the database now and then.
            concurrent: min(callsAtOnce, 32)
        )
        let replaying = ReplayProcess(
            pool: pool,
            reader: reader,
            sequencer: sequencer,
            recorder: recorder,
            gateways: gateways,
            planCache: planCache,
            vault: cards,
            options: self.replaying,
            ids: ids,
            wallClock: clock,
            logger: logger
        )
        // Tasks of their own: a cancelled server must still record what was answered.
        let questions = Task { await resolving.run() }
        let work = Task { await replaying.run() }
        func finish() async {
            replaying.stop()
            // A question that is cut short is asked again.
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

    private func withAppending<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        // Tasks of their own: a cancelled server must still finish what it has accepted.
        let appending = Task { [sequencer] in await sequencer.run() }
        let gathering = Task { [intake] in await intake.run() }
        func finish() async {
            // In this order: the last window still has to be appended.
            await sequencer.beginClosing()
            await intake.close()
            await gathering.value
            await sequencer.close()
            await appending.value
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

    private func finish(_ background: inout ThrowingTaskGroup<Void, any Error>) async {
        while true {
            do {
                guard try await background.next() != nil else { return }
            } catch {
                if !(error is CancellationError) {
                    logger.warning("a task ended badly", metadata: ["error": "\(String(reflecting: type(of: error)))"])
                }
            }
        }
    }
}

/// What a log is signed with and witnessed by.
package struct EvidenceOptions: Sendable {
    /// Nil: this process signs nothing.
    package var keys: LogKeys?
    /// Why there are no keys, in words.
    package var missingKey = "there is no key file"
    /// Where checkpoints are kept outside the database.
    package var witness: WitnessFile?
    /// The time between two checkpoints, at least.
    package var interval: Duration

    package init(keys: LogKeys? = nil, witness: WitnessFile? = nil, interval: Duration = .seconds(1)) {
        self.keys = keys
        self.witness = witness
        self.interval = interval
    }
}

extension Ledger {
    /// Whether this process signs checkpoints.
    package var signing: SigningState { checkpointer?.state ?? .off(missingKey) }

    /// Returns when this process has signed everything up to `position`, or knows it to be signed; never where it does not
    /// sign.
    ///
    /// - Throws: `CancellationError`.
    package func waitForCheckpoint(of position: Int64) async throws {
        await (checkpointer?.signedUpTo ?? PositionSignal()).wait(beyond: position - 1)
        try Task.checkCancellation()
    }

    /// What checks the log's checkpoints, the log's own key first; empty when this process has no keys.
    package var verifierKeys: [NoteVerifierKey] { checkpointer?.keys.verifiers ?? [] }
}

extension Ledger {
    /// Returns when the log may have grown beyond `position`, soon after it has.
    ///
    /// - Throws: `CancellationError`.
    package func waitForAppend(beyond position: Int64) async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [appended] in await appended.wait(beyond: position) }
            // Other processes may append without this one hearing of it.
            group.addTask { try? await ContinuousClock().sleep(for: .milliseconds(500)) }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}

extension Ledger {
    /// Records that a copy of a payment's receipt was handed out; see `TransactionRecorder.issueReceipt`.
    package func issueReceipt(
        _ copy: ReceiptCopy,
        of transaction: UUID128,
        reason: String?,
        idempotencyKey: String? = nil,
        sender: Sender
    ) async throws -> IssuedReceipt? {
        try await recorder.issueReceipt(
            copy,
            of: transaction,
            reason: reason,
            idempotencyKey: idempotencyKey,
            sender: sender
        )
    }
}

extension Ledger {
    /// Waits until the read models contain everything that is in the log now.
    ///
    /// - Throws: `ReadModelsBehind` when they do not get there in a minute.
    package func catchUp() async throws {
        let head = try await reader.head()
        for projection in ReadModels.all {
            guard try await readModels.wait(for: projection.name, toReach: head, timeout: .seconds(60)) else {
                throw ReadModelsBehind(name: projection.name)
            }
        }
    }
}

extension Ledger {
    /// Waits until every read model contains the writes that this process acknowledged so far, `waitLimit` at most.
    ///
    /// - Returns: False when one of them does not.
    package func waitForOwnWrites() async throws -> Bool {
        let position = appended.position
        let deadline = ContinuousClock.now.advanced(by: waitLimit)
        for projection in ReadModels.all {
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            guard try await readModels.wait(for: projection.name, toReachKnown: position, timeout: rest) else {
                return false
            }
        }
        return true
    }
}

/// A read model did not catch up with the log.
package struct ReadModelsBehind: Error, Hashable {
    package let name: String
}
