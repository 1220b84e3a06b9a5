import EventLog
import Logging
import Metrics
import Postgres

/// Keeps one live read model up to date while it does not follow with the others.
struct ProjectionRunner: Sendable {
    let projection: any Projection
    let pool: PostgresPool
    let reader: EventReader
    /// Shared with the other read models of the process.
    let runs: LogRuns
    let follower: Follower
    /// Signalled after each step, for readers that wait for a position.
    let progress: PositionSignal
    /// Contains this runner while it is halted.
    let halts: HaltedRunners
    let logger: Logger
    let clock: any Clock<Duration>
    /// The wait for an unavailable database, and between checks whether a fault was removed.
    let retryEvery: Duration
    /// The wait after a small step.
    let gatherFor: Duration
    /// A step with fewer events than this is small.
    static let smallStep = 200

    private var store: ProjectionStore { ProjectionStore(projection: projection, pool: pool) }

    /// Applies the log until little of it is left.
    ///
    /// Rows made by older rules are rebuilt first. An event that cannot be applied halts this read model until the
    /// fault is removed.
    ///
    /// - Returns: The position of the rows; nil when cancelled, or when a newer build keeps this read model.
    func catchUp() async -> Int64? {
        while !Task.isCancelled {
            do {
                guard try await prepare() else { return nil }
                while true { if let position = try await step() { return position } }
            } catch is CancellationError {
                return nil
            } catch let error as PostgresError {
                if error.code == .cancelled || error.code == .poolShutdown { return nil }
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
        return nil
    }

    /// Announces the position of the rows.
    func reach(_ position: Int64) {
        progress.reached(position)
        Gauge(label: "daybook_projection_position", dimensions: [("projection", projection.name)]).record(position)
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

    /// Applies the next events. While the model is rebuilt, it stays alone and waits for them.
    ///
    /// - Returns: The position of the rows when little is left; nil when there may be more.
    private func step() async throws -> Int64? {
        guard let checkpoint = try await store.checkpoint(isLive: true), checkpoint.version == projection.version else {
            throw RebuildInterrupted()
        }
        reach(checkpoint.position)
        let next =
            checkpoint.isRebuilding
            ? try await follower.next(after: checkpoint.position) { $1 ? try await runs.run(after: $0) : nil }
            : try await runs.run(after: checkpoint.position)
        guard let run = next else { return checkpoint.position }
        guard try await store.advance(run, of: runs, isLive: true) else { return nil }
        reach(run.end)
        guard run.events.count < Self.smallStep else { return nil }
        guard checkpoint.isRebuilding else { return run.end }
        try await clock.sleep(for: gatherFor)
        return nil
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
