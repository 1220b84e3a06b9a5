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
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    private static let source = """
        SELECT merchant, zone, cutoff, reason, position, described_by, described_at FROM read_merchants.merchants
        """

    /// The newest description of a merchant under any of its names; nil when there is none.
    ///
    /// - Parameter position: The position up to which payments link names; nil for all.
    package func merchant(_ name: String, of tenant: String, at position: Int64? = nil) async throws -> MerchantView? {
        let names = [name] + (try await others(of: name, tenant: tenant, at: position))
        return try await newest([names], of: tenant)[0]
    }

    /// The newest description of each merchant under any of these names; nil when there is none.
    private func newest(_ merchants: [[String]], of tenant: String) async throws -> [MerchantView?] {
        let sql = "\(Self.source) WHERE tenant = $1 AND merchant = ANY ($2::text[])"
        let names = merchants.joined().map(\.storable)
        let found = try await pool.query(sql, [.text(tenant), .textArray(names)]).map(MerchantView.init)
        return merchants.map { names in
            found.filter { view in names.contains { view.isOf($0) } }.max { $0.position < $1.position }
        }
    }

    /// The zones of those merchants that have a description under any of their names.
    func zones(of merchants: [String], tenant: String) async throws -> [String: Zone] {
        guard !merchants.isEmpty else { return [:] }
        let rows = try await pool.query(
            """
            SELECT l.*, m.zone, m.position FROM (\(EmbeddedFiles.merchantLinks_sql)) l
            LEFT JOIN read_merchants.merchants m ON m.tenant = $1 AND m.merchant = l.name
            """,
            [.text(tenant), .textArray(merchants.map(\.storable)), .int64(.max)]
        )
        let links = MerchantLinks(try rows.map { try MerchantLink($0) })
        var described: [MerchantText: (zone: String, position: Int64)] = [:]
        for row in rows where try !row.isNull(5) {
            described[MerchantText(try row.text(1))] = (try row.text(5), try row.int64(6))
        }
        var zones: [String: Zone] = [:]
        for merchant in merchants {
            let own = merchant.storable
            guard links.names.contains(MerchantText(own)) else {
                // No payment names it.
                zones[merchant] = try await newest([[own]], of: tenant)[0].flatMap { Zone($0.zone) }
                continue
            }
            let found = ([own] + links.others(of: own)).compactMap { described[MerchantText($0)] }
            zones[merchant] = found.max { $0.position < $1.position }.flatMap { Zone($0.zone) }
        }
        return zones
    }

    /// The other names of a merchant, under which its payments are counted as well; none without a merchant.
    ///
    /// - Parameter position: The position up to which payments link names; nil for all.
    package func others(of name: String?, tenant: String, at position: Int64? = nil) async throws -> [String] {
        guard let name else { return [] }
        return try await links(around: [name], of: tenant, at: position).others(of: name.storable)
    }

    /// The links of these names, and of all names that these lead to.
    package func links(
        around names: [String],
        of tenant: String,
        at position: Int64? = nil
    ) async throws -> MerchantLinks {
        guard !names.isEmpty else { return MerchantLinks([]) }
        let rows = try await pool.query(
            EmbeddedFiles.merchantLinks_sql,
            [.text(tenant), .textArray(names.map(\.storable)), .int64(position ?? .max)]
        )
        return MerchantLinks(try rows.map { try MerchantLink($0) })
    }

    /// Whether the merchant has a description, or a payment or a line of a batch names it.
    package func isKnown(_ name: String, of tenant: String) async throws -> Bool {
        try await pool.query(
            """
            SELECT EXISTS (SELECT FROM read_merchants.merchants WHERE tenant = $1 AND merchant = $2)
                OR EXISTS (SELECT FROM read_transactions.transactions WHERE tenant = $1 AND merchant = $2)
                OR EXISTS (SELECT FROM read_batches.members WHERE tenant = $1 AND merchant = $2)
                OR EXISTS (
                    SELECT FROM read_merchants.linked_names WHERE tenant = $1 AND name = $2 AND role <> 'terminal'
                )
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

extension QueryConditions {
    /// Adds the condition that a column has one of a merchant's names, if there is a merchant.
    ///
    /// - Parameter others: The merchant's other names.
    package mutating func add(_ column: String, merchant: String?, _ others: [String]) {
        guard let merchant, !others.isEmpty else { return add("\(column) =", text: merchant) }
        add("\(column) = ANY (\(parameter(.textArray([merchant] + others)))::text[])")
    }
}
