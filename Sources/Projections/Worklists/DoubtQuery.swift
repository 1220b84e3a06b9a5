package import Canonical
package import Payments
package import Postgres

/// A payment of which nobody can say whether it, or a follow-up on it, took effect.
package struct PaymentInDoubt: Sendable, Hashable {
    package var transaction: UUID128
    package var firstPosition: Int64
    package var status: TransactionStatus
    package var vendor: String?
    package var merchant: String?
    package var terminal: String?
    package var reference: String?
    package var occurredAt: Timestamp
    /// What is at stake: what was captured, else authorised, else requested; nil where nobody named an amount.
    package var value: Money?
}

/// What is at stake in all, in one currency.
package struct ValueAtRisk: Sendable, Hashable {
    package var currency: Currency
    package var count: Int64
    /// Minor units.
    package var value: Int64
}

/// Lists what is in doubt, the oldest first.
package struct DoubtQuery: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Whose payments are asked for.
    package struct Filter: Sendable, Hashable {
        package var vendor: Vendor?
        package var merchant: String?
        package var terminal: String?

        package init() {}
    }

    /// Up to `limit` payments in doubt, the first told first, after the given position.
    package func payments(
        of tenant: String,
        matching filter: Filter,
        after position: Int64 = 0,
        limit: Int
    ) async throws -> [PaymentInDoubt] {
        let (condition, parameters) = Self.condition(tenant, filter)
        let next = parameters.count + 1
        let rows = try await pool.query(
            """
            SELECT id, first_position, status, vendor, merchant, terminal, reference, occurred_at, amount, currency
            FROM read_transactions.transactions WHERE \(condition) AND first_position > $\(next)
            ORDER BY first_position LIMIT $\(next + 1)
            """,
            parameters + [.int64(position), .int64(Int64(limit))]
        )
        return try rows.map(PaymentInDoubt.init)
    }

    /// What is at stake in all that match, by currency.
    ///
    /// - Throws: `TotalsError.overflow`.
    package func risk(of tenant: String, matching filter: Filter) async throws -> [ValueAtRisk] {
        let (condition, parameters) = Self.condition(tenant, filter)
        let rows = try await pool.query(
            """
            SELECT currency, count(*), coalesce(sum(amount), 0)::text FROM read_transactions.transactions
            WHERE \(condition) AND currency IS NOT NULL GROUP BY currency ORDER BY currency
            """,
            parameters
        )
        return try rows.map { row in
            guard let currency = Currency(alpha: try row.text(0)) else { throw UnreadableRow() }
            guard let value = Int64(try row.text(2)) else { throw TotalsError.overflow }
            return ValueAtRisk(currency: currency, count: try row.int64(1), value: value)
        }
    }

    private static func condition(_ tenant: String, _ filter: Filter) -> (sql: String, parameters: [PostgresValue]) {
        var conditions = ["tenant = $1", "in_doubt"]
        var parameters: [PostgresValue] = [.text(tenant)]
        func add(_ column: String, _ value: String?) {
            guard let value else { return }
            parameters.append(.text(value))
            conditions.append("\(column) = $\(parameters.count)")
        }
        add("vendor", filter.vendor?.rawValue)
        add("merchant", filter.merchant)
        add("terminal", filter.terminal)
        return (conditions.joined(separator: " AND "), parameters)
    }
}

extension PaymentInDoubt {
    fileprivate init(_ row: PostgresRow) throws {
        guard let status = TransactionStatus(rawValue: try row.text(2)) else { throw UnreadableRow() }
        transaction = try row.uuid(0)
        firstPosition = try row.int64(1)
        self.status = status
        vendor = try row.textOrNull(3)
        merchant = try row.textOrNull(4)
        terminal = try row.textOrNull(5)
        reference = try row.textOrNull(6)
        occurredAt = try row.timestamp(7)
        if let amount = try row.int64OrNull(8), let currency = try row.textOrNull(9).flatMap({ Currency(alpha: $0) }) {
            value = Money(amount, currency)
        }
    }
}
