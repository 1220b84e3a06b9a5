package import Access
package import Canonical
package import EventLog
package import Gateways
package import Intake
package import Journal
package import Logging
package import Postgres
package import Projections
package import Reconciliation
package import Replay

/// The components of the ledger over one database. Each capability assembles its own group.
package struct Ledger: Sendable {
    package let log: LogConnection
    package let readModels: ReadModels
    package let intake: IntakeComponents
    package let payments: PaymentQueries
    package let reconciliation: ReconciliationComponents
    package let journal: JournalQuery
    /// The commands with which operators export the journal.
    package let exports: ExportCommands
    /// The command with which operators define the chart of accounts.
    package let chartCommands: ChartCommands
    package let replay: ReplayComponents
    package let keys: APIKeyStore
    /// Checkpoints, proofs and tiles.
    package let evidence: LogEvidence
    package let signing: LogSigning
    /// Watches the clock and the settings of the database; nil if nothing is required of them.
    package let watch: DatabaseWatch?
    /// The most time that a request waits for the read models.
    package let waitLimit: Duration

    /// - Parameters:
    ///   - configuration: The connection to the database; the sessions act as the service.
    ///   - connections: The connections for reading and for the read models. The sequencer and the listener each have
    ///     one more.
    ///   - archiveDirectory: The directory of archived parts of the log; nil without an archive.
    ///   - acquireTimeout: The most time that a read waits for a connection, and so for a database that does not
    ///     respond.
    ///   - waitLimit: The most time that a request waits for the read models.
    ///   - standbys: What synchronous replication has to be like. If given, the clock and the settings of the database
    ///     are watched while the ledger follows, and no gateway is called before they were checked.
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
        standbys: DurabilitySettings.Standbys? = nil,
        signing options: EvidenceOptions = .init(),
        gateways: [GatewayConfiguration] = [],
        replaying: ReplayOptions = .init(),
        clock: any WallClock = SystemClock(),
        logger: Logger
    ) {
        let memory = PaymentMemory()
        log = LogConnection(
            configuration.acting(as: .service),
            connections: connections,
            archiveDirectory: archiveDirectory,
            acquireTimeout: acquireTimeout,
            limits: limits,
            clock: clock,
            logger: logger
        )
        keys = APIKeyStore(pool: log.pool, clock: clock)
        self.waitLimit = waitLimit
        watch = standbys.map { [log] in DatabaseWatch(log: log, standbys: $0) }
        if let watch, let standbys {
            log.logGuard.hold = .unchecked
            log.logGuard.setWatch { DatabaseWatch.hold(try await watch.check(), standbys) }
        }
        readModels = ReadModels(ReadModels.all, pool: log.pool, reader: log.reader)
        intake = IntakeComponents(
            log: log,
            memory: memory,
            openPayments: { [log] in try await DoubtQuery(pool: log.pool).open(at: $0, of: $1) },
            storedResults: { [log] in try await DoubtQuery(pool: log.pool).storedResults(at: $0, of: $1, since: $2) },
            statementLines: { [log, readModels] lines, tenant in
                try await Self.statementLines(lines, tenant, log, readModels, waitLimit)
            }
        )
        payments = PaymentQueries(log: log)
        journal = JournalQuery(pool: log.pool)
        exports = ExportCommands(log: log, journal: journal)
        chartCommands = ChartCommands(log: log)
        reconciliation = ReconciliationComponents(
            log: log,
            recorder: intake.recorder,
            proposals: intake.proposals,
            readModels: readModels
        )
        replay = ReplayComponents(
            log: log,
            recorder: intake.recorder,
            proposals: intake.proposals,
            holders: { [keys] in try await keys.holder(ofActor: $0, tenant: $1) },
            readModels: readModels,
            payments: payments,
            gateways: gateways,
            options: replaying
        )
        evidence = LogEvidence(pool: log.pool)
        signing = LogSigning(options, log: log)
        forgetAfterNewEpoch(memory)
    }

    /// Those of `lines` that are in a statement which this process acknowledged, or that is in the read model.
    ///
    /// - Throws: `IntakeProblem` if the read model does not contain them in time; `PostgresError`.
    private static func statementLines(
        _ lines: Set<UUID128>,
        _ tenant: String,
        _ log: LogConnection,
        _ readModels: ReadModels,
        _ limit: Duration
    ) async throws -> Set<UUID128> {
        let position = log.appended.position
        guard try await readModels.wait(for: "statements", toReachKnown: position, timeout: limit) else {
            throw IntakeProblem(
                .unavailable,
                "The statements are not read up to the end of the log. Nothing was recorded."
            )
        }
        return try await StatementQuery(pool: log.pool).lines(among: lines, of: tenant)
    }

    /// Everything that this process remembers of a log is void when the log is in another epoch.
    private func forgetAfterNewEpoch(_ memory: PaymentMemory) {
        log.logGuard.onNewEpoch { [readModels, evidence] in
            memory.clear()
            readModels.forgetPositions()
            evidence.forget()
        }
    }

    package var pool: PostgresPool { log.pool }
    package var reader: EventReader { log.reader }
    package var sequencer: Sequencer { log.sequencer }
    package var appended: PositionSignal { log.appended }
    package var ids: any UUIDGenerator { log.ids }
    package var clock: any WallClock { log.clock }
}
