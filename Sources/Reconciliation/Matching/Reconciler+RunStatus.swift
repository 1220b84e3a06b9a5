package import Canonical
import EventLog
import Payments
import Postgres
import Projections

extension Reconciler {
    /// The wait for the read model when a run appears to be cut off.
    private static let waitLimit: Duration = .seconds(2)

    /// One run of the tenant, and whether a process executes it; nil when there is none.
    ///
    /// - Throws: `PostgresError`.
    package func run(_ id: UUID128, of tenant: String) async throws -> RunView? {
        let query = ReconciliationQuery(pool: pool)
        return try await withStatus(of: tenant) { [try await query.run(id, of: tenant)].compactMap(\.self) }.first
    }

    /// Up to `limit` runs, newest first, before the given position, and whether processes execute them.
    ///
    /// - Parameter moment: The position up to which events count; nil for the current state.
    /// - Throws: `PostgresError`.
    package func runs(
        of tenant: String,
        at moment: Int64? = nil,
        before position: Int64 = .max,
        limit: Int
    ) async throws -> [RunView] {
        let query = ReconciliationQuery(pool: pool)
        return try await withStatus(of: tenant) {
            try await query.runs(of: tenant, at: moment, before: position, limit: limit)
        }
    }

    /// Whether any process executes the run now.
    package func isHeld(_ run: UUID128) async throws -> Bool {
        try await pool.query(
            """
            SELECT EXISTS (
                SELECT FROM pg_locks
                WHERE locktype = 'advisory' AND objsubid = 1 AND granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    AND (classid::int8 << 32) | objid::int8 = hashtextextended($1, 0)
            )
            """,
            [.text(RunView.lock(of: run))]
        ).first?.bool(0) ?? false
    }

    /// Marks each unended run that was cut off: nothing holds its lock, and no end of it is in the log.
    private func withStatus(of tenant: String, _ read: () async throws -> [RunView]) async throws -> [RunView] {
        let found = try await read()
        var left: Set<UUID128> = []
        for run in found where run.isUnended {
            if try await !isHeld(run.id) { left.insert(run.id) }
        }
        guard !left.isEmpty else { return found }
        // The lock's holder records the end of the run before it releases the lock. The read model may not contain
        // that end yet.
        if let newest = try await newest(of: StreamName.reconciliation(of: tenant), tenant) {
            let isThere = try await readModels.wait(
                for: "reconciliation",
                toReach: newest.position,
                timeout: Self.waitLimit
            )
            // The missing events may include the end of the run, so the run is reported as running.
            guard isThere else { return found }
        }
        return try await read().map { run in
            var run = run
            if run.isUnended, left.contains(run.id) { run.isCutOff = true }
            return run
        }
    }
}
