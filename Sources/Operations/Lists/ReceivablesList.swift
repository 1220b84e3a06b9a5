package import Canonical
import Composition
package import Journal
import Matching
import Payments
import Tables

extension Lists {
    package static let receivables = ListDefinition<ReceivablesRequest, ReceivableJSON>(
        name: "receivables",
        summary: "What processors owe by processor, merchant, currency and age, and payouts that no bank has reported.",
        paths: ["receivables"],
        readModels: ["journal", "reconciliation", "merchants"],
        isAvailableInThePast: true,
        pageSize: nil,
        filter: ReceivablesRequest.init,
        columns: { _ in
            [
                Column("account", "account"), Column("processor", "processor"), Column("merchant", "merchant"),
                Column("line", "line"), Column("age", "age"), Column("since", "since"), Column("due", "due"),
                Column("currency", as: .currency([["amount"]])),
            ] + Column.money("amount", "amount")
        },
        shown: "account,processor,merchant,age,since,due,amount_decimal,currency,line",
        settle: { query, ledger in
            guard query.filter.day == nil else { return }
            query.filter.day = try await ledger.moment(query.time, at: query.position).utcDay
        },
        members: { query, _ in
            var head: JSONObject = [:]
            if let day = query.filter.day { head["day"] = .string(day.description) }
            if let position = query.position { head["asOfPosition"] = .number(.init(position)) }
            return head
        },
        page: { query, ledger in
            let calendars = try await ledger.rules(of: query.tenant, at: query.position).rules.calendars
            let owed = try await ledger.journal.owed(
                to: query.tenant,
                matching: query.filter.filter,
                at: query.position
            )
            let today = query.filter.day ?? ledger.clock.now().utcDay
            return Page(
                items: try Receivable.aged(owed, by: calendars, on: today).map { ReceivableJSON($0) },
                next: nil
            )
        }
    )
}

/// A request for receivables.
package struct ReceivablesRequest: Sendable, Hashable {
    package var filter = OwedFilter()
    /// The day as of which ages are computed; nil for that of the requested moment, in UTC.
    package var day: CivilDate?

    /// Reads `day`, `processor`, `merchant` and `currency`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        day = try query.day("day")
        filter = try OwedFilter(&query)
    }
}

extension OwedFilter {
    /// Reads `processor`, `merchant` and `currency`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        processor = try query.text("processor")
        merchant = try query.text("merchant")
        currency = try query.text("currency")
    }
}

extension Timestamp {
    /// The calendar day in UTC.
    var utcDay: CivilDate { CivilDate(String(rfc3339.prefix(10))) ?? CivilDate(daysSince1970: 0) }
}
