package import EventLog
package import Postgres

/// Rebuilds a read model from the log, beside the live one, and swaps it in once it has caught up.
package struct ProjectionRebuild: Sendable {
    /// The result of a rebuild.
    package struct Report: Sendable, Hashable {
        package var name: String
        /// The number of events in the compared rows.
        package var events: Int64
        /// The digest of the live rows before the swap; nil when other rules made them, so that they cannot be
        /// compared.
        package var liveDigest: String?
        package var rebuiltDigest: String
        /// False when the digests differ under the same rules. Then the live rows remain, and the rebuilt rows remain
        /// in the schema `read_<name>_rebuild` for comparison.
        package var isSwapped: Bool
    }

    let projection: any Projection
    let pool: PostgresPool
    let reader: EventReader
    let store: ProjectionStore
    let runs: LogRuns
    let clock: any Clock<Duration>

    /// - Parameter clock: The clock for pauses during appends.
    package init(
        projection: any Projection,
        pool: PostgresPool,
        reader: EventReader,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.clock = clock
        self.projection = projection
        self.pool = pool
        self.reader = reader
        self.store = ProjectionStore(projection: projection, pool: pool)
        runs = LogRuns(reader: reader, limit: 4000)
    }

    /// Rebuilds the read model. Reads continue. The live model continues too, except for two short pauses: while the
    /// rebuilt rows catch up for the comparison, and during the swap. Another rebuild waits for this one. Uses six
    /// connections of the pool at a time.
    ///
    /// - Parameters:
    ///   - force: Swap even when the digests differ, because the live rows are known to be wrong.
    ///   - progress: Called with the number of applied events and the total.
    /// - Throws: `UnappliedEvent`, `GapInLog`, `RebuildInterrupted`, `PostgresError`; then the live rows remain.
    package func run(
        force: Bool = false,
        progress: @Sendable (_ applied: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> Report {
        try await Self.run([self], force: force, progress: progress)[0].get()
    }

    /// Rebuilds when older rules made the live rows, unless another process has rebuilt them meanwhile.
    func upgrade() async throws {
        try await alone {
            guard let installed = try await store.installedVersion(), installed < projection.version else { return }
            _ = try await Self.rebuild([self], force: false, progress: { _, _ in })[0].get()
        }
    }

    static let forget = "DELETE FROM projection.checkpoints WHERE name = $1 AND NOT is_live"

    /// Gives the rebuilt rows their indexes and the last events, compares them, and swaps them in.
    ///
    /// - Throws: As `run`; then the live rows remain.
    func finish(_ indexes: [String], force: Bool) async throws -> Report {
        var report: Report
        do {
            try await make(indexes)
            // The second round applies the events appended during the first; few are left after it.
            try await catchUp(to: try await target())
            report = try await compared()
            report.isSwapped = report.liveDigest == nil || force || report.liveDigest == report.rebuiltDigest
            if report.isSwapped {
                try await catchUp(to: try await target())
                try await swap()
            } else {
                _ = try await pool.execute(Self.forget, [.text(projection.name)])
            }
        } catch {
            await abandon()
            throw error
        }
        // A schema that cannot be dropped now is dropped before the next rebuild.
        if report.isSwapped { try? await dropRetired() }
        return report
    }

    /// Forgets and drops the rebuilt rows. Otherwise the read model would be reported as rebuilding until the next
    /// rebuild, and take its space twice.
    func abandon() async {
        // A separate task, so that it also runs when this one is cancelled.
        await Task { await discard() }.value
    }

    /// The position to build up to: the live rows' position, so that they can be compared. Rows made by other rules
    /// cannot be compared, so the rebuild goes up to the end of the log.
    func target() async throws -> Int64 {
        guard let live = try await store.checkpoint(isLive: true) else { throw RebuildInterrupted() }
        return live.version == projection.version ? live.position : max(live.position, try await reader.head())
    }

    /// Creates the tables, without the secondary indexes that are created later.
    ///
    /// - Returns: The definitions of those indexes.
    func begin() async throws -> [String] {
        try await dropRetired()
        return try await pool.withTransaction { transaction in
            try await transaction.script("DROP SCHEMA IF EXISTS \(projection.rebuildSchema) CASCADE")
            try await store.create(schema: projection.rebuildSchema, in: transaction)
            _ = try await transaction.execute(
                """
                INSERT INTO projection.checkpoints (name, is_live, version, position) VALUES ($1, false, $2, 0)
                ON CONFLICT (name, is_live) DO UPDATE SET version = excluded.version, position = 0, updated_at = now()
                """,
                [.text(projection.name), .int32(Int32(projection.version))]
            )
            return try await store.dropIndexes(schema: projection.rebuildSchema, in: transaction)
        }
    }

    /// Creates the indexes of the rebuilt tables, two at a time, and updates the planner's statistics.
    private func make(_ indexes: [String]) async throws {
        async let half: Void = create(indexes.indices.filter { $0.isMultiple(of: 2) }.map { indexes[$0] })
        async let other: Void = create(indexes.indices.filter { !$0.isMultiple(of: 2) }.map { indexes[$0] })
        _ = try await (half, other)
        try await pool.withTransaction { transaction in
            for table in projection.contents {
                try await transaction.script("ANALYZE \(projection.rebuildSchema).\(table.name)")
            }
        }
    }

    private func create(_ indexes: [String]) async throws {
        try await pool.withTransaction { transaction in
            // Workers would gain less than the second connection does.
            try await transaction.script(
                "SET LOCAL maintenance_work_mem = '64MB'; SET LOCAL max_parallel_maintenance_workers = 0"
            )
            for index in indexes { try await transaction.script(index) }
        }
    }

    /// Applies the remaining events up to `target` within the transaction that compares or swaps the rows.
    ///
    /// - Returns: The position of the rebuilt rows afterwards.
    func catchUp(
        from position: Int64,
        to target: Int64,
        in transaction: borrowing PostgresTransaction
    ) async throws -> Int64 {
        var position = position
        while position < target {
            guard let run = try await runs.run(after: position, upTo: target) else { throw RebuildInterrupted() }
            try await store.enter(projection.rebuildSchema, in: transaction)
            try await projection.applied(run, in: transaction)
            position = run.end
        }
        return position
    }

    /// Digests both sets of rows from a snapshot in which they contain the same events. The live model continues
    /// while the rows are read.
    private func compared() async throws -> Report {
        try await pool.withTransaction(isolation: .repeatableRead, readOnly: true) { moment in
            let (position, isComparable, snapshot) = try await pool.withTransaction { transaction in
                let (target, isComparable) = try await holdLive(in: transaction)
                try await catchUp(to: target)
                let position = try await store.position(isLive: false)
                // Live rows never go back. If they are behind, an operator or a restore of the database reset them.
                guard position == target || !isComparable else { throw RebuildInterrupted() }
                let snapshot = try await moment.query("SELECT pg_export_snapshot()").single().text(0)
                return (position, isComparable, snapshot)
            }
            async let live = isComparable ? store.digest(schema: projection.liveSchema, snapshot: snapshot) : nil
            async let rebuilt = store.digest(schema: projection.rebuildSchema, snapshot: snapshot)
            return Report(
                name: projection.name,
                events: position,
                liveDigest: try await live,
                rebuiltDigest: try await rebuilt,
                isSwapped: false
            )
        }
    }

    /// Pauses the live model until the transaction ends: its runner waits for this row.
    ///
    /// - Returns: The live position, and whether this build's rules made the live rows.
    private func holdLive(in transaction: borrowing PostgresTransaction) async throws -> (Int64, Bool) {
        let live = try await transaction.query(
            "SELECT position, version FROM projection.checkpoints WHERE name = $1 AND is_live FOR UPDATE",
            [.text(projection.name)]
        )
        guard let live = live.first else { throw RebuildInterrupted() }
        return (try live.int64(0), try live.int32(1) == Int32(projection.version))
    }

    /// Replaces the live tables with the rebuilt ones, after applying every event that the live ones contain.
    /// Renaming takes no lock that a reader holds or waits for: a query in progress continues on the old tables.
    private func swap() async throws {
        try await pool.withTransaction { transaction in
            let (target, _) = try await holdLive(in: transaction)
            let rebuilt = try await transaction.query(
                "SELECT position FROM projection.checkpoints WHERE name = $1 AND NOT is_live FOR UPDATE",
                [.text(projection.name)]
            )
            guard let position = try rebuilt.first?.int64(0) else { throw RebuildInterrupted() }
            let end = try await catchUp(from: position, to: target, in: transaction)
            _ = try await transaction.execute(Self.forget, [.text(projection.name)])
            try await transaction.script(
                """
                ALTER SCHEMA \(projection.liveSchema) RENAME TO \(projection.retiredSchema);
                ALTER SCHEMA \(projection.rebuildSchema) RENAME TO \(projection.liveSchema);
                """
            )
            _ = try await transaction.execute(
                """
                UPDATE projection.checkpoints
                SET position = $2, version = $3, fault = NULL, fault_position = NULL, updated_at = now()
                WHERE name = $1 AND is_live
                """,
                [.text(projection.name), .int64(end), .int32(Int32(projection.version))]
            )
        }
    }

    /// Drops the tables of an earlier swap once nothing reads them any more.
    private func dropRetired() async throws {
        while true {
            do {
                return try await pool.withTransaction { transaction in
                    // Far below the server's deadlock timeout, so that a reader is never the one that is cancelled.
                    try await transaction.script(
                        "SET LOCAL lock_timeout = '100ms'; DROP SCHEMA IF EXISTS \(projection.retiredSchema) CASCADE"
                    )
                }
            } catch let error as PostgresError where error.sqlState == SQLState.lockNotAvailable {
                try Task.checkCancellation()
            }
        }
    }

    /// Runs `body` while no other rebuild runs, in this process or another, because a rebuild uses all processors. A
    /// waiting rebuild holds only one connection.
    func alone<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let key: [PostgresValue] = [.text("rebuild")]
        return try await pool.withConnection { connection in
            _ = try await connection.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", key)
            let result: Result
            do {
                result = try await body()
            } catch {
                await release(key, on: connection)
                throw error
            }
            await release(key, on: connection)
            return result
        }
    }

    private func release(_ key: [PostgresValue], on connection: PostgresConnection) async {
        do {
            // A separate task, so that it also runs when this one is cancelled: the connection returns to the pool.
            try await Task { _ = try await connection.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", key) }
                .value
        } catch {
            await connection.close()
        }
    }
}

/// Another rebuild of the same projection ran in between, or the live position moved unexpectedly.
package struct RebuildInterrupted: Error, Hashable {}
