package import Canonical
package import Postgres

/// Reads the read model `receipts`.
package struct ReceiptQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The read models that a receipt is assembled from: its own, the one with the payment's merchant, and the one
    /// with the merchant's zone.
    package static let readModels = ["receipts", "transactions", "merchants"]

    /// The receipt of one payment of the tenant, in the zone of its merchant; nil when there is none.
    package func receipt(of transaction: UUID128, tenant: String) async throws -> Receipt? {
        let rows = try await pool.query(
            """
            SELECT r.receipt::text, m.zone FROM read_receipts.receipts r
            LEFT JOIN read_transactions.transactions t ON t.tenant = r.tenant AND t.id = r.id
            LEFT JOIN read_merchants.merchants m ON m.tenant = t.tenant AND m.merchant = t.merchant COLLATE "C"
            WHERE r.tenant = $1 AND r.id = $2
            """,
            [.text(tenant), .uuid(transaction)]
        )
        guard let row = rows.first else { return nil }
        var receipt = try JSONValueDecoder().decode(Receipt.self, from: JSONValue(parsing: row.text(0).utf8))
        receipt.zone = try row.textOrNull(1).flatMap { Zone($0) }
        return receipt
    }
}
