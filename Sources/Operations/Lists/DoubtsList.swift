import Canonical
import Composition
import Payments
package import Projections
package import Replay
import Tables

extension Lists {
    package static let doubts = ListDefinition<Sorted<DoubtWorklist.Filter, DoubtQuery.Order>, DoubtJSON>(
        name: "doubts",
        summary:
            "Unknown outcomes, and approvals that must be reversed: oldest first, or the most at stake first with sort=value.",
        paths: ["doubts"],
        readModels: ["transactions", "readers", "merchants"],
        filter: { query throws(Refusal) in
            let filter = try DoubtWorklist.Filter(&query)
            return Sorted(filter, by: try query.choice("sort", of: DoubtQuery.Order.self) ?? .age)
        },
        columns: { _ in
            [
                Column("transaction", "transaction"), Column("status", "status"), Column("vendor", "vendor"),
                Column("merchant", "merchant"), Column("terminal", "terminal"), Column("reference", "reference"),
                Column("reader", "reader", "serial"), Column("reader_holds_result", "reader", "holdsResult"),
                Column("occurred_at", "occurredAt"), Column("age_seconds", "ageSeconds"),
                Column("currency", as: .currency([["atRisk"]])),
            ] + Column.money("at_risk", "atRisk") + [
                Column("what", "doubt", "what"), Column("event", "doubt", "event"), Column("code", "doubt", "code"),
                Column("message", "doubt", "message"), Column("gateways", "gateways", as: .json),
                Column("queries", "queries"), Column("last_query_at", "lastQuery", "at"),
                Column("last_answer", "lastQuery", "answer"), Column("next_at", "nextAt"),
                Column("attention", "attention", "rule"), Column("person_needed", "attention", "isNeeded"),
            ]
        },
        shown: "transaction,age_seconds,at_risk_decimal,currency,what,code,queries,last_answer,next_at,attention",
        // The value at risk of all matches, not only of the page.
        members: { query, ledger in
            let risk = try await ledger.replay.worklist.risk(of: query.tenant, matching: query.filter.filter)
            return try JSONObject(members: DoubtTotalsJSON(risk))
        },
        page: { query, ledger in
            let order = query.filter.order
            let found = try await ledger.replay.worklist.page(
                of: query.tenant,
                matching: query.filter.filter,
                sortedBy: order,
                after: try query.place { cursor throws(Refusal) in try cursor.doubt(in: order) },
                limit: query.limit
            )
            let now = ledger.clock.now()
            return Page(
                items: try found.items.map { try DoubtJSON($0, at: now) },
                next: found.next.map { Cursor($0, in: order) }
            )
        }
    )
}

extension DoubtWorklist.Filter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        payments.vendor = try query.choice("vendor", of: Vendor.self)
        payments.merchant = try query.text("merchant")
        payments.terminal = try query.text("terminal")
        payments.currency = try query.text("currency")
        payments.reader = try query.text("reader")
        payments.readerHoldsResult = try query.flag("reader_holds_result")
        olderThanSeconds = try query.integer("older_than", in: 0...3_155_760_000)
        needsPerson = try query.flag("needs_person")
    }
}

extension Cursor {
    fileprivate init(_ place: DoubtQuery.Place, in order: DoubtQuery.Order) {
        self.init(position: place.position, name: "\(order.rawValue)~\(place.key)")
    }

    /// - Throws: `invalid-cursor`, also for a cursor of the same list in another order.
    fileprivate func doubt(in order: DoubtQuery.Order) throws(Refusal) -> DoubtQuery.Place {
        let parts = (name ?? "").split(separator: "~", maxSplits: 1)
        guard parts.count == 2, parts[0] == order.rawValue, let key = Int64(parts[1]), key > .min,
            order == .value || Timestamp(exactMicrosecondsSince1970: key) != nil
        else { throw Self.invalid }
        return DoubtQuery.Place(position: position, key: key)
    }
}
