package import Canonical
import EventLog
import Payments
import Postgres
package import Projections

extension Reconciler {
    /// How long to wait for the read model where a run seems to have been cut off.
    private static let waitLimit: Duration = .seconds(2)

    /// One run of the tenant, and whether anybody is at it; nil when there is none.
    ///
    /// - Throws: `PostgresError`.
    package func run(_ id: UUID128, of tenant: String) async throws -> RunView? {
        let query = ReconciliationQuery(pool: pool)
        return try await role(of: tenant) { [try await query.run(id, of: tenant)].compactMap(\.self) }.first
    }

    /// Up to `limit` runs, newest first, before the given position, and whether anybody is at them.
    ///
    /// - Parameter moment: As they were when everything up to this position was in; nil for now.
    /// - Throws: `PostgresError`.
    package func runs(
        of tenant: String,
        at moment: Int64? = nil,
        before position: Int64 = .max,
        limit: Int
    ) async throws -> [RunView] {
        let query = ReconciliationQuery(pool: pool)
        return try await role(of: tenant) {
            try await query.runs(of: tenant, at: moment, before: position, limit: limit)
        }
    }

    /// Whether anybody is at a run now, in whatever process.
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

    /// Says of each run that has not ended whether it was cut off: nobody holds its lock, and no end of it is in the log.
    private func role(of tenant: String, _ read: () async throws -> [RunView]) async throws -> [RunView] {
        let found = try await read()
        var left: Set<UUID128> = []
        for run in found where run.isUnended {
            if try await !isHeld(run.id) { left.insert(run.id) }
        }
        guard !left.isEmpty else { return found }
        // Whoever had the lock told the end of the run before letting it go: the read model may not know it yet.
        if let newest = try await newest(of: StreamName.reconciliation(of: tenant), tenant) {
            let isThere = try await readModels.wait(
                for: "reconciliation",
                toReach: newest.position,
                timeout: Self.waitLimit
            )
            // What it does not know yet may be the end of the run: then it goes on as far as anybody can read.
            guard isThere else { return found }
        }
        return try await read().map { run in
            var run = run
            if run.isUnended, left.contains(run.id) { run.isCutOff = true }
            return run
        }
    }
}
