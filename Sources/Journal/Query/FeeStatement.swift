package import Canonical
package import Matching
package import Payments
import Postgres
import Projections

/// The conditions on fees. Everything set must hold.
package struct FeeFilter: Sendable, Hashable {
    package var merchant: String?
    package var processor: String?
    package var brand: String?
    package var component: String?
    package var currency: String?
    /// The first and last business day.
    package var from: CivilDate?
    package var to: CivilDate?

    package init() {}
}

/// Fees with one name, of days on which the same contracts hold.
package struct FeeSum: Sendable, Hashable {
    package var merchant: String?
    package var processor: String?
    package var brand: String?
    /// The part of the account `fees`.
    package var component: String?
    package var source: FeeSource
    /// A day from which on the contracts hold; nil before the first one begins.
    package var since: String?
    /// Positive if the merchant was charged.
    package var amount: Money
    /// The number of lines with the fee.
    package var lines: Int64
    /// The gross of these lines in minor units; 0 if they are no payments.
    package var volume: Int64

    package init(
        merchant: String? = nil,
        processor: String? = nil,
        brand: String? = nil,
        component: String? = nil,
        source: FeeSource = .payments,
        since: String? = nil,
        amount: Money,
        lines: Int64 = 0,
        volume: Int64 = 0
    ) {
        self.merchant = merchant
        self.processor = processor
        self.brand = brand
        self.component = component
        self.source = source
        self.since = since
        self.amount = amount
        self.lines = lines
        self.volume = volume
    }
}

extension JournalQuery {
    /// The fees of a tenant, against its contracts. In each currency they add up to the balance of the account `fees` on
    /// the same days, unless the filter leaves some out.
    ///
    /// - Parameter position: The position up to which entries count; nil for all.
    /// - Throws: `BalanceError`, `PostgresError`.
    package func fees(
        of tenant: String,
        matching filter: FeeFilter = FeeFilter(),
        by contracts: FeeContracts,
        at position: Int64? = nil
    ) async throws -> [FeeCharge] {
        var conditions = QueryConditions(["tenant = $1"], [.text(tenant)])
        conditions.add("position <=", position.map(PostgresValue.int64))
        conditions.add("processor =", text: filter.processor)
        conditions.add("brand =", text: filter.brand)
        var shared = JournalFilter()
        shared.part = filter.component
        shared.merchant = filter.merchant
        shared.currency = filter.currency
        shared.from = filter.from
        shared.to = filter.to
        try await add(shared, of: tenant, at: position, part: "component", to: &conditions)
        let days = conditions.parameter(.textArray(contracts.days))
        let end = conditions.parameter(.int64(Int64(Self.balanceLimit) + 1))
        let rows = try await pool.query(
            """
            SELECT merchant COLLATE "C", processor COLLATE "C", brand COLLATE "C", component COLLATE "C", currency,
                source, width_bucket(coalesce(adjusts, day), \(days)::text[]::date[]), sum(amount)::text, sum(lines)::text,
                sum(volume)::text
            FROM read_journal.fee_entries WHERE \(conditions.sql) GROUP BY 1, 2, 3, 4, 5, 6, 7
            HAVING sum(amount) <> 0 OR sum(lines) <> 0 OR sum(volume) <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7 LIMIT \(end)
            """,
            conditions.parameters
        )
        guard rows.count <= Self.balanceLimit else { throw BalanceError.tooMany }
        return try FeeCharge.charges(rows.map { try FeeSum($0, contracts.days) }, by: contracts)
    }
}

extension FeeSum {
    /// - Parameter days: The days on which contracts begin.
    fileprivate init(_ row: PostgresRow, _ days: [String]) throws {
        func name(_ column: Int) throws -> String? {
            let text = try row.text(column)
            return text.isEmpty ? nil : text
        }
        func figure(_ column: Int) throws -> Int64 {
            // The smallest value has no opposite.
            guard let figure = Int64(try row.text(column)), figure != .min else { throw BalanceError.overflow }
            return figure
        }
        guard let currency = Currency(alpha: try row.text(4)), let source = FeeSource(rawValue: try row.text(5)) else {
            throw UnreadableRow()
        }
        let begun = Int(try row.int32(6))
        self.init(
            merchant: try name(0),
            processor: try name(1),
            brand: try name(2),
            component: try name(3),
            source: source,
            since: begun == 0 ? nil : days[begun - 1],
            amount: Money(try figure(7), currency),
            lines: try figure(8),
            volume: try figure(9)
        )
    }
}
