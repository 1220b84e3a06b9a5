package import Canonical
import Postgres

/// A payment in doubt, or one that awaits a reversal. Payments at a vendor's test system are left out: the gateway that
/// would be queried does not have them.
package struct OpenPayment: Sendable, Hashable {
    package var tenant: String
    package var transaction: UUID128

    package init(tenant: String, transaction: UUID128) {
        self.tenant = tenant
        self.transaction = transaction
    }
}

extension DoubtQuery {
    /// The payments among them that are open, of any tenant.
    package func open(among payments: [OpenPayment]) async throws -> [OpenPayment] {
        let rows = try await pool.query(
            """
            SELECT t.tenant, t.id FROM read_transactions.transactions t
            JOIN unnest($1::text[], $2::uuid[]) AS d (tenant, id) ON t.tenant = d.tenant AND t.id = d.id
            WHERE (t.in_doubt OR t.awaits_reversal) AND NOT t.test
            """,
            [.textArray(payments.map(\.tenant)), .uuidArray(payments.map(\.transaction))]
        )
        return try rows.map { OpenPayment(tenant: try $0.text(0), transaction: try $0.uuid(1)) }
    }

    /// Up to `limit` payments of all tenants whose request was sent to the host and not answered, the oldest first.
    ///
    /// - Parameter time: Only payments whose first event was recorded before this time.
    package func silent(recordedBefore time: Timestamp, limit: Int) async throws -> [OpenPayment] {
        let rows = try await pool.query(
            """
            SELECT tenant, id FROM read_transactions.transactions
            WHERE awaits_answer AND NOT test AND recorded_at < $1 ORDER BY recorded_at LIMIT $2
            """,
            [.timestamptz(time), .int64(Int64(limit))]
        )
        return try rows.map { OpenPayment(tenant: try $0.text(0), transaction: try $0.uuid(1)) }
    }

    /// Up to `limit` open payments of all tenants whose last event is after a position, each with its last position,
    /// in this order.
    package func open(
        changedAfter position: Int64,
        limit: Int
    ) async throws -> [(payment: OpenPayment, position: Int64)] {
        let rows = try await pool.query(
            """
            SELECT tenant, id, last_position FROM read_transactions.transactions
            WHERE (in_doubt OR awaits_reversal) AND NOT test AND last_position > $1 ORDER BY last_position LIMIT $2
            """,
            [.int64(position), .int64(Int64(limit))]
        )
        return try rows.map { row in
            (OpenPayment(tenant: try row.text(0), transaction: try row.uuid(1)), try row.int64(2))
        }
    }
}
