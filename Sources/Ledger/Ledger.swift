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
import Vendors

/// The components of the ledger over one database, for the API and the command line.
package struct Ledger: Sendable {
    package let pool: PostgresPool
    package let reader: EventReader
    package let sequencer: Sequencer
    package let intake: Intake
    /// Ingests events in the ledger's own form.
    package let events: EventIntake
    package let readModels: ReadModels
    package let transactions: TransactionQuery
    package let receipts: ReceiptQuery
    package let batches: BatchQuery
    package let totals: TotalsQuery
    package let dayQuery: DayQuery
    package let duplicates: DuplicateQuery
    package let readers: ReaderQuery
    package let checkouts: CheckoutQuery
    package let anomalies: AnomalyQuery
    /// The commands with which operators acknowledge anomalies.
    package let anomalyCommands: AnomalyCommands
    package let merchants: MerchantQuery
    /// The commands with which operators describe merchants: their zone and the start of their day.
    package let merchantCommands: MerchantCommands
    package let statements: StatementQuery
    /// Imports the statements of processors and banks.
    package let statementImporter: StatementImporter
    package let statementCommands: StatementCommands
    /// Matches statements with the ledger's movements; one run per call.
    package let reconciler: Reconciler
    /// Reconciles a tenant completely: runs, resolved doubts and withdrawn evidence.
    package let reconciliation: Reconciliation
    package let reconciliationQuery: ReconciliationQuery
    /// Reads proofs of deposits by payouts, and of payouts by their lines.
    package let deposits: DepositQuery
    package let exceptions: ExceptionQuery
    /// The commands with which operators handle exceptions.
    package let exceptionCommands: ExceptionCommands
    /// The commands with which operators set matching rules.
    package let rulesCommands: RulesCommands
    /// The commands with which operators close business days.
    package let periodCommands: PeriodCommands
    /// Queries gateways for the outcomes of payments.
    package let resolver: OutcomeResolver
    /// The payments with an unknown outcome, and their status.
    package let worklist: DoubtWorklist
    /// The commands with which operators resolve doubts by testimony.
    package let doubtCommands: DoubtCommands
    package let replays: ReplayQuery
    /// Judges failed payments and follow-ups, and plans their resubmission.
    package let replayPlanner: ReplayPlanner
    /// The commands with which operators approve plans and control their execution.
    package let replayCommands: ReplayCommands
    /// The tokens of payment cards.
    package let cards: CardVault
    /// The commands with which apps store and delete card tokens.
    package let cardTokenCommands: CardTokenCommands
    package let keys: APIKeyStore
    /// Checkpoints, proofs and tiles.
    package let evidence: LogEvidence
    /// The log position that this process knows of.
    package let appended: PositionSignal
    package let clock: any WallClock
    package let ids: any UUIDGenerator
    /// The most time that a request waits for the read models.
    package let waitLimit: Duration

    private let checkpointer: Checkpointer?
    private let missingKey: String
    private let hasGateways: Bool
    /// The most calls to all gateways together.
    private let callsAtOnce: Int
    private let gateways: GatewayRegistry
    private let planCache: PlanCache
    private let replaying: ReplayOptions
    /// Whether small plans need no approver.
    package var approvesSmallReplays: Bool { replaying.policy.items > 0 }
    /// The configured overrides of written rules, as `rule=value`.
    package var replayRules: [String] { replaying.overrides }
    /// Whether all gateways are stand-ins on this machine.
    package var asksOnlyStandIns: Bool { replaying.asksOnlyStandIns }
    private let recorder: TransactionRecorder
    private let notices: AppendNotices
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: The connection to the database; the sessions act as the service.
    ///   - connections: The connections for reading and for the read models. The sequencer and the listener each have
    ///     one more.
    ///   - archiveDirectory: The directory of archived parts of the log; nil without an archive.
    ///   - acquireTimeout: The most time that a read waits for a connection, and so for a database that does not
    ///     respond.
    ///   - waitLimit: The most time that a request waits for the read models.
    ///   - signing: The keys and witness of the log; a ledger that follows signs.
    ///   - gateways: The gateways; a ledger that follows queries them about payments in doubt.
    ///   - replaying: The options for planning and executing replays.
    package init(
        configuration: PostgresConfiguration,
        connections: Int = 12,
        archiveDirectory: String? = nil,
        acquireTimeout: Duration = .seconds(10),
        waitLimit: Duration = .seconds(15),
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
        cardTokenCommands = CardTokenCommands(
            vault: cards,
            sequencer: sequencer,
            reader: reader,
            ids: ids,
            clock: clock
        )
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
        readModels = ReadModels(ReadModels.all, pool: pool, reader: reader)
        transactions = TransactionQuery(pool: pool)
        receipts = ReceiptQuery(pool: pool)
        batches = BatchQuery(pool: pool)
        totals = TotalsQuery(pool: pool)
        dayQuery = DayQuery(pool: pool)
        worklist = DoubtWorklist(query: DoubtQuery(pool: pool), resolver: resolver, clock: clock)
        duplicates = DuplicateQuery(pool: pool)
        readers = ReaderQuery(pool: pool)
        checkouts = CheckoutQuery(pool: pool)
        anomalies = AnomalyQuery(pool: pool)
        anomalyCommands = AnomalyCommands(sequencer: sequencer, reader: reader, ids: ids, clock: clock)
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

    /// Runs appending, the read models and settlement while `body` runs. Afterwards, everything accepted is finished
    /// before this returns.
    ///
    /// - Parameters:
    ///   - follows: False for a short command that only appends: the read models are left to a server.
    ///   - installs: False for a command that changes nothing: the read models' tables remain as they are.
    ///   - callsGateways: False to make no gateway calls: no doubts are queried and no replays are executed.
    ///   - interval: The interval of automatic reconciliation, which also runs at once after an import; nil for none.
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

    /// Queries gateways about payments in doubt and executes replays while `body` runs, and then completes the calls
    /// in progress: their answers are recorded before the log is closed.
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
            // More payments would only wait for the gateways, and each occasionally takes a database connection.
            concurrent: min(callsAtOnce, 32)
        )
        let replaying = ReplayProcess(
            pool: pool,
            reader: reader,
            readModels: readModels,
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

    private func withAppending<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        // Separate tasks, because a cancelled server must still finish everything it has accepted.
        let appending = Task { [sequencer] in await sequencer.run() }
        let gathering = Task { [intake] in await intake.run() }
        func finish() async {
            // The order matters: the last window must still be appended.
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

/// The keys and the witness of a log.
package struct EvidenceOptions: Sendable {
    /// Nil when this process does not sign.
    package var keys: LogKeys?
    /// The reason for missing keys, in words.
    package var missingKey = "there is no key file"
    /// The file with checkpoints outside the database.
    package var witness: WitnessFile?
    /// The least time between two checkpoints.
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

    /// Returns when this process has signed everything up to `position`, or knows that it is signed. Never returns in
    /// a process that does not sign.
    ///
    /// - Throws: `CancellationError`.
    package func waitForCheckpoint(of position: Int64) async throws {
        await (checkpointer?.signedUpTo ?? PositionSignal()).wait(beyond: position - 1)
        try Task.checkCancellation()
    }

    /// The keys that verify the log's checkpoints, the log's own key first; empty when this process has no keys.
    package var verifierKeys: [NoteVerifierKey] { checkpointer?.keys.verifiers ?? [] }
}

extension Ledger {
    /// Returns when the log may have grown beyond `position`, shortly after it has.
    ///
    /// - Throws: `CancellationError`.
    package func waitForAppend(beyond position: Int64) async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [appended] in await appended.wait(beyond: position) }
            // Other processes may append without notifying this one.
            group.addTask { try? await ContinuousClock().sleep(for: .milliseconds(500)) }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}

extension Ledger {
    /// Records that a copy of a payment's receipt was issued; see `TransactionRecorder.issueReceipt`.
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
    /// Waits until the read models contain every event that is in the log now.
    ///
    /// - Throws: `ReadModelsBehind` when that takes more than a minute.
    package func catchUp() async throws {
        let head = try await reader.head()
        for projection in readModels.projections {
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
        for projection in readModels.projections {
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
