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
        /// False when the digests differ although the rules are the same: then the live rows stay.
        package var isSwapped: Bool
    }

    private let projection: any Projection
    private let pool: PostgresPool
    private let reader: EventReader
    private let store: ProjectionStore

    package init(projection: any Projection, pool: PostgresPool, reader: EventReader) {
        self.projection = projection
        self.pool = pool
        self.reader = reader
        self.store = ProjectionStore(projection: projection, pool: pool)
    }

    /// Rebuilds. Reads go on; the live model stands still only while the last steps are compared.
    ///
    /// - Parameters:
    ///   - force: Swap even when the digests differ: the live rows are known to be wrong.
    ///   - progress: Told how many of how many events have been applied.
    package func run(
        force: Bool = false,
        progress: @Sendable (_ applied: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> Report {
        try await store.install()
        try await begin()
        let head = try await reader.head()
        try await catchUp(to: head, progress: progress)
        // The second round takes what came in during the first; what is left after it is little.
        try await catchUp(to: try await store.position(isLive: true), progress: { _, _ in })
        return try await finish(force: force)
    }

    private func begin() async throws {
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

    private func catchUp(to target: Int64, progress: @Sendable (Int64, Int64) -> Void) async throws {
        var position = try await store.position(isLive: false)
        while position < target {
            let events = try await reader.events(after: position, limit: Int(min(1000, target - position)))
            try Follower.check(events, follow: position)
            guard let last = events.last else { return }
            try await store.advance(events, from: position, isLive: false)
            position = last.position
            progress(position, target)
        }
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
            guard let live = live.first, let rebuilt = rebuilt.first else { throw RebuildInterrupted() }
            var target = try live.int64(0)
            var position = try rebuilt.int64(0)
            // A live model that is halted or behind is overtaken; one that is ahead is caught up with.
            let isComparable = try position <= target && live.int32(1) == Int32(projection.version)
            target = max(target, position)
            while position < target {
                let events = try await reader.events(after: position, limit: Int(min(1000, target - position)))
                try Follower.check(events, follow: position)
                guard let last = events.last else { throw RebuildInterrupted() }
                try await store.enter(projection.rebuildSchema, in: transaction)
                try await projection.apply(events, in: transaction)
                position = last.position
            }
            var report = Report(
                name: projection.name,
                events: position,
                liveDigest: try await store.digest(schema: projection.liveSchema, in: transaction),
                rebuiltDigest: try await store.digest(schema: projection.rebuildSchema, in: transaction),
                isSwapped: false
            )
            report.isSwapped = !isComparable || force || report.liveDigest == report.rebuiltDigest
            if report.isSwapped { try await swap(at: position, in: transaction) }
            return report
        }
    }

    private func swap(at position: Int64, in transaction: borrowing PostgresTransaction) async throws {
        try await transaction.script(
            """
            DROP SCHEMA \(projection.liveSchema) CASCADE;
            ALTER SCHEMA \(projection.rebuildSchema) RENAME TO \(projection.liveSchema);
            """
        )
        _ = try await transaction.execute(
            "DELETE FROM projection.checkpoints WHERE name = $1 AND NOT is_live",
            [.text(projection.name)]
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
}

/// The rebuild's checkpoint vanished, or the log has a hole: another rebuild of the same projection is running.
package struct RebuildInterrupted: Error, Hashable {}
