package import EventLog
package import Intake
package import Projections

/// The parts of reconciliation over one log.
package struct ReconciliationComponents: Sendable {
    package let statements: StatementQuery
    /// Imports the statements of processors and banks.
    package let importer: StatementImporter
    package let statementCommands: StatementCommands
    /// Reads matches and runs.
    package let query: ReconciliationQuery
    /// Reads proofs of deposits by payouts, and of payouts by their lines.
    package let deposits: DepositQuery
    package let exceptions: ExceptionQuery
    /// Matches statements with the ledger's movements; one run per call.
    package let reconciler: Reconciler
    /// Reconciles a tenant completely: runs, resolved doubts and withdrawn evidence.
    package let round: ReconciliationRound
    /// The commands with which operators handle exceptions.
    package let exceptionCommands: ExceptionCommands
    /// The commands with which operators set matching rules.
    package let rulesCommands: RulesCommands
    /// The commands with which operators close business days.
    package let periodCommands: PeriodCommands
    /// Reads the disputes of chargebacks.
    package let disputes: DisputeQuery
    /// The commands with which operators follow disputes.
    package let disputeCommands: DisputeCommands
    private let log: LogConnection
    private let recorder: TransactionRecorder
    private let readModels: ReadModels

    package init(log: LogConnection, recorder: TransactionRecorder, proposals: Proposals, readModels: ReadModels) {
        self.log = log
        self.recorder = recorder
        self.readModels = readModels
        let (pool, sequencer, reader, ids, clock) = (log.pool, log.sequencer, log.reader, log.ids, log.clock)
        statements = StatementQuery(pool: pool)
        importer = StatementImporter(sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        statementCommands = StatementCommands(
            sequencer: sequencer,
            reader: reader,
            proposals: proposals,
            ids: ids,
            clock: clock
        )
        query = ReconciliationQuery(pool: pool)
        deposits = DepositQuery(pool: pool)
        exceptions = ExceptionQuery(pool: pool)
        reconciler = Reconciler(
            pool: pool,
            sequencer: sequencer,
            reader: reader,
            readModels: readModels,
            ids: ids,
            clock: clock
        )
        round = ReconciliationRound(
            reconciler: reconciler,
            resolver: DoubtResolver(pool: pool, reader: reader, recorder: recorder, clock: clock),
            disputes: DisputeRecorder(pool: pool, reader: reader, recorder: recorder, clock: clock),
            withdrawn: WithdrawnEvidence(pool: pool, reader: reader, recorder: recorder, clock: clock),
            readModels: readModels
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
        rulesCommands = RulesCommands(
            sequencer: sequencer,
            reader: reader,
            proposals: proposals,
            readModels: readModels,
            rules: query,
            ids: ids,
            clock: clock
        )
        periodCommands = PeriodCommands(sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        disputes = DisputeQuery(pool: pool)
        disputeCommands = DisputeCommands(
            sequencer: sequencer,
            reader: reader,
            proposals: proposals,
            query: disputes,
            ids: ids,
            clock: clock
        )
    }

    /// Reconciles automatically, at once after an import and at the given interval, until cancelled.
    package func run(every interval: Duration) async {
        let process = ReconciliationProcess(
            pool: log.pool,
            round: round,
            readModels: readModels,
            appended: log.appended,
            ids: log.ids,
            interval: interval,
            logger: log.logger
        )
        await process.run()
    }

    /// Records the settlement of payments whose batch was closed, until cancelled.
    package func runSettlement() async {
        let process = SettlementProcess(
            pool: log.pool,
            reader: log.reader,
            recorder: recorder,
            readModels: readModels,
            appended: log.appended,
            logger: log.logger
        )
        await process.run()
    }

    /// The position up to which payments are settled.
    ///
    /// - Throws: `PostgresError`.
    package func settledPosition() async throws -> Int64 { try await SettlementProcess.position(in: log.pool) }
}
