package import EventLog
package import Postgres

/// Builds a read model again from the log, beside the live one, and swaps it in when it has caught up.
package struct ProjectionRebuild: Sendable {
    /// What a rebuild found.
    package struct Report: Sendable, Hashable {
        package var name: String
        /// How many are in the rows that were compared.
        package var events: Int64
        /// Of the rows readers saw before; nil when they were made by other rules, and cannot be compared.
        package var liveDigest: String?
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
    private let clock: any Clock<Duration>

    /// - Parameter clock: By which it rests while somebody appends.
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

    /// Rebuilds. Reads go on, and so does the live model but for two moments: while what it has is caught up with to be
    /// compared, and while the tables are swapped. Another rebuild waits for this one. Takes six connections of the pool
    /// at a time.
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
        let indexes = try await begin()
        var report: Report
        do {
            try await catchUp(to: try await target(), progress: progress)
            try await make(indexes)
            // The second round takes what came in during the first; what is left after it is little.
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

    /// Makes the tables, without the secondary indexes that are made later.
    ///
    /// - Returns: The definitions of these.
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

    /// Makes indexes of the rebuilt tables, and lets the planner know what is in them.
    private func make(_ indexes: [String]) async throws {
        try await pool.withTransaction { transaction in
            try await transaction.script("SET LOCAL maintenance_work_mem = '128MB'")
            for index in indexes { try await transaction.script(index) }
            for table in projection.contents {
                try await transaction.script("ANALYZE \(projection.rebuildSchema).\(table.name)")
            }
        }
    }

    /// Three things go on at once: a run is written, the next one is folded, and the one after that is read.
    func catchUp(to target: Int64, progress: @Sendable (Int64, Int64) -> Void = { _, _ in }) async throws {
        let position = try await store.position(isLive: false)
        guard position < target else { return }
        var page = try await runs.page(after: position, upTo: target)
        var folded: LogRun?
        var pace = RebuildPace(reader: reader, clock: clock)
        while !page.isEmpty || folded != nil {
            let (current, run) = (page, folded)
            let end = current.last?.position ?? target
            async let nextPage = runs.page(after: end, upTo: target, following: current)
            async let nextRun = current.isEmpty ? nil : runs.run(of: current)
            if let run {
                guard try await store.advance(run, of: runs, isLive: false) else { throw RebuildInterrupted() }
                progress(run.end, target)
            }
            (page, folded) = (try await nextPage, try await nextRun)
            try await pace.giveWay()
        }
        guard try await store.position(isLive: false) == target else { throw RebuildInterrupted() }
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

    /// Digests both sets of rows, as they are at a moment when they contain the same events. The live model goes on
    /// while they are read.
    private func compared() async throws -> Report {
        try await pool.withTransaction(isolation: .repeatableRead, readOnly: true) { moment in
            let (position, isComparable, snapshot) = try await pool.withTransaction { transaction in
                let (target, isComparable) = try await holdLive(in: transaction)
                try await catchUp(to: target)
                let position = try await store.position(isLive: false)
                // Nothing moves live rows back; if they are behind, they were put back, with the database or by hand.
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

    /// Holds the live model still until the transaction ends: its runner waits for this row.
    ///
    /// - Returns: Where it stands, and whether its rows were made by this build's rules.
    private func holdLive(in transaction: borrowing PostgresTransaction) async throws -> (Int64, Bool) {
        let live = try await transaction.query(
            "SELECT position, version FROM projection.checkpoints WHERE name = $1 AND is_live FOR UPDATE",
            [.text(projection.name)]
        )
        guard let live = live.first else { throw RebuildInterrupted() }
        return (try live.int64(0), try live.int32(1) == Int32(projection.version))
    }

    /// Puts the rebuilt tables in the place of the live ones, with everything the live ones have. Renaming takes no lock
    /// that a reader holds or waits for; who has begun to read goes on reading the old tables.
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

    /// Runs `body` while no other rebuild runs, in this process or another: one takes all the processors there are, and
    /// who waits for its turn holds no more than a connection.
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
