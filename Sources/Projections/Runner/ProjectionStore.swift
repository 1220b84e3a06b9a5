import Crypto
import EventLog
package import Postgres

/// The tables and the checkpoint of one projection.
package struct ProjectionStore: Sendable {
    let projection: any Projection
    let pool: PostgresPool

    package init(projection: any Projection, pool: PostgresPool) {
        self.projection = projection
        self.pool = pool
    }

    /// Makes the live tables when they do not exist yet. Safe to call from several processes at once.
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

    /// How far the rows have come; 0 before the first step.
    package func position(isLive: Bool) async throws -> Int64 {
        let rows = try await pool.query(
            "SELECT position FROM projection.checkpoints WHERE name = $1 AND is_live = $2",
            [.text(projection.name), .bool(isLive)]
        )
        return try rows.first?.int64(0) ?? 0
    }

    /// The version of the rules the live rows were made by; nil before the first installation.
    package func installedVersion() async throws -> Int? {
        let rows = try await pool.query(
            "SELECT version FROM projection.checkpoints WHERE name = $1 AND is_live",
            [.text(projection.name)]
        )
        return try rows.first.map { Int(try $0.int32(0)) }
    }

    /// Applies events and moves the checkpoint in one transaction. When another process was quicker, nothing is
    /// applied.
    func advance(_ events: [RecordedEvent], from position: Int64, isLive: Bool) async throws {
        guard let last = events.last else { return }
        try await pool.withTransaction { transaction in
            // First, so that whoever loses the race waits here and applies nothing.
            let moved = try await transaction.execute(
                """
                UPDATE projection.checkpoints SET position = $4, fault = NULL, fault_position = NULL, updated_at = now()
                WHERE name = $1 AND is_live = $2 AND position = $3
                """,
                [.text(projection.name), .bool(isLive), .int64(position), .int64(last.position)]
            )
            guard moved == 1 else { return }
            try await enter(isLive ? projection.liveSchema : projection.rebuildSchema, in: transaction)
            try await projection.apply(events, in: transaction)
        }
    }

    /// SHA-256 over every row in the order of the primary keys, in hexadecimal.
    package func digest() async throws -> String {
        try await pool.withTransaction { transaction in
            try await digest(schema: projection.liveSchema, in: transaction)
        }
    }

    func digest(schema: String, in transaction: borrowing PostgresTransaction) async throws -> String {
        try await enter(schema, in: transaction)
        let hasher = RowHasher()
        for query in projection.contents {
            hasher.add(query)
            for row in try await transaction.query(query) { hasher.add(try row.text(0)) }
        }
        return hasher.finish()
    }

    func create(schema: String, in transaction: borrowing PostgresTransaction) async throws {
        try await transaction.script("CREATE SCHEMA \(schema); SET LOCAL search_path TO \(schema);")
        try await transaction.script(projection.definition)
    }

    func enter(_ schema: String, in transaction: borrowing PostgresTransaction) async throws {
        try await transaction.script("SET LOCAL search_path TO \(schema)")
    }
}
