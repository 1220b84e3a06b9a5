package import Payments
import Postgres
import Projections

/// The keys by which balances are grouped, besides the currency.
package enum BalanceKey: String, Codable, Sendable, Hashable, CaseIterable {
    case account, part, merchant, day
    /// The closed day to which entries belong that were posted later.
    case adjusts
}

/// The balance of an account in one currency.
package struct AccountBalance: Sendable, Hashable {
    /// The value of each requested key, in that order; nil for entries without one.
    package var keys: [String?]
    package var currency: Currency
    /// Minor units: a debit if positive, a credit if negative.
    package var balance: Int64
}

/// The reason why there is no trial balance.
package enum BalanceError: Error, Hashable {
    /// A balance does not fit 64 bits of minor units.
    case overflow
    /// There would be more rows than `JournalQuery.balanceLimit`.
    case tooMany
}

extension JournalQuery {
    /// The largest number of rows of a trial balance.
    package static let balanceLimit = 10_000

    /// The balances of accounts that are not zero, sorted by their keys. In each currency they add up to zero, unless
    /// the filter leaves some out.
    ///
    /// - Parameter position: The position up to which entries count; nil for all. The time it takes grows with the
    ///   number of later entries.
    /// - Throws: `BalanceError`, `PostgresError`.
    package func balances(
        of tenant: String,
        by keys: [BalanceKey],
        matching filter: JournalFilter = JournalFilter(),
        at position: Int64? = nil
    ) async throws -> [AccountBalance] {
        var conditions = QueryConditions(["tenant = $1"], [.text(tenant)])
        conditions.add("account =", text: filter.account?.rawValue)
        try await add(filter, of: tenant, at: position, to: &conditions)
        let columns = keys.map(\.column) + ["currency"]
        var source =
            "SELECT \(columns.joined(separator: ", ")), amount FROM read_journal.balances WHERE \(conditions.sql)"
        if let position {
            // Later entries are taken out again.
            let later = keys.map(\.entryColumn) + ["currency"]
            source += """
                 UNION ALL SELECT \(later.joined(separator: ", ")), -amount FROM read_journal.entries
                WHERE \(conditions.sql) AND position > \(conditions.parameter(.int64(position)))
                """
        }
        if keys.contains(.adjusts) {
            // The balances do not have the closed days.
            let end = position.map { "AND position <= \(conditions.parameter(.int64($0)))" } ?? ""
            for (selected, amount) in [(keys.map(\.entryColumn), "-amount"), (keys.map(\.adjustedColumn), "amount")] {
                source += """
                     UNION ALL SELECT \((selected + ["currency"]).joined(separator: ", ")), \(amount)
                    FROM read_journal.entries WHERE \(conditions.sql) AND adjusts IS NOT NULL \(end)
                    """
            }
        }
        let names = (0..<columns.count).map { "k\($0)" }.joined(separator: ", ")
        let order = (1...columns.count).map(String.init).joined(separator: ", ")
        let end = conditions.parameter(.int64(Int64(Self.balanceLimit) + 1))
        let rows = try await pool.query(
            """
            SELECT \(names), sum(amount)::text FROM (\(source)) b (\(names), amount)
            GROUP BY \(order) HAVING sum(amount) <> 0 ORDER BY \(order) LIMIT \(end)
            """,
            conditions.parameters
        )
        guard rows.count <= Self.balanceLimit else { throw BalanceError.tooMany }
        return try rows.map { row in
            guard let currency = Currency(alpha: try row.text(keys.count)) else { throw UnreadableRow() }
            // The smallest value has no opposite.
            guard let balance = Int64(try row.text(keys.count + 1)), balance != .min else {
                throw BalanceError.overflow
            }
            return AccountBalance(
                keys: try keys.indices.map { place in try row.textOrNull(place).flatMap { $0.isEmpty ? nil : $0 } },
                currency: currency,
                balance: balance
            )
        }
    }
}

extension BalanceKey {
    /// Text is compared by code points, so that the order does not depend on the database's locale.
    fileprivate var column: String {
        switch self {
        case .day: "day::text"
        case .adjusts: "NULL::text"
        default: "\(rawValue) COLLATE \"C\""
        }
    }

    fileprivate var entryColumn: String { self == .merchant ? #"coalesce(merchant, '') COLLATE "C""# : column }

    fileprivate var adjustedColumn: String { self == .adjusts ? "adjusts::text" : entryColumn }
}
