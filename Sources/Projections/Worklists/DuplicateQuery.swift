package import Canonical
package import Payments
package import Postgres

/// Two payments that may be one payment charged twice: the same card, amount and till within a window, under
/// different keys.
package struct SuspectedDuplicate: Sendable, Hashable {
    package struct Payment: Sendable, Hashable {
        package var transaction: UUID128
        package var status: TransactionStatus
        package var occurredAt: Timestamp
        package var reference: String?
    }

    /// The first position of the later payment.
    package var firstPosition: Int64
    package var later: Payment
    package var earlier: Payment
    package var cardBrand: String?
    package var lastFour: String
    package var amount: Money
    package var vendor: String?
    package var merchant: String?
    package var terminal: String?
}

/// Searches for payments that may have been charged twice.
package struct DuplicateQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The conditions on a list of pairs. Everything set must hold.
    package struct Filter: Sendable, Hashable {
        /// The most seconds between the two payments.
        package var windowSeconds: Int64 = 300
        package var vendor: Vendor?
        package var merchant: String?
        package var terminal: String?
        package var occurredFrom: Timestamp?
        package var occurredBefore: Timestamp?
        /// Only pairs whose later payment began after this position.
        package var after: Int64 = 0

        package init() {}
    }

    /// Payments with these statuses take no money from the cardholder.
    private static let harmless = """
        'requested', 'verified', 'completed', 'declined', 'cancelled', 'failed', 'not-posted', 'voided', 'reversed',
        'expired', 'refunded'
        """

    /// The time between two payments: by the terminals' clocks if both printed one, else by the senders'. Apps may send
    /// late, and what a terminal prints is when the card was there.
    private static let apart = """
        (CASE WHEN e.local_at IS NOT NULL AND t.local_at IS NOT NULL THEN t.local_at - e.local_at
            ELSE t.occurred_at - e.occurred_at END)
        """

    /// Up to `limit` pairs, newest first, before the given position. When several payments may be the same, each is
    /// paired with the one before it. Voided and fully refunded payments are left out, because they are already
    /// corrected.
    package func duplicates(
        of tenant: String,
        matching filter: Filter,
        before position: Int64 = .max,
        limit: Int
    ) async throws -> [SuspectedDuplicate] {
        var conditions = QueryConditions(
            ["t.tenant = $1", "t.first_position < $2", "t.first_position > $4"],
            [.text(tenant), .int64(position), .int64(filter.windowSeconds), .int64(filter.after)]
        )
        conditions.add("t.vendor =", text: filter.vendor?.rawValue)
        let others = try await MerchantQuery(pool: pool).otherNames(of: filter.merchant, tenant: tenant)
        conditions.add(row: "t.", merchant: filter.merchant, others)
        conditions.add("t.terminal =", text: filter.terminal)
        conditions.add("t.occurred_at >=", filter.occurredFrom.map(PostgresValue.timestamptz))
        conditions.add("t.occurred_at <", filter.occurredBefore.map(PostgresValue.timestamptz))
        let end = conditions.parameter(.int64(Int64(limit)))
        let rows = try await pool.query(
            """
            SELECT t.first_position, t.id, t.status, t.occurred_at, t.reference, e.id, e.status, e.occurred_at, e.reference,
                t.card_brand, t.last_four, t.amount, t.currency, t.vendor, t.merchant, t.terminal
            FROM read_transactions.transactions t CROSS JOIN LATERAL (
                SELECT e.id, e.status, e.occurred_at, e.reference FROM read_transactions.transactions e
                WHERE e.tenant = t.tenant AND e.last_four = t.last_four AND e.amount = t.amount
                    AND e.currency = t.currency AND lower(e.card_brand) IS NOT DISTINCT FROM lower(t.card_brand)
                    AND (e.operation = 'credit') IS NOT DISTINCT FROM (t.operation = 'credit')
                    AND (
                        e.terminal = t.terminal OR e.merchant = t.merchant OR EXISTS (
                            SELECT FROM read_merchants.linked_names n
                            WHERE n.tenant = t.tenant AND n.role <> 'terminal'
                                AND (n.name, n.owner) IN ((t.merchant, e.merchant), (e.merchant, t.merchant))
                        )
                    ) AND e.status NOT IN (\(Self.harmless))
                    AND NOT e.test
                    AND \(Self.apart) <= $3::int8::float8 * interval '1 second'
                    AND (\(Self.apart), t.id) > (interval '0', e.id)
                ORDER BY \(Self.apart), e.id DESC LIMIT 1
            ) e
            WHERE \(conditions.sql) AND t.last_four IS NOT NULL
                AND t.status NOT IN (\(Self.harmless)) AND NOT t.test
            ORDER BY t.first_position DESC LIMIT \(end)
            """,
            conditions.parameters
        )
        return try rows.map(SuspectedDuplicate.init)
    }
}

extension SuspectedDuplicate {
    fileprivate init(_ row: PostgresRow) throws {
        func payment(_ first: Int) throws -> Payment {
            guard let status = TransactionStatus(rawValue: try row.text(first + 1)) else { throw UnreadableRow() }
            return Payment(
                transaction: try row.uuid(first),
                status: status,
                occurredAt: try row.timestamp(first + 2),
                reference: try row.textOrNull(first + 3)
            )
        }
        guard let currency = Currency(alpha: try row.text(12)) else { throw UnreadableRow() }
        firstPosition = try row.int64(0)
        later = try payment(1)
        earlier = try payment(5)
        cardBrand = try row.textOrNull(9)
        lastFour = try row.text(10)
        amount = Money(try row.int64(11), currency)
        vendor = try row.textOrNull(13)
        merchant = try row.textOrNull(14)
        terminal = try row.textOrNull(15)
    }
}
