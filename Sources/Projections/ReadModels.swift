package import EventLog
package import Logging
package import Postgres

/// Read models that follow the log together, and their progress.
package struct ReadModels: Sendable {
    /// The progress of a read model.
    package struct Progress: Sendable, Hashable {
        package var name: String
        package var version: Int
        package var position: Int64
        /// The number of events in the log that are not in the rows yet.
        package var lag: Int64
        package var fault: String?
        package var faultPosition: Int64?
        package var isRebuilding: Bool
    }

    /// What a read model lacks of the log up to a position.
    package struct Lag: Sendable, Hashable {
        package var name: String
        package var missing: Int64
        /// True when it cannot apply the next event.
        package var isHalted: Bool
        /// True while it is rebuilt. Parts of a rebuild move no position.
        package var isRebuilding: Bool
        /// Changes when the read model, or its rebuild, has applied events that count towards `missing`.
        package var steps: Int64
    }

    package let projections: [any Projection]
    private let pool: PostgresPool
    private let reader: EventReader
    private let progress: [String: PositionSignal]
    private let halts = HaltedRunners()

    /// - Parameter projections: Their names differ.
    package init(_ projections: [any Projection], pool: PostgresPool, reader: EventReader) {
        self.projections = projections
        self.pool = pool
        self.reader = reader
        progress = Dictionary(projections.map { ($0.name, PositionSignal()) }) { first, _ in first }
    }

    /// What keeps the read models up to date.
    package func follower(appended: PositionSignal, logger: Logger) -> ReadModelFollower {
        ReadModelFollower(
            projections,
            pool: pool,
            reader: reader,
            appended: appended,
            progress: progress,
            halts: halts,
            logger: logger
        )
    }

    /// Whether the read model's runner in this process has tried the next event and is halted.
    package func isHaltedHere(_ name: String) -> Bool { halts.contains(name) }

    /// Forgets how far the read models have come: the log is in another epoch.
    package func forgetPositions() {
        for signal in progress.values { signal.reset() }
    }

    /// Creates the missing tables.
    package func install() async throws {
        let installed = try await ProjectionStore.checkpoints(of: projections.map(\.name), pool)
        for projection in projections where installed[projection.name] == nil {
            try await ProjectionStore(projection: projection, pool: pool).install()
        }
    }

    /// The progress of every read model.
    package func positions() async throws -> [Progress] {
        let head = try await reader.head()
        let rows = try await pool.query(
            """
            SELECT l.name, l.version, l.position, l.fault, l.fault_position, r.name IS NOT NULL
            FROM projection.checkpoints l
            LEFT JOIN projection.checkpoints r ON r.name = l.name AND NOT r.is_live
            WHERE l.is_live ORDER BY l.name
            """,
            []
        )
        return try rows.map { row in
            Progress(
                name: try row.text(0),
                version: Int(try row.int32(1)),
                position: try row.int64(2),
                lag: max(0, head - (try row.int64(2))),
                fault: try row.textOrNull(3),
                faultPosition: try row.int64OrNull(4),
                isRebuilding: try row.bool(5)
            )
        }
    }

    /// The read models that lack a part of the log up to `position`. One that is not installed, or has rows by older
    /// rules than this build's, lacks everything.
    ///
    /// - Throws: `PostgresError`.
    package func lags(upTo position: Int64) async throws -> [Lag] {
        let rows = try await pool.query(
            "SELECT name, is_live, version, position, fault IS NOT NULL FROM projection.checkpoints"
        )
        var live: [String: ProjectionStore.Checkpoint] = [:]
        var rebuilt: [String: Int64] = [:]
        for row in rows {
            let checkpoint = ProjectionStore.Checkpoint(
                position: try row.int64(3),
                version: Int(try row.int32(2)),
                isHalted: try row.bool(4)
            )
            if try row.bool(1) {
                live[try row.text(0)] = checkpoint
            } else {
                rebuilt[try row.text(0)] = checkpoint.position
            }
        }
        return projections.compactMap { projection in
            let name = projection.name
            let model = live[name]
            let contained = model.map { $0.version < projection.version ? 0 : $0.position } ?? 0
            guard contained < position else { return nil }
            return Lag(
                name: name,
                missing: position - contained,
                isHalted: model?.isHalted ?? false,
                isRebuilding: rebuilt[name] != nil,
                steps: contained + (rebuilt[name] ?? 0)
            )
        }
    }

    /// Whether a process is applying a step now: its transaction has moved a checkpoint and waits for no lock. A step may
    /// take minutes, for example one that counts a file of a million lines.
    ///
    /// - Throws: `PostgresError`.
    package func isApplyingStep() async throws -> Bool {
        try await pool.query(EmbeddedFiles.stepRuns_sql).single().bool(0)
    }

    /// Waits until the read model contains everything up to `position`, which this process knows to be in the log. A
    /// log that was restored from a backup may end before it; then the end of the log counts.
    ///
    /// - Returns: False when it did not get there in time.
    package func wait(for name: String, toReachKnown position: Int64, timeout: Duration) async throws -> Bool {
        if position <= progress[name]?.position ?? 0 { return true }
        return try await wait(for: name, toReach: min(position, try await reader.head()), timeout: timeout)
    }

    /// Waits until the read model contains `position`, as long as it moves: to apply a million events takes minutes.
    ///
    /// - Parameter idle: The time without movement after which the wait ends, unless a step is being applied.
    /// - Returns: False when the read model is halted or stopped before the position, or no read model has this name.
    package func wait(for name: String, toReach position: Int64, idle: Duration) async throws -> Bool {
        guard projections.contains(where: { $0.name == name }) else { return false }
        var steps: Int64?
        while true {
            // In this order: a step that ends in between has moved the read model.
            let isApplying = steps == nil ? true : try await isApplyingStep()
            guard let lag = try await lags(upTo: position).first(where: { $0.name == name }) else { return true }
            if lag.isHalted || lag.steps == steps && !isApplying { return false }
            steps = lag.steps
            if try await wait(for: name, toReach: position, timeout: idle) { return true }
        }
    }

    /// Waits until the read model contains `position`.
    ///
    /// - Returns: False when the position was not reached within `timeout`; at once when the read model is halted before
    ///   it, or no read model has this name.
    package func wait(
        for name: String,
        toReach position: Int64,
        timeout: Duration,
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> Bool {
        guard let projection = projections.first(where: { $0.name == name }) else { return false }
        let store = ProjectionStore(projection: projection, pool: pool)
        let deadline = clock.now.advanced(by: timeout)
        while true {
            let checkpoint = try await store.checkpoint(isLive: true)
            if let checkpoint, checkpoint.position >= position { return true }
            if checkpoint?.isHalted == true || clock.now >= deadline { return false }
            // The runner may be in another process, whose progress is not signalled here. So this also polls.
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [progress] in await progress[name]?.wait(beyond: position - 1) }
                group.addTask { try? await clock.sleep(for: .milliseconds(25)) }
                await group.next()
                group.cancelAll()
            }
            try Task.checkCancellation()
        }
    }
}
