import Canonical
import Composition
package import Journal
import Payments
import Tables

extension Lists {
    package static let journal = ListDefinition<JournalFilter, PostedLegJSON>(
        name: "journal",
        summary: "Legs of the journal's entries, in the order in which they were posted.",
        paths: ["journal"],
        readModels: ["journal", "merchants"],
        isAvailableInThePast: true,
        filter: JournalFilter.init,
        columns: { _ in
            [
                Column("position", "position"), Column("leg", "leg"), Column("day", "day"),
                Column("adjusts", "adjusts"), Column("account", "account"), Column("part", "part"),
                Column("currency", as: .currency([["amount"]])),
            ] + Column.money("amount", "amount") + [
                Column("merchant", "merchant"), Column("terminal", "terminal"), Column("transaction", "transaction"),
                Column("line", "line"), Column("statement_line", "statementLine"), Column("event", "event"),
            ]
        },
        shown: "position,day,adjusts,account,part,amount_decimal,currency,merchant,transaction,line",
        page: { query, ledger in
            let place = try query.place { cursor throws(Refusal) in try cursor.leg() }
            let found = try await ledger.journal.legs(
                of: query.tenant,
                matching: query.filter,
                at: query.position,
                after: place,
                limit: query.limit + 1
            )
            return Page(found, query.limit) {
                PostedLegJSON($0)
            } cursor: {
                Cursor(position: $0.position, name: String($0.leg))
            }
        }
    )
}

extension JournalFilter {
    /// Reads `account`, `part`, `merchant`, `currency`, `transaction`, `from_day` and `to_day`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        account = try query.choice("account", of: Account.self)
        part = try query.text("part")
        merchant = try query.text("merchant")
        currency = try query.text("currency")
        transaction = try query.id("transaction", of: "a payment")
        from = try query.day("from_day")
        to = try query.day("to_day")
    }
}

extension Cursor {
    /// The leg of a cursor of entries.
    func leg() throws(Refusal) -> (position: Int64, leg: Int) {
        guard let leg = name.flatMap({ Int32($0) }), leg > 0 else { throw Self.invalid }
        return (position, Int(leg))
    }
}
