package import Canonical
package import Postgres

/// A receipt as the read model `receipts` has it.
package struct StoredReceipt: Sendable, Hashable {
    /// The version of its newest event.
    package var version: Int64
    /// The receipt without its zone, as JSON.
    package var json: String
    /// The zone of the payment's merchant; nil when it is unknown.
    package var zone: Zone?

    /// - Throws: The errors of reading JSON.
    package func receipt() throws -> Receipt {
        var receipt = try JSONValueDecoder().decode(Receipt.self, from: JSONValue(parsing: json.utf8))
        receipt.zone = zone
        return receipt
    }
}

extension StoredReceipt {
    /// The receipt as the read model would have it.
    package init(_ receipt: Receipt) throws {
        var stored = receipt
        stored.zone = nil
        self.init(version: receipt.version, json: try stored.jsonValue().text, zone: receipt.zone)
    }
}

/// Reads the read model `receipts`.
package struct ReceiptQuery: Sendable {
    private let gathered: GatheredRead<PaymentKey, StoredReceipt>

    package init(pool: PostgresPool) {
        gathered = GatheredRead { try await Self.read($0, pool) }
    }

    /// The read models that a receipt is assembled from: its own, the one with the payment's merchant, and the one
    /// with the merchant's zone.
    package static let readModels = ["receipts", "transactions", "merchants"]

    /// The receipt of one payment of the tenant, in the zone of its merchant; nil when there is none.
    package func receipt(of transaction: UUID128, tenant: String) async throws -> Receipt? {
        try await stored(of: transaction, tenant: tenant)?.receipt()
    }

    /// The same, not decoded yet.
    package func stored(of transaction: UUID128, tenant: String) async throws -> StoredReceipt? {
        try await gathered.value(of: PaymentKey(tenant: tenant, id: transaction))
    }

    private static func read(_ keys: [PaymentKey], _ pool: PostgresPool) async throws -> [PaymentKey: StoredReceipt] {
        let rows = try await pool.query(statement, PaymentKey.parameters(keys))
        var merchants: [String: Set<String>] = [:]
        for row in rows {
            if let merchant = try row.textOrNull(4) { merchants[try row.text(0), default: []].insert(merchant) }
        }
        let query = MerchantQuery(pool: pool)
        var zones: [String: [String: Zone]] = [:]
        for (tenant, names) in merchants { zones[tenant] = try await query.zones(of: Array(names), tenant: tenant) }
        var receipts: [PaymentKey: StoredReceipt] = [:]
        for row in rows {
            let tenant = try row.text(0)
            receipts[PaymentKey(tenant: tenant, id: try row.uuid(1))] = StoredReceipt(
                version: try row.int64(2),
                json: try row.text(3),
                zone: try row.textOrNull(4).flatMap { zones[tenant]?[$0] }
            )
        }
        return receipts
    }

    static let statement = """
        SELECT k.tenant, k.id, r.version, r.receipt::text, r.merchant FROM \(PaymentKey.relation), LATERAL (
            SELECT r.version, r.receipt, t.merchant FROM read_receipts.receipts r
            LEFT JOIN read_transactions.transactions t ON t.tenant = r.tenant AND t.id = r.id
            WHERE r.tenant = k.tenant AND r.id = k.id LIMIT 1
        ) r
        """
}
