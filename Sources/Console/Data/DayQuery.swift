import Canonical
import Postgres

/// What the payments of a span of time add up to.
struct DayQuery: Sendable {
    /// Payments of one hour, currency and status.
    struct Line: Sendable, Hashable {
        /// Hours since the beginning of the span.
        var hour: Int
        var status: String
        /// Nil for payments of which no amount is known.
        var currency: String?
        var count: Int64
        /// Minor units: what was captured or credited, else authorised, else requested.
        var amount: Int64
    }

    private let pool: PostgresPool

    init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The payments that began from `start` to `end`.
    func lines(of tenant: String, from start: Timestamp, to end: Timestamp) async throws -> [Line] {
        let rows = try await pool.query(
            """
            SELECT floor(extract(epoch FROM t.occurred_at - $2) / 3600)::int4, t.status, t.currency, count(*),
                   least(coalesce(sum(t.amount), 0), 9223372036854775807)::int8
            FROM read_transactions.transactions t
            WHERE t.tenant = $1 AND t.occurred_at >= $2 AND t.occurred_at < $3
            GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            """,
            [.text(tenant), .timestamptz(start), .timestamptz(end)]
        )
        return try rows.map { row in
            Line(
                hour: Int(try row.int32(0)),
                status: try row.text(1),
                currency: try row.textOrNull(2),
                count: try row.int64(3),
                amount: try row.int64(4)
            )
        }
    }

    /// How many payments are in doubt, and how many are anomalous; each is counted to `limit` only.
    func attention(of tenant: String, limit: Int64) async throws -> (inDoubt: Int64, anomalous: Int64) {
        let rows = try await pool.query(
            """
            SELECT (SELECT count(*) FROM (SELECT FROM read_transactions.transactions t
                                          WHERE t.tenant = $1 AND t.in_doubt LIMIT $2) d),
                   (SELECT count(*) FROM (SELECT FROM read_transactions.transactions t
                                          WHERE t.tenant = $1 AND t.anomalous LIMIT $2) a)
            """,
            [.text(tenant), .int64(limit)]
        )
        guard let row = rows.first else { return (0, 0) }
        return (try row.int64(0), try row.int64(1))
    }
}
