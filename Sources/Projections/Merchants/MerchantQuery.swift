package import Canonical
package import Postgres

/// What was said last about a merchant.
package struct MerchantView: Sendable, Hashable {
    package var merchant: String
    package var zone: String
    package var cutoff: String
    package var reason: String
    /// Of the event that said so.
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

    /// Whether it is the merchant a payment or a request names, as the read models tell merchants apart.
    package func isOf(_ name: String) -> Bool { Array(merchant.storable.utf8) == Array(name.storable.utf8) }

    /// Its business day; nil where this build does not know the zone.
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

    /// One merchant; nil when nobody has described it.
    package func merchant(_ name: String, of tenant: String) async throws -> MerchantView? {
        let sql = "\(Self.source) WHERE tenant = $1 AND merchant = $2"
        return try await pool.query(sql, [.text(tenant), .text(name.storable)]).first.map(MerchantView.init)
    }

    /// Whether anybody has described the merchant, or a payment, money of one, or a processor's statement that counts names it.
    package func isKnown(_ name: String, of tenant: String) async throws -> Bool {
        try await pool.query(
            """
            SELECT EXISTS (SELECT FROM read_merchants.merchants WHERE tenant = $1 AND merchant = $2)
                OR EXISTS (SELECT FROM read_transactions.transactions WHERE tenant = $1 AND merchant = $2)
                OR EXISTS (SELECT FROM read_batches.members WHERE tenant = $1 AND merchant = $2)
                OR EXISTS (
                    SELECT FROM read_statements.reach r
                    JOIN read_statements.statements f ON f.tenant = r.tenant AND f.id = r.statement
                    WHERE r.tenant = $1 AND r.merchant = $2 AND \(CountedLines.holds("f"))
                )
            """,
            [.text(tenant), .text(name.storable)]
        ).first?.bool(0) ?? false
    }

    /// Up to `limit` merchants by name, after the given one.
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
