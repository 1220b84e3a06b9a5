package import Payments
import Postgres
import Projections

/// What the journal has of an account.
package struct AccountSummary: Sendable, Hashable {
    package var account: Account
    /// The first `JournalQuery.partLimit` parts that its entries name, by code points.
    package var parts: [String] = []
    /// The number of all parts that its entries name.
    package var partCount: Int64 = 0
    /// The balances that are not zero, by currency code. Minor units: a debit if positive, a credit if negative.
    package var balances: [Money] = []
}

extension JournalQuery {
    /// The largest number of parts that a summary of an account names.
    package static let partLimit = 100

    /// Every account, with or without entries, in the order of `Account`.
    ///
    /// - Parameter position: The position up to which entries count; nil for all. A past position reads all entries up
    ///   to it.
    /// - Throws: `BalanceError`, `PostgresError`.
    package func accounts(of tenant: String, at position: Int64? = nil) async throws -> [AccountSummary] {
        var summaries = Dictionary(
            uniqueKeysWithValues: Account.allCases.map { ($0, AccountSummary(account: $0)) }
        )
        for row in try await balances(of: tenant, by: [.account], at: position) {
            guard let account = row.keys[0].flatMap(Account.init) else { throw UnreadableRow() }
            summaries[account]?.balances.append(Money(row.balance, row.currency))
        }
        var conditions = QueryConditions(["tenant = $1", "part <> $2"], [.text(tenant), .text("")])
        conditions.add("position <=", position.map(PostgresValue.int64))
        let source = position == nil ? "read_journal.balances" : "read_journal.entries"
        let end = conditions.parameter(.int64(Int64(Self.partLimit)))
        let rows = try await pool.query(
            """
            SELECT account, part, parts FROM (
                SELECT account, part, count(*) OVER (PARTITION BY account) AS parts,
                    row_number() OVER (PARTITION BY account ORDER BY part COLLATE "C") AS number
                FROM (SELECT DISTINCT account, part FROM \(source) WHERE \(conditions.sql)) p
            ) n WHERE number <= \(end) ORDER BY account, number
            """,
            conditions.parameters
        )
        for row in rows {
            guard let account = Account(rawValue: try row.text(0)) else { throw UnreadableRow() }
            summaries[account]?.parts.append(try row.text(1))
            summaries[account]?.partCount = try row.int64(2)
        }
        return Account.allCases.compactMap { summaries[$0] }
    }
}
