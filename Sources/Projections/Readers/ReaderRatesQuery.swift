import Payments
package import Postgres

/// Counts payments in the read model `transactions`, and finds the readers' names in `readers`.
package struct ReaderRatesQuery: Sendable {
    /// The most rows in one result.
    package static let limit = 10_000

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The rates of a tenant's readers or cashiers, sorted by name, without payments at a vendor's test system.
    ///
    /// - Throws: `TotalsError.tooMany`, `PostgresError`.
    package func rates(
        of tenant: String,
        by key: ReaderRates.Key,
        matching filter: ReaderRatesFilter = .init()
    ) async throws -> [ReaderRates] {
        var conditions = QueryConditions(["t.tenant = $1", "NOT t.test"], [.text(tenant)])
        conditions.add("t.occurred_at >=", filter.occurredFrom.map(PostgresValue.timestamptz))
        conditions.add("t.occurred_at <", filter.occurredBefore.map(PostgresValue.timestamptz))
        let others = try await MerchantQuery(pool: pool).otherNames(of: filter.merchant, tenant: tenant)
        conditions.add(row: "t.", merchant: filter.merchant, others)
        conditions.add("t.vendor =", text: filter.vendor?.rawValue)
        // A reader's row has its strongest name, which another one leads to.
        let (vendor, name, names) =
            switch key {
            case .reader:
                (
                    "t.reader_vendor", "coalesce(n.serial, t.reader_name)",
                    """
                    LEFT JOIN read_readers.names n
                        ON n.tenant = t.tenant AND n.vendor = t.reader_vendor AND n.name = t.reader_name
                    """
                )
            case .cashier: ("NULL::text", "t.clerk", "")
            }
        let end = conditions.parameter(.int64(Int64(Self.limit) + 1))
        let rows = try await pool.query(
            """
            SELECT c.vendor, coalesce(r.view #>> '{reader,serial}', c.name),
                \(Self.counts.map(\.name).joined(separator: ", "))
            FROM (
                SELECT \(vendor) AS vendor, \(name) AS name,
                    \(Self.counts.map { "\($0.sql) AS \($0.name)" }.joined(separator: ", "))
                FROM read_transactions.transactions t \(names)
                WHERE \(conditions.sql) GROUP BY 1, 2
            ) c LEFT JOIN read_readers.readers r ON r.tenant = $1 AND r.vendor = c.vendor AND r.serial = c.name
            ORDER BY c.vendor COLLATE "C", c.name COLLATE "C" LIMIT \(end)
            """,
            conditions.parameters
        )
        guard rows.count <= Self.limit else { throw TotalsError.tooMany }
        return try rows.map(ReaderRates.init)
    }

    private static let counts: [(name: String, sql: String)] = [
        ("payments", "count(*)"),
        ("decided", "count(*) FILTER (WHERE t.outcome IN ('approved', 'partially-approved', 'declined'))"),
        ("declined", "count(*) FILTER (WHERE t.outcome = 'declined')"), ("signatures", "count(t.signature)"),
        ("signature_timeouts", "count(*) FILTER (WHERE t.signature = 'timed-out')"), ("pins", "count(t.pin)"),
        ("pin_bypasses", "count(*) FILTER (WHERE t.pin = 'bypassed')"),
    ]
}

extension ReaderRates {
    fileprivate init(_ row: PostgresRow) throws {
        vendor = try row.textOrNull(0).flatMap(Vendor.init(rawValue:))
        name = try row.textOrNull(1)
        payments = try row.int64(2)
        decided = try row.int64(3)
        declined = try row.int64(4)
        signatures = try row.int64(5)
        signatureTimeouts = try row.int64(6)
        pins = try row.int64(7)
        pinBypasses = try row.int64(8)
    }
}
