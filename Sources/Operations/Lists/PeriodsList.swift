import Canonical
import Composition
package import Reconciliation
import Tables

extension Lists {
    package static let periods = ListDefinition<PeriodFilter, PeriodJSON>(
        name: "periods",
        summary: "Closed business days, newest first.",
        paths: ["periods"],
        readModels: ["reconciliation", "merchants"],
        isAvailableInThePast: true,
        filter: PeriodFilter.init,
        columns: { _ in
            [
                Column("id", "id"), Column("merchant", "merchant"), Column("day", "day"), Column("status", "status"),
                Column("zone", "zone"), Column("cutoff", "cutoff"), Column("position", "position"), Column("at", "at"),
                Column("by", "by"), Column("reason", "reason"), Column("totals", "totals", as: .json),
                Column("carried", "carried", as: .json),
            ]
        },
        shown: "id,merchant,day,status,at,by,reason"
    ) { query, ledger in
        let found = try await ledger.reconciliation.query.periods(
            of: query.tenant,
            matching: query.filter,
            at: query.position,
            before: query.before,
            limit: query.limit + 1
        )
        return try Page(found, query.limit) {
            try PeriodJSON($0)
        } cursor: {
            Cursor(position: $0.firstPosition)
        }
    }
}

extension PeriodFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        merchant = try query.text("merchant")
        status = try query.choice("status", of: Status.self)
        from = try query.day("from")
        to = try query.day("to")
    }
}
