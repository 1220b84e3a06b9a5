package import Canonical
import Composition
import Payments
package import Projections
import Tables

extension Lists {
    package static let totals = ListDefinition<TotalsRequest, TotalsRowJSON>(
        name: "totals",
        summary: "Sums of captures, refunds and credits by up to three keys, sorted by the keys.",
        paths: ["totals", "batches/{batch}/totals"],
        readModels: ["batches", "portions", "anomalies", "merchants"],
        isAvailableInThePast: true,
        pageSize: nil,
        filter: TotalsRequest.init,
        columns: { $0.columns },
        settle: { query, ledger in
            query.filter.days = try await ledger.days(
                query.filter.daysAsked,
                merchant: query.filter.filter.merchant,
                of: query.tenant,
                at: query.position
            )
        },
        parentExists: { query, ledger in
            guard let batch = query.filter.batch else { return true }
            return try await ledger.payments.batches.batch(batch, of: query.tenant) != nil
        },
        members: { query, _ in
            var head: JSONObject = ["by": .array(query.filter.keys.map { .string($0.rawValue) })]
            head["zone"] = .string(query.filter.days.zone.name)
            head["cutoff"] = .string(query.filter.days.cutoff)
            if let position = query.position { head["asOfPosition"] = .number(.init(position)) }
            return head
        },
        page: { query, ledger in
            let wanted = query.filter
            let rows = try await ledger.payments.totals.totals(
                of: query.tenant,
                by: wanted.keys,
                matching: wanted.filter,
                days: wanted.days,
                batch: wanted.batch,
                at: query.position
            )
            return Page(items: rows.map { TotalsRowJSON($0, by: wanted.keys) }, next: nil)
        }
    )
}

/// A request for totals.
package struct TotalsRequest: Sendable, Hashable {
    package var keys: [TotalsKey]
    package var filter = TotalsFilter()
    package var daysAsked = BusinessDayRequest()
    /// Only the lines of this batch.
    package var batch: UUID128?
    /// The business days of the request, computed when the list is opened.
    var days = BusinessDay.standard

    package init(keys: [TotalsKey]) {
        self.keys = keys
    }

    /// Reads `batch`, `by`, the filters, `zone` and `cutoff`. A batch has more keys.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        batch = try query.id("batch", of: "a batch")
        let known = batch == nil ? TotalsKey.offered : TotalsKey.allCases
        let keys = try query.value("by", expected: TotalsKey.expectation(known)) { TotalsKey.list($0, among: known) }
        self.keys = keys ?? [batch == nil ? .currency : .type]
        filter = try TotalsFilter(&query)
        daysAsked = try BusinessDayRequest(&query)
    }

    var columns: [Column] {
        let sums = ["captured", "refunded", "credited", "voided"]
        return keys.filter { $0 != .currency }.map { Column($0.rawValue, $0.member) } + [Column("currency", "currency")]
            + sums.flatMap { [Column("\($0)_count", "\($0)Count")] + Column.money($0, $0) }
            + Column.money("tip", "tip") + Column.money("net", "net")
            + [Column("portions", "portions", as: .json)]
    }
}

extension TotalsFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        vendor = try query.choice("vendor", of: Vendor.self)
        currency = try query.text("currency")
        cardBrand = try query.text("card_brand")
        tender = try query.text("tender")
        clerk = try query.text("clerk")
    }
}
