import Matching
package import Postgres

/// The open exceptions of one class and currency.
package struct OpenExceptions: Sendable, Hashable {
    /// An `ExceptionClass`.
    package var exceptionClass: String
    package var currency: String?
    package var count: Int64
    /// The amount in minor units, positive when the merchant receives the money; nil beyond 64 bits.
    package var amount: Int64?
}

/// Counts of a tenant's matched processor lines and movements.
package struct ExplainedCounts: Codable, Sendable, Hashable {
    /// Lines of money, without totals.
    package var lines: Int64
    package var matchedLines: Int64
    package var movements: Int64
    package var matchedMovements: Int64
}

/// Reads the read model `reconciliation`.
package struct ReconciliationQuery: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The open exceptions by class and currency.
    package func open(of tenant: String) async throws -> [OpenExceptions] {
        try await pool.query(
            """
            SELECT class, currency, count(*),
                CASE WHEN abs(sum(amount)) <= 9223372036854775807 THEN sum(amount)::int8 END
            FROM read_reconciliation.exceptions WHERE tenant = $1 AND status IN ('open', 'assigned', 'proposed')
            GROUP BY class, currency ORDER BY class, currency
            """,
            [.text(tenant)]
        ).map { row in
            OpenExceptions(
                exceptionClass: try row.text(0),
                currency: try row.textOrNull(1),
                count: try row.int64(2),
                amount: try row.int64OrNull(3)
            )
        }
    }

    /// The counts of matched lines and movements. Counts all rows, both sides at the same time: while links are recorded,
    /// one side may be newer than the other.
    package func counts(of tenant: String) async throws -> ExplainedCounts {
        async let lines = count(Self.lines, of: tenant)
        let movements = try await count(Self.movements, of: tenant)
        return ExplainedCounts(
            lines: try await lines.all,
            matchedLines: try await lines.matched,
            movements: movements.all,
            matchedMovements: movements.matched
        )
    }

    private func count(_ sql: String, of tenant: String) async throws -> (all: Int64, matched: Int64) {
        try await pool.withTransaction { transaction in
            // A million names fit into this memory, and JIT compilation takes longer than counting them.
            try await transaction.script("SET LOCAL work_mem = '128MB'; SET LOCAL jit = off")
            let row = try await transaction.query(sql, [.text(tenant)]).single()
            return (try row.int64(0), try row.int64(1))
        }
    }

    private static let lines = """
        SELECT
            (SELECT count(*) FROM read_statements.lines l WHERE tenant = $1 AND side = 'processor'
                AND role <> 'total' AND \(MovingLines.moves("l"))
                AND type IN ('sale', 'capture', 'refund', 'refund-reversal') AND \(CountedLines.condition("l"))),
            (SELECT count(*) FROM (
                SELECT DISTINCT line FROM read_reconciliation.links
                WHERE tenant = $1 AND until IS NULL AND rule <> '\(MatchingRule.chargeback)'
            ) AS l)
        """

    private static let movements = """
        SELECT
            (SELECT count(*) FROM read_movements.movements WHERE tenant = $1 AND type <> 'none'),
            (SELECT count(*) FROM (
                SELECT DISTINCT transaction, movement FROM read_reconciliation.links
                WHERE tenant = $1 AND until IS NULL AND rule <> '\(MatchingRule.chargeback)'
            ) AS m)
        """
}
