import Canonical
package import Payments
import Postgres
import Projections

/// What a statement of an account covers.
package struct AccountStatement: Sendable, Hashable {
    /// The account, and conditions on its entries.
    package var filter: JournalFilter
    /// Only entries after this position; nil for all.
    package var after: Int64?
    /// The last position.
    package var through: Int64

    /// - Parameter filter: A filter with an account and without a payment.
    package init(_ filter: JournalFilter, after: Int64? = nil, through: Int64) {
        self.filter = filter
        self.after = after
        self.through = through
    }
}

/// An entry of a statement.
package struct AccountEntry: Sendable, Hashable {
    package var leg: PostedLeg
    /// The balances after it, in minor units.
    package var balances: [Currency: Int64]

    /// The balance after it in its currency.
    package var balance: Money { Money(balances[leg.amount.currency] ?? 0, leg.amount.currency) }
}

extension JournalQuery {
    /// The balances before a statement's first entry: of the days before its first one, and of positions up to `after`.
    ///
    /// - Throws: `BalanceError.overflow`, `PostgresError`.
    package func opening(of statement: AccountStatement, tenant: String) async throws -> [Currency: Int64] {
        var opening: [Currency: Int64] = [:]
        let filter = statement.filter
        if let dayBefore = filter.from?.dayBefore {
            var earlier = filter
            earlier.from = nil
            if filter.to.map({ dayBefore.daysSince1970 < $0.daysSince1970 }) ?? true { earlier.to = dayBefore }
            opening = try await sums(earlier, of: tenant, at: statement.through)
        }
        if let after = statement.after {
            for (currency, amount) in try await sums(filter, of: tenant, at: min(after, statement.through)) {
                try opening.add(amount, in: currency)
            }
        }
        return opening
    }

    /// The balances after a statement's last entry.
    ///
    /// - Throws: `BalanceError.overflow`, `PostgresError`.
    package func closing(of statement: AccountStatement, tenant: String) async throws -> [Currency: Int64] {
        var filter = statement.filter
        filter.from = nil
        return try await sums(filter, of: tenant, at: statement.through)
    }

    /// Entries of a statement with the balance after each, in the order in which they were posted.
    ///
    /// - Parameters:
    ///   - place: The last leg of the page before.
    ///   - balances: The balances after it. If they are not known, all entries up to there are added up.
    /// - Throws: `BalanceError.overflow`, `PostgresError`.
    package func entries(
        of statement: AccountStatement,
        tenant: String,
        after place: (position: Int64, leg: Int)? = nil,
        balances: [Currency: Int64]? = nil,
        limit: Int
    ) async throws -> [AccountEntry] {
        var running: [Currency: Int64]
        if let balances, place != nil {
            running = balances
        } else {
            running = try await opening(of: statement, tenant: tenant)
            if let place {
                for (currency, amount) in try await listed(in: statement, tenant: tenant, upTo: place) {
                    try running.add(amount, in: currency)
                }
            }
        }
        let legs = try await self.legs(
            of: tenant,
            matching: statement.filter,
            at: statement.through,
            after: place ?? statement.after.map { (position: $0, leg: Int(Int32.max)) },
            limit: limit
        )
        return try legs.map { leg in
            try running.add(leg.amount.value, in: leg.amount.currency)
            return AccountEntry(leg: leg, balances: running)
        }
    }

    private func sums(
        _ filter: JournalFilter,
        of tenant: String,
        at position: Int64
    ) async throws -> [Currency: Int64] {
        let rows = try await balances(of: tenant, by: [], matching: filter, at: position)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.currency, $0.balance) })
    }

    /// The sums of a statement's entries up to a leg.
    private func listed(
        in statement: AccountStatement,
        tenant: String,
        upTo place: (position: Int64, leg: Int)
    ) async throws -> [Currency: Int64] {
        var conditions = QueryConditions(
            ["tenant = $1", "position <= $2"],
            [.text(tenant), .int64(statement.through)]
        )
        conditions.add("account =", text: statement.filter.account?.rawValue)
        conditions.add("position >", statement.after.map(PostgresValue.int64))
        try await add(statement.filter, of: tenant, at: statement.through, to: &conditions)
        let last = conditions.parameter(.int64(place.position))
        conditions.add("(position, leg) <= (\(last), \(conditions.parameter(.int32(Int32(place.leg)))))")
        let rows = try await pool.query(
            """
            SELECT currency, sum(amount)::text FROM read_journal.entries WHERE \(conditions.sql) GROUP BY currency
            """,
            conditions.parameters
        )
        var sums: [Currency: Int64] = [:]
        for row in rows {
            guard let currency = Currency(alpha: try row.text(0)) else { throw UnreadableRow() }
            guard let sum = Int64(try row.text(1)) else { throw BalanceError.overflow }
            sums[currency] = sum
        }
        return sums
    }
}

extension CivilDate {
    /// Nil for the first day of the calendar.
    fileprivate var dayBefore: CivilDate? {
        self == CivilDate(year: 1, month: 1, day: 1) ? nil : CivilDate(daysSince1970: daysSince1970 - 1)
    }
}

extension [Currency: Int64] {
    /// - Throws: `BalanceError.overflow`.
    fileprivate mutating func add(_ amount: Int64, in currency: Currency) throws(BalanceError) {
        let (sum, overflows) = (self[currency] ?? 0).addingReportingOverflow(amount)
        guard !overflows, sum != .min else { throw .overflow }
        self[currency] = sum
    }
}
