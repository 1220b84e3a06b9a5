import Canonical
import Composition
import EventLog
import Payments
package import Projections
import Tables

extension Lists {
    package static let duplicates = ListDefinition<DuplicateQuery.Filter, DuplicateJSON>(
        name: "duplicates",
        summary: "Pairs of payments that may be one charged twice, newest first.",
        paths: ["duplicates"],
        readModels: ["transactions", "merchants"],
        filter: DuplicateQuery.Filter.init,
        columns: { _ in
            [
                Column("later", "later", "transaction"), Column("later_status", "later", "status"),
                Column("later_at", "later", "occurredAt"), Column("later_reference", "later", "reference"),
                Column("earlier", "earlier", "transaction"), Column("earlier_status", "earlier", "status"),
                Column("earlier_at", "earlier", "occurredAt"), Column("earlier_reference", "earlier", "reference"),
                Column("gap_seconds", "gapSeconds"), Column("brand", "brand"), Column("last4", "lastFour"),
                Column("currency", as: .currency([["amount"]])),
            ] + Column.money("amount", "amount") + [
                Column("vendor", "vendor"), Column("merchant", "merchant"), Column("terminal", "terminal"),
            ]
        },
        shown: "later,earlier,gap_seconds,brand,last4,amount_decimal,currency,terminal"
    ) { query, ledger in
        var filter = query.filter
        if filter.occurredFrom == nil {
            let since = ledger.clock.now().adding(microseconds: -suspicionMicroseconds)
            filter.after = try await ledger.reader.position(recordedUpTo: since)
        }
        let found = try await ledger.payments.duplicates.duplicates(
            of: query.tenant,
            matching: filter,
            before: query.before,
            limit: query.limit + 1
        )
        return Page(found, query.limit) {
            DuplicateJSON($0)
        } cursor: {
            Cursor(position: $0.firstPosition)
        }
    }

    /// The period of the search without a start time: payments first recorded within the last thirty days. Each
    /// payment is compared with others, and a back office works on recent ones.
    private static let suspicionMicroseconds: Int64 = 30 * 86_400_000_000
}

extension DuplicateQuery.Filter {
    /// Reads `window`, `vendor`, `merchant`, `terminal`, `from` and `to`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        windowSeconds = try query.integer("window", in: 1...604_800) ?? windowSeconds
        vendor = try query.choice("vendor", of: Vendor.self)
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
    }
}
