package import Canonical
package import Postgres

/// Another payment that may be for the same order and that took effect, or may have.
package struct OrderDuplicate: Sendable, Hashable {
    /// The reason why it may be the same order, strongest first.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        /// A key of the other payment leads to this one.
        case linked
        /// Both have the same app reference.
        case reference
        case invoice
        /// Card, amount, and merchant or terminal are equal, within the window.
        case card
    }

    package var of: UUID128
    package var transaction: UUID128
    package var name: Name
    /// The position of its newest event.
    package var lastPosition: Int64
}

/// Searches for the same payment on another stream, before a card is charged again.
package struct OrderDuplicateQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Payments with these statuses moved no money, or all of it was voided or reversed.
    private static let harmless = """
        'verified', 'completed', 'declined', 'cancelled', 'failed', 'not-posted', 'voided', 'reversed', 'expired'
        """

    /// For each of the payments, up to one possible duplicate for each shared name.
    ///
    /// An attribute that is unknown for one of the two, such as the merchant, does not rule out a duplicate. Every
    /// lookup uses an index, so the cost does not grow with the ledger.
    ///
    /// - Parameters:
    ///   - windows: The seconds within which the same card and amount may be the same order, by vendor.
    ///   - standard: The seconds for payments of other vendors.
    package func orderDuplicates(
        of transactions: [UUID128],
        tenant: String,
        windows: [String: Int64],
        standard: Int64,
        now: Timestamp
    ) async throws -> [OrderDuplicate] {
        guard !transactions.isEmpty else { return [] }
        let (sql, parameters) = Self.search(transactions, tenant, windows, standard, now)
        let found = try await pool.query(sql, parameters).map { row in
            guard let name = OrderDuplicate.Name(rawValue: try row.text(2)) else { throw UnreadableRow() }
            return OrderDuplicate(
                of: try row.uuid(0),
                transaction: try row.uuid(1),
                name: name,
                lastPosition: try row.int64(3)
            )
        }
        let order = OrderDuplicate.Name.allCases
        return found.sorted { (order.firstIndex(of: $0.name) ?? 0) < (order.firstIndex(of: $1.name) ?? 0) }
    }

    static func search(
        _ transactions: [UUID128],
        _ tenant: String,
        _ windows: [String: Int64],
        _ standard: Int64,
        _ now: Timestamp
    ) -> (sql: String, parameters: [PostgresValue]) {
        let vendors = windows.keys.sorted()
        // No money moves at a vendor's test system.
        let live = "e.test = a.test AND (e.status NOT IN (\(Self.harmless)) OR e.in_doubt OR e.awaits_reversal)"
        // A credit pays out and a sale charges, so neither duplicates the other.
        let kind = """
            (e.operation IS NULL OR (e.operation = 'credit') = (COALESCE(a.operation, '') = 'credit'))
            """
        let place = """
            (e.merchant IS NULL OR a.merchant IS NULL OR e.merchant = a.merchant OR e.terminal = a.terminal
                OR EXISTS (
                    SELECT FROM read_merchants.linked_names n
                    WHERE n.tenant = a.tenant AND n.role <> 'terminal'
                        AND (n.name, n.owner) IN ((a.merchant, e.merchant), (e.merchant, a.merchant))
                ))
            """
        // No index has this order. With one, the planner might walk through all payments until it finds the wanted
        // one.
        func orderDuplicate(_ name: OrderDuplicate.Name, _ condition: String) -> String {
            """
            (SELECT e.id, e.last_position, '\(name.rawValue)' AS name FROM read_transactions.transactions e
            WHERE e.tenant = a.tenant AND \(condition) AND e.id <> a.id AND \(live) AND \(kind)
            ORDER BY e.last_position DESC LIMIT 1)
            """
        }
        return (
            """
            SELECT a.id, s.id, s.name, s.last_position FROM (
                SELECT t.*, COALESCE(w.seconds, $5::int8)::float8 * interval '1 second' AS span
                FROM read_transactions.transactions t
                LEFT JOIN unnest($3::text[], $4::int8[]) AS w (vendor, seconds) ON w.vendor = t.vendor
                WHERE t.tenant = $1 AND t.id = ANY ($2::uuid[])
            ) a CROSS JOIN LATERAL (
                \(orderDuplicate(.linked, "e.identifiers @> ARRAY['transaction/' || a.id::text]"))
                UNION ALL
                \(orderDuplicate(.reference, "e.reference = a.reference"))
                UNION ALL
                \(orderDuplicate(.invoice, "e.invoice = a.invoice AND \(place)"))
                UNION ALL
                \(orderDuplicate(.card, """
                    e.last_four = a.last_four AND e.amount = a.amount AND e.currency = a.currency
                    AND (e.card_brand IS NULL OR a.card_brand IS NULL OR lower(e.card_brand) = lower(a.card_brand))
                    AND \(place) AND (
                        e.local_at BETWEEN a.local_at - a.span AND a.local_at + a.span
                        OR e.occurred_at >= a.occurred_at - a.span
                        AND (e.occurred_at <= a.occurred_at + a.span OR e.occurred_at >= $6::timestamptz - a.span)
                    )
                    """))
            ) s
            """,
            [
                .text(tenant), .uuidArray(transactions), .textArray(vendors),
                .int64Array(vendors.map { windows[$0] ?? standard }), .int64(standard), .timestamptz(now),
            ]
        )
    }

    /// Other declined card payments of the same amount at the same merchant or terminal, which card networks count as
    /// repeated attempts of one payment. By payment, with the position and recording time of each.
    ///
    /// - Parameters:
    ///   - since: Only declines recorded after this time.
    ///   - most: The most declines for each payment, newest first.
    package func declines(
        beside transactions: [UUID128],
        tenant: String,
        since: Timestamp,
        most: Int64
    ) async throws -> [UUID128: [(position: Int64, at: Timestamp)]] {
        guard !transactions.isEmpty else { return [:] }
        let (sql, parameters) = Self.declines(transactions, tenant, since, most)
        var found: [UUID128: [(position: Int64, at: Timestamp)]] = [:]
        for row in try await pool.query(sql, parameters) {
            found[try row.uuid(0), default: []].append((try row.int64(1), try row.timestamp(2)))
        }
        return found
    }

    static func declines(
        _ transactions: [UUID128],
        _ tenant: String,
        _ since: Timestamp,
        _ most: Int64
    ) -> (sql: String, parameters: [PostgresValue]) {
        (
            EmbeddedFiles.orderDeclines_sql,
            [.text(tenant), .uuidArray(transactions), .timestamptz(since), .int64(most)]
        )
    }
}
