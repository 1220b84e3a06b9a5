package import Postgres

/// Compares the money of each payment with its lines. The net of a payment is that of its lines, and each line is in at
/// most one batch, so the nets of all batches and of the lines in none add up to those of all payments (I7).
package struct MoneyIdentity: Sendable {
    /// The largest number of payments reported.
    static let limit = 1000

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// One payment whose net differs from that of its lines.
    package struct Breach: Sendable, Hashable {
        /// The position of its last event.
        package var position: Int64
        package var detail: String
    }

    /// - Returns: Nil while the two read models are at different positions and cannot be compared.
    /// - Throws: `PostgresError`.
    package func breaches() async throws -> [Breach]? {
        let installed = try await pool.query(
            "SELECT count(*) = 2 FROM projection.checkpoints WHERE is_live AND name IN ('transactions', 'batches')",
            []
        )
        guard try installed.first?.bool(0) == true else { return [] }
        let rows = try await pool.query(
            EmbeddedFiles.moneyIdentityBreaches_sql,
            [.int64(Int64(Self.limit))]
        )
        guard let first = rows.first, try first.boolOrNull(0) == true else { return nil }
        return try rows.compactMap { row in
            guard let position = try row.int64OrNull(1) else { return nil }
            let what =
                try row.int64OrNull(5) ?? 0 > 0
                ? "has a line in two batches"
                : "has a net of \(try row.text(3)), and lines of \(try row.text(4))"
            return Breach(position: position, detail: "payment \(try row.text(2)) \(what)")
        }
    }
}
