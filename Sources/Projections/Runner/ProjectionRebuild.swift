package import EventLog
package import Postgres

/// Builds a read model again from the log, beside the live one, and swaps it in when it has caught up.
package struct ProjectionRebuild: Sendable {
    /// What a rebuild found.
    package struct Report: Sendable, Hashable {
        package var name: String
        package var events: Int64
        /// Of the rows readers saw before.
        package var liveDigest: String
        package var rebuiltDigest: String
        /// False when the digests differ although the rules are the same: then the live rows stay, and what was
        /// rebuilt stays beside them, in the schema `read_<name>_rebuild`, for comparison.
        package var isSwapped: Bool
    }

    let projection: any Projection
    let pool: PostgresPool
    let reader: EventReader
    let store: ProjectionStore
    private let runs: LogRuns

    package init(projection: any Projection, pool: PostgresPool, reader: EventReader) {
        self.projection = projection
        self.pool = pool
        self.reader = reader
        self.store = ProjectionStore(projection: projection, pool: pool)
        runs = LogRuns(reader: reader, limit: 1000)
    }

    /// Rebuilds. Reads go on; the live model stands still only while the last steps are compared. A second rebuild
    /// of the same projection waits for the first. Takes three connections of the pool at a time.
    ///
    /// - Parameters:
    ///   - force: Swap even when the digests differ: the live rows are known to be wrong.
    ///   - progress: Told how many of how many events have been applied.
    /// - Throws: `UnappliedEvent`, `GapInLog`, `RebuildInterrupted`, `PostgresError`; the live rows stay then.
    package func run(
        force: Bool = false,
        progress: @Sendable (_ applied: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> Report {
        try await store.install()
        return try await alone { try await rebuild(force: force, progress: progress) }
    }

    /// Rebuilds if the live rows were made by older rules, and nobody else has done so meanwhile.
    func upgrade() async throws {
        try await alone {
            guard let installed = try await store.installedVersion(), installed < projection.version else { return }
            _ = try await rebuild(force: false, progress: { _, _ in })
        }
    }

    static let forget = "DELETE FROM projection.checkpoints WHERE name = $1 AND NOT is_live"

    private func rebuild(
        force: Bool,
        progress: @Sendable (_ applied: Int64, _ of: Int64) -> Void
    ) async throws -> Report {
        try await begin()
        let report: Report
        do {
            try await catchUp(to: try await target(), progress: progress)
            // The second round takes what came in during the first; what is left after it is little.
            try await catchUp(to: try await target(), progress: { _, _ in })
            report = try await finish(force: force)
        } catch {
            // Otherwise the read model would be called under rebuild until the next one.
            _ = try? await pool.execute(Self.forget, [.text(projection.name)])
            throw error
        }
        // What cannot be dropped now is dropped before the next rebuild.
        if report.isSwapped { try? await dropRetired() }
        return report
    }

    /// How far to build. As far as the live rows go, so that they can be compared; rows by other rules cannot, and are
    /// overtaken.
    private func target() async throws -> Int64 {
        guard let live = try await store.checkpoint(isLive: true) else { throw RebuildInterrupted() }
        return live.version == projection.version ? live.position : max(live.position, try await reader.head())
    }

    func begin() async throws {
        try await dropRetired()
        try await pool.withTransaction { transaction in
            try await transaction.script("DROP SCHEMA IF EXISTS \(projection.rebuildSchema) CASCADE")
            try await store.create(schema: projection.rebuildSchema, in: transaction)
            _ = try await transaction.execute(
                """
                INSERT INTO projection.checkpoints (name, is_live, version, position) VALUES ($1, false, $2, 0)
                ON CONFLICT (name, is_live) DO UPDATE SET version = excluded.version, position = 0, updated_at = now()
                """,
                [.text(projection.name), .int32(Int32(projection.version))]
            )
        }
    }

    func catchUp(to target: Int64, progress: @Sendable (Int64, Int64) -> Void) async throws {
        var position = try await store.position(isLive: false)
        while position < target {
            guard let run = try await runs.run(after: position, upTo: target),
                try await store.advance(run, of: runs, isLive: false)
            else { throw RebuildInterrupted() }
            position = run.end
            progress(position, target)
        }
    }

    /// Applies what is left up to `target` within the transaction that compares the rows.
    ///
    /// - Returns: How far the rebuilt rows then go.
    func catchUp(
        from position: Int64,
        to target: Int64,
        in transaction: borrowing PostgresTransaction
    ) async throws -> Int64 {
        var position = position
        while position < target {
            guard let run = try await runs.run(after: position, upTo: target) else { throw RebuildInterrupted() }
            try await store.apply(run, to: projection.rebuildSchema, in: transaction)
            position = run.end
        }
        return position
    }

    private func finish(force: Bool) async throws -> Report {
        try await pool.withTransaction { transaction in
            // Holds the live model still: its runner waits for this row.
            let live = try await transaction.query(
                "SELECT position, version FROM projection.checkpoints WHERE name = $1 AND is_live FOR UPDATE",
                [.text(projection.name)]
            )
            let rebuilt = try await transaction.query(
                "SELECT position FROM projection.checkpoints WHERE name = $1 AND NOT is_live FOR UPDATE",
                [.text(projection.name)]
            )
            guard let live = live.first, var position = try rebuilt.first?.int64(0) else { throw RebuildInterrupted() }
            let target = try live.int64(0)
            let isComparable = try live.int32(1) == Int32(projection.version)
            position = try await catchUp(from: position, to: target, in: transaction)
            // Nothing moves live rows back; if they are behind, they were put back, with the database or by hand.
            guard position == target || !isComparable else { throw RebuildInterrupted() }
            var report = Report(
                name: projection.name,
                events: position,
                liveDigest: try await store.digest(schema: projection.liveSchema, in: transaction),
                rebuiltDigest: try await store.digest(schema: projection.rebuildSchema, in: transaction),
                isSwapped: false
            )
            report.isSwapped = !isComparable || force || report.liveDigest == report.rebuiltDigest
            _ = try await transaction.execute(Self.forget, [.text(projection.name)])
            if report.isSwapped { try await swap(at: position, in: transaction) }
            return report
        }
    }

    /// Puts the rebuilt tables in the place of the live ones. Renaming takes no lock that a reader holds or waits for;
    /// who has begun to read goes on reading the old tables.
    private func swap(at position: Int64, in transaction: borrowing PostgresTransaction) async throws {
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
            [.text(projection.name), .int64(position), .int32(Int32(projection.version))]
        )
    }

    /// Drops the tables of a swap before this one, as soon as nobody reads them any more.
    private func dropRetired() async throws {
        while true {
            do {
                return try await pool.withTransaction { transaction in
                    // Far below the server's deadlock timeout: a reader must never be the one to give way.
                    try await transaction.script(
                        "SET LOCAL lock_timeout = '100ms'; DROP SCHEMA IF EXISTS \(projection.retiredSchema) CASCADE"
                    )
                }
            } catch let error as PostgresError where error.sqlState == SQLState.lockNotAvailable {
                try Task.checkCancellation()
            }
        }
    }

    /// Runs `body` while no other rebuild of the projection runs, in this process or another.
    func alone<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let key: [PostgresValue] = [.text("rebuild:\(projection.name)")]
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
            // Also in a cancelled task: the connection goes back to the pool.
            try await Task { _ = try await connection.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", key) }
                .value
        } catch {
            await connection.close()
        }
    }
}

/// Another rebuild of the same projection got in between, or the live rows did not stay where they were.
package struct RebuildInterrupted: Error, Hashable {}
