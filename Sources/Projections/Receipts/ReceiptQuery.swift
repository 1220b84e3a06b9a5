package import Canonical
package import Postgres

/// Reads the read model `receipts`.
package struct ReceiptQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The receipt of one payment of the tenant; nil when there is none.
    package func receipt(of transaction: UUID128, tenant: String) async throws -> Receipt? {
        let rows = try await pool.query(
            "SELECT receipt::text FROM read_receipts.receipts WHERE tenant = $1 AND id = $2",
            [.text(tenant), .uuid(transaction)]
        )
        guard let row = rows.first else { return nil }
        return try JSONValueDecoder().decode(Receipt.self, from: JSONValue(parsing: row.text(0).utf8))
    }
}
