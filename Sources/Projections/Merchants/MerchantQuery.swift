package import Canonical
package import Postgres

/// The newest description of a merchant.
package struct MerchantView: Sendable, Hashable {
    package var merchant: String
    package var zone: String
    package var cutoff: String
    package var reason: String
    /// The position of the event with the description.
    package var position: Int64
    package var by: String
    package var at: Timestamp

    package init(
        merchant: String,
        zone: String,
        cutoff: String,
        reason: String,
        position: Int64,
        by: String,
        at: Timestamp
    ) {
        self.merchant = merchant
        self.zone = zone
        self.cutoff = cutoff
        self.reason = reason
        self.position = position
        self.by = by
        self.at = at
    }

    /// Whether this is the merchant that a payment or request names, compared as the read models store names.
    package func isOf(_ name: String) -> Bool { Array(merchant.storable.utf8) == Array(name.storable.utf8) }

    /// Its business day; nil when this build does not know the zone.
    package var day: BusinessDay? { BusinessDay(zone: zone, cutoff: cutoff) }
}

/// Reads the read model `merchants`.
package struct MerchantQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    private static let source = """
        SELECT merchant, zone, cutoff, reason, position, described_by, described_at FROM read_merchants.merchants
        """

    /// One merchant; nil when it has no description.
    package func merchant(_ name: String, of tenant: String) async throws -> MerchantView? {
        let sql = "\(Self.source) WHERE tenant = $1 AND merchant = $2"
        return try await pool.query(sql, [.text(tenant), .text(name.storable)]).first.map(MerchantView.init)
    }

    /// Whether the merchant has a description, or a payment or a line of a batch names it.
    package func isKnown(_ name: String, of tenant: String) async throws -> Bool {
        try await pool.query(
            """
            SELECT EXISTS (SELECT FROM read_merchants.merchants WHERE tenant = $1 AND merchant = $2)
                OR EXISTS (SELECT FROM read_transactions.transactions WHERE tenant = $1 AND merchant = $2)
                OR EXISTS (SELECT FROM read_batches.members WHERE tenant = $1 AND merchant = $2)
            """,
            [.text(tenant), .text(name.storable)]
        ).first?.bool(0) ?? false
    }

    /// Up to `limit` merchants after the given one, by name.
    package func merchants(of tenant: String, after name: String? = nil, limit: Int) async throws -> [MerchantView] {
        let sql = "\(Self.source) WHERE tenant = $1 AND merchant > $2 ORDER BY merchant LIMIT $3"
        return try await pool.query(sql, [.text(tenant), .text(name ?? ""), .int64(Int64(limit))])
            .map(MerchantView.init)
    }
}

extension MerchantView {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            merchant: try row.text(0),
            zone: try row.text(1),
            cutoff: try row.text(2),
            reason: try row.text(3),
            position: try row.int64(4),
            by: try row.text(5),
            at: try row.timestamp(6)
        )
    }
}
