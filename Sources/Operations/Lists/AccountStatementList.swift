import Canonical
import Composition
import EventLog
package import Journal
package import Payments
import Projections
import Tables

extension Lists {
    private static let statementModels = ["journal", "merchants"]

    package static let accountStatement = ListDefinition<AccountStatementRequest, AccountEntryJSON>(
        name: "account-statement",
        summary: "Entries of an account with the balance after each, in the order in which they were posted.",
        paths: ["accounts/{account}/statement"],
        readModels: statementModels,
        isAvailableInThePast: true,
        filter: AccountStatementRequest.init,
        columns: { _ in
            [
                Column("position", "position"), Column("leg", "leg"), Column("day", "day"),
                Column("adjusts", "adjusts"), Column("account", "account"), Column("part", "part"),
                Column("currency", as: .currency([["amount"]])),
            ] + Column.money("amount", "amount") + Column.money("balance", "balance") + [
                Column("merchant", "merchant"), Column("terminal", "terminal"), Column("transaction", "transaction"),
                Column("line", "line"), Column("statement_line", "statementLine"), Column("event", "event"),
            ]
        },
        shown: "position,day,adjusts,part,amount_decimal,balance_decimal,currency,merchant,transaction,line",
        settle: { query, ledger in
            // All pages, and the balances of the whole, are of one position.
            guard query.position == nil else { return }
            query.position = try await ledger.position(of: statementModels, goingOnAt: query.cursor)
        },
        members: { query, ledger in
            let statement = query.filter.statement(through: query.position)
            let opening = try await ledger.journal.opening(of: statement, tenant: query.tenant)
            let closing = try await ledger.journal.closing(of: statement, tenant: query.tenant)
            let chart = try await ledger.journal.chart(of: query.tenant, at: query.position)
            return try JSONObject(
                members: AccountStatementHeadJSON(
                    statement,
                    of: query.filter.account,
                    opening: opening,
                    closing: closing,
                    named: chart
                )
            )
        },
        page: { query, ledger in
            let found = try await ledger.journal.entries(
                of: query.filter.statement(through: query.position),
                tenant: query.tenant,
                after: try query.place { cursor throws(Refusal) in try cursor.leg() },
                balances: query.cursor?.balances,
                limit: query.limit + 1
            )
            return Page(found, query.limit) {
                AccountEntryJSON($0)
            } cursor: { entry in
                var cursor = Cursor(position: entry.leg.position, name: String(entry.leg.leg))
                cursor.balances = entry.balances
                return cursor
            }
        }
    )
}

/// A request for the statement of an account.
package struct AccountStatementRequest: Sendable, Hashable {
    package var account: Account
    package var filter = JournalFilter()
    /// Only entries after this position.
    package var after: Int64?

    /// Reads `part`, `merchant`, `currency`, `from_day`, `to_day`, `after_position` and `account`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        filter.part = try query.text("part")
        filter.merchant = try query.text("merchant")
        filter.currency = try query.text("currency")
        filter.from = try query.day("from_day")
        filter.to = try query.day("to_day")
        after = try query.integer("after_position", in: 0...Int64.max)
        guard let account = try query.choice("account", of: Account.self) else {
            throw ParameterReader.invalid("account", "is an account of the journal")
        }
        self.account = account
        filter.account = account
    }

    func statement(through position: Int64?) -> AccountStatement {
        AccountStatement(filter, after: after, through: position ?? .max)
    }
}

extension Ledger {
    /// The position that a list without a moment covers: the one of its cursor, else the last one that all of its read
    /// models contain.
    ///
    /// - Throws: `invalid-cursor`; errors of reading.
    fileprivate func position(of models: [String], goingOnAt cursor: Cursor?) async throws -> Int64 {
        if let cursor {
            guard let position = cursor.asOf, try await position <= reader.head() else { throw Cursor.invalid }
            return position
        }
        let progress = try await readModels.positions().filter { models.contains($0.name) }
        return progress.map(\.position).min() ?? 0
    }
}
