import Crypto
import EventLog
package import Postgres

/// The tables and the checkpoint of one projection.
package struct ProjectionStore: Sendable {
    /// The checkpoint of a set of tables.
    struct Checkpoint: Hashable {
        var position: Int64
        /// The version of the rules that made the rows.
        var version: Int
        /// The event after `position` cannot be applied. Nothing moves until an operator has removed the fault.
        var isHalted: Bool
        /// The model is rebuilt beside these rows.
        var isRebuilding = false
    }

    let projection: any Projection
    let pool: PostgresPool

    package init(projection: any Projection, pool: PostgresPool) {
        self.projection = projection
        self.pool = pool
    }

    /// Creates the live tables if they do not exist yet. Safe to call from several processes at once.
    package func install() async throws {
        try await pool.withTransaction { transaction in
            _ = try await transaction.query(
                "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
                [.text("projection:\(projection.name)")]
            )
            let rows = try await transaction.query(
                "SELECT version FROM projection.checkpoints WHERE name = $1 AND is_live",
                [.text(projection.name)]
            )
            guard rows.isEmpty else { return }
            try await create(schema: projection.liveSchema, in: transaction)
            _ = try await transaction.execute(
                """
                INSERT INTO projection.checkpoints (name, is_live, version, position) VALUES ($1, true, $2, 0)
                """,
                [.text(projection.name), .int32(Int32(projection.version))]
            )
        }
    }

    /// The position of the rows; 0 before the first step.
    package func position(isLive: Bool) async throws -> Int64 {
        try await checkpoint(isLive: isLive)?.position ?? 0
    }

    /// The version of the rules that made the live rows; nil before the first installation.
    package func installedVersion() async throws -> Int? {
        try await checkpoint(isLive: true)?.version
    }

    func checkpoint(isLive: Bool) async throws -> Checkpoint? {
        try await Self.checkpoints(of: [projection.name], isLive: isLive, pool)[projection.name]
    }

    /// The checkpoints of read models, by name. Those that are not installed are missing.
    static func checkpoints(
        of names: [String],
        isLive: Bool = true,
        _ pool: PostgresPool
    ) async throws -> [String: Checkpoint] {
        let rows = try await pool.query(
            """
            SELECT k.name, k.position, k.version, k.fault IS NOT NULL, r.name IS NOT NULL
              FROM projection.checkpoints k
              LEFT JOIN projection.checkpoints r ON r.name = k.name AND NOT r.is_live
             WHERE k.name = ANY ($1) AND k.is_live = $2
            """,
            [.textArray(names), .bool(isLive)]
        )
        var found: [String: Checkpoint] = [:]
        for row in rows {
            found[try row.text(0)] = Checkpoint(
                position: try row.int64(1),
                version: Int(try row.int32(2)),
                isHalted: try row.bool(3),
                isRebuilding: try row.bool(4)
            )
        }
        return found
    }

    /// Applies a run and moves the checkpoint. When one of its events cannot be applied, the earlier ones are still
    /// applied.
    ///
    /// - Returns: False when another process was faster, so that not all events were applied here.
    /// - Throws: `UnappliedEvent` when an event cannot be read or its rows cannot be stored; `PostgresError`.
    func advance(_ run: LogRun, of runs: LogRuns, isLive: Bool) async throws -> Bool {
        do {
            return try await advanceWhole(run, isLive: isLive)
        } catch let error as UnappliedEvent {
            guard run.events.count > 1 else { throw error }
        }
        for event in run.events {
            guard try await advanceWhole(runs.run(of: event), isLive: isLive) else { return false }
        }
        return true
    }

    /// Applies the whole run in one transaction with the checkpoint, or nothing.
    private func advanceWhole(_ run: LogRun, isLive: Bool) async throws -> Bool {
        try await pool.withTransaction { transaction in
            // The rows can be rebuilt from the log, so they need not be flushed here. The next commit of an append
            // flushes them.
            try await transaction.script("SET LOCAL synchronous_commit = off")
            // This update comes first, so that a process that loses the race waits here and applies nothing. Rows
            // made by other rules are left to the build with those rules.
            let moved = try await transaction.execute(
                """
                UPDATE projection.checkpoints SET position = $4, fault = NULL, fault_position = NULL, updated_at = now()
                WHERE name = $1 AND is_live = $2 AND position = $3 AND version = $5
                """,
                [
                    .text(projection.name), .bool(isLive), .int64(run.start), .int64(run.end),
                    .int32(Int32(projection.version)),
                ]
            )
            guard moved == 1 else { return false }
            try await enter(isLive ? projection.liveSchema : projection.rebuildSchema, in: transaction)
            try await projection.applied(run, in: transaction)
            return true
        }
    }

    /// The digest of the live tables: SHA-256 over the SHA-256 of every row in the order of the primary keys, in
    /// hexadecimal.
    package func digest() async throws -> String {
        try await digest(schema: projection.liveSchema)
    }

    /// The digest of the tables in a schema.
    ///
    /// - Parameter snapshot: The exported snapshot of an open transaction, to read the rows in.
    func digest(schema: String, snapshot: String? = nil) async throws -> String {
        try await pool.withTransaction(isolation: .repeatableRead, readOnly: true) { transaction in
            if let snapshot { try await transaction.script("SET TRANSACTION SNAPSHOT '\(snapshot)'") }
            try await enter(schema, in: transaction)
            let hasher = RowHasher()
            for table in projection.contents {
                let key = table.key.joined(separator: ", ")
                hasher.add(Array("\(table.name) (\(key))".utf8))
                // The server hashes the rows, which reduces the transferred data to a fiftieth. It hashes their
                // binary form, because the text form of times depends on session settings.
                let rows = "SELECT sha256(record_send(t)) FROM \(table.name) t ORDER BY \(key)"
                try await transaction.copyOut("COPY (\(rows)) TO STDOUT (FORMAT binary)") { hasher.add($0) }
            }
            return hasher.finish()
        }
    }

    /// Drops the secondary indexes of new tables that `apply` does not need.
    ///
    /// - Returns: The definitions of the dropped indexes.
    func dropIndexes(schema: String, in transaction: borrowing PostgresTransaction) async throws -> [String] {
        let rows = try await transaction.query(
            """
            SELECT c.relname::text, pg_get_indexdef(c.oid)
              FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = $1 AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid)
             ORDER BY c.relname
            """,
            [.text(schema)]
        )
        var definitions: [String] = []
        for row in rows where try !projection.neededIndexes.contains(row.text(0)) {
            try await transaction.script("DROP INDEX \(schema).\(try row.text(0))")
            definitions.append(try row.text(1))
        }
        return definitions
    }

    func create(schema: String, in transaction: borrowing PostgresTransaction) async throws {
        try await transaction.script("CREATE SCHEMA \(schema); SET LOCAL search_path TO \(schema);")
        try await transaction.script(projection.definition)
    }

    func enter(_ schema: String, in transaction: borrowing PostgresTransaction) async throws {
        try await transaction.script("SET LOCAL search_path TO \(schema)")
    }
}
