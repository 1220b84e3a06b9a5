package import Canonical
package import Postgres

/// Another payment that may be the same order, and that took effect or may have.
package struct OrderDuplicate: Sendable, Hashable {
    /// By what it may be the same order, the surest first.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        /// A key of the other one leads to this one.
        case linked
        /// The app calls both the same.
        case reference
        case invoice
        /// Card, amount and merchant or terminal are the same, within the window.
        case card
    }

    package var of: UUID128
    package var transaction: UUID128
    package var name: Name
    /// Of its newest event.
    package var lastPosition: Int64
}

/// Looks for payments that another stream tells of, before a card is charged again.
package struct OrderDuplicateQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Nothing of these has moved money, or all of it was taken back.
    private static let harmless = """
        'verified', 'declined', 'cancelled', 'failed', 'not-posted', 'voided', 'reversed', 'expired'
        """

    /// For each of the payments that has any, one sibling by each name that both have.
    ///
    /// What is not known of one of the two, such as its merchant, does not tell them apart. Everything is looked up by an
    /// index: it costs the same in a large ledger as in a small one.
    ///
    /// - Parameters:
    ///   - windows: For how many seconds the same card with the same amount may be the same order, by vendor.
    ///   - standard: The same for payments of other vendors.
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
        let live = "(e.status NOT IN (\(Self.harmless)) OR e.in_doubt OR e.awaits_reversal)"
        // A credit is paid out, a sale is charged: neither stands against the other.
        let kind = """
            (e.operation IS NULL OR (e.operation = 'credit') = (COALESCE(a.operation, '') = 'credit'))
            """
        let place = """
            (e.merchant IS NULL OR a.merchant IS NULL OR e.merchant = a.merchant OR e.terminal = a.terminal)
            """
        // No index has the order: with one, the planner may walk through all payments until it meets the one that is asked for.
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
                    AND \(place) AND e.occurred_at >= a.occurred_at - a.span
                    AND (e.occurred_at <= a.occurred_at + a.span OR e.occurred_at >= $6::timestamptz - a.span)
                    """))
            ) s
            """,
            [
                .text(tenant), .uuidArray(transactions), .textArray(vendors),
                .int64Array(vendors.map { windows[$0] ?? standard }), .int64(standard), .timestamptz(now),
            ]
        )
    }

    /// Other payments by card, of the same amount at the same merchant or terminal, that were declined: what networks count
    /// as one and the same attempt made again. By payment, with the position and the time each was recorded at.
    ///
    /// - Parameters:
    ///   - since: Those recorded later.
    ///   - most: How many are told of for each payment, the latest first.
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
            """
            SELECT a.id, s.first_position, s.recorded_at FROM read_transactions.transactions a CROSS JOIN LATERAL (
                SELECT e.first_position, e.recorded_at FROM read_transactions.transactions e
                WHERE e.tenant = a.tenant AND e.last_four = a.last_four AND e.amount = a.amount AND e.currency = a.currency
                    AND e.id <> a.id AND e.status = 'declined' AND e.operation IN ('sale', 'authorization')
                    AND (e.card_brand IS NULL OR a.card_brand IS NULL OR lower(e.card_brand) = lower(a.card_brand))
                    AND (e.merchant IS NULL OR a.merchant IS NULL OR e.merchant = a.merchant OR e.terminal = a.terminal)
                    AND e.recorded_at > $3::timestamptz
                ORDER BY e.recorded_at DESC LIMIT $4
            ) s
            WHERE a.tenant = $1 AND a.id = ANY ($2::uuid[]) AND a.operation IN ('sale', 'authorization')
            """,
            [.text(tenant), .uuidArray(transactions), .timestamptz(since), .int64(most)]
        )
    }
}
