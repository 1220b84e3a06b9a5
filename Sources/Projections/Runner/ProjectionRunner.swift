package import EventLog
package import Logging
import Metrics
package import Postgres

/// Keeps one live read model up to date. Several processes may run the same one: the checkpoint lets exactly one of
/// them write each step.
package struct ProjectionRunner: Sendable {
    let projection: any Projection
    let pool: PostgresPool
    let reader: EventReader
    let runs: LogRuns
    let follower: Follower
    /// Signalled after each step, for readers that wait for a position.
    let progress: PositionSignal
    let halts: HaltedRunners
    let logger: Logger
    let clock: any Clock<Duration>
    let retryEvery: Duration
    /// The wait after a small step, so that under load each step applies many events.
    let gatherFor: Duration
    /// A step with fewer events than this is small.
    private static let smallStep = 200

    /// - Parameters:
    ///   - runs: The source of runs, shared with the other read models of the process.
    ///   - halts: Contains this runner while it is halted.
    ///   - retryEvery: The wait for an unavailable database, and between checks whether a fault was removed.
    ///   - gatherFor: The most delay of rows while events keep coming.
    package init(
        projection: any Projection,
        pool: PostgresPool,
        reader: EventReader,
        runs: LogRuns,
        appended: PositionSignal,
        progress: PositionSignal,
        halts: HaltedRunners = HaltedRunners(),
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(),
        retryEvery: Duration = .seconds(1),
        gatherFor: Duration = .milliseconds(15)
    ) {
        self.projection = projection
        self.pool = pool
        self.reader = reader
        self.runs = runs
        self.follower = Follower(reader: reader, signal: appended, clock: clock)
        self.progress = progress
        self.halts = halts
        self.logger = logger
        self.clock = clock
        self.retryEvery = retryEvery
        self.gatherFor = gatherFor
    }

    private var store: ProjectionStore { ProjectionStore(projection: projection, pool: pool) }

    /// Follows the log until cancelled.
    ///
    /// Rows made by older rules are rebuilt first. An event that cannot be applied halts this projection. Its
    /// position and the reason are stored in the checkpoint until a rebuild or another process gets past the event; a
    /// restart retries at once. Rows made by newer rules than this build's remain unchanged.
    package func run() async throws {
        while !Task.isCancelled {
            do {
                guard try await prepare() else { return }
                while true {
                    // Every step costs the database a transaction, however few events it has. A single event after a
                    // quiet period is still applied at once.
                    if try await step() < Self.smallStep { try await clock.sleep(for: gatherFor) }
                }
            } catch is CancellationError {
                return
            } catch let error as PostgresError {
                if error.code == .cancelled || error.code == .poolShutdown { return }
                logger.warning(
                    "a projection waits for its database",
                    metadata: metadata(["code": "\(error.code)", "sqlstate": "\(error.sqlState ?? "-")"])
                )
                try? await clock.sleep(for: retryEvery)
            } catch let error as UnappliedEvent {
                await halt(at: error.position, reason: error.reason)
            } catch let error as GapInLog {
                await halt(at: error.expected, reason: String(reflecting: GapInLog.self))
            } catch {
                logger.warning("a projection begins again", metadata: metadata(["error": "\(type(of: error))"]))
                try? await clock.sleep(for: retryEvery)
            }
        }
    }

    /// Creates the tables, or rebuilds them by this build's rules.
    ///
    /// - Returns: False when the rows belong to a newer build.
    private func prepare() async throws -> Bool {
        try await store.install()
        guard let installed = try await store.installedVersion(), installed != projection.version else { return true }
        guard installed < projection.version else {
            logger.error("a newer build keeps this read model", metadata: metadata(["version": "\(installed)"]))
            return false
        }
        logger.notice("a projection is rebuilt by new rules", metadata: metadata(["version": "\(projection.version)"]))
        try await ProjectionRebuild(projection: projection, pool: pool, reader: reader).upgrade()
        return true
    }

    /// Waits for the next events and applies them.
    ///
    /// - Returns: The number of events.
    private func step() async throws -> Int {
        guard let checkpoint = try await store.checkpoint(isLive: true), checkpoint.version == projection.version else {
            throw RebuildInterrupted()
        }
        progress.reached(checkpoint.position)
        let run = try await follower.next(after: checkpoint.position) { try await runs.run(after: $0) }
        guard try await store.advance(run, of: runs, isLive: true) else { return run.events.count }
        progress.reached(run.end)
        Gauge(label: "daybook_projection_position", dimensions: [("projection", projection.name)]).record(run.end)
        return run.events.count
    }

    /// Records the reason for the halt, and waits until the fault has been removed.
    private func halt(at position: Int64, reason: String) async {
        logger.critical(
            "a projection has halted; the others go on",
            metadata: metadata(["position": "\(position)", "reason": "\(reason)"])
        )
        var isRecorded = false
        defer { halts.remove(projection.name) }
        while !Task.isCancelled {
            do {
                if !isRecorded {
                    // A process that has got past the event meanwhile is not halted by this.
                    _ = try await pool.execute(
                        """
                        UPDATE projection.checkpoints SET fault = $2, fault_position = $3, updated_at = now()
                        WHERE name = $1 AND is_live AND (position = $3 - 1 OR version <> $4)
                        """,
                        [.text(projection.name), .text(reason), .int64(position), .int32(Int32(projection.version))]
                    )
                    isRecorded = true
                    halts.insert(projection.name)
                }
                let isHalted = try await pool.query(
                    "SELECT fault IS NOT NULL FROM projection.checkpoints WHERE name = $1 AND is_live",
                    [.text(projection.name)]
                )
                if try isHalted.first?.bool(0) != true { return }
            } catch {
                logger.debug("a halted projection waits for its database", metadata: metadata([:]))
            }
            try? await clock.sleep(for: retryEvery)
        }
    }

    private func metadata(_ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["projection": "\(projection.name)"]) { first, _ in first }
    }
}
