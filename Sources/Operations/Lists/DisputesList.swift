import Canonical
import Composition
import Payments
package import Reconciliation
import Tables

extension Lists {
    package static let disputes = ListDefinition<DisputeFilter, DisputeJSON>(
        name: "disputes",
        summary: "Disputes of chargebacks, newest first.",
        paths: ["disputes"],
        readModels: ["movements", "merchants"],
        filter: DisputeFilter.init,
        columns: { _ in
            [
                Column("id", "id"), Column("status", "status"), Column("transaction", "transaction"),
                Column("chargeback", "chargeback"), Column("merchant", "merchant"), Column("vendor", "vendor"),
                Column("currency", as: .currency([["amount"]])),
            ] + Column.money("amount", "amount") + [
                Column("reason_code", "reasonCode"), Column("respond_by", "respondBy"),
                Column("represented_at", "representedAt"), Column("representations", "representations"),
                Column("reported_at", "reportedAt"), Column("closed_at", "closedAt"), Column("version", "version"),
            ]
        },
        shown: "id,status,merchant,amount_decimal,currency,reason_code,respond_by,represented_at,reported_at"
    ) { query, ledger in
        let found = try await ledger.reconciliation.disputes.disputes(
            of: query.tenant,
            matching: query.filter,
            after: try query.place { cursor throws(Refusal) in try cursor.dispute() },
            limit: query.limit + 1
        )
        return try Page(found, query.limit) {
            try DisputeJSON($0)
        } cursor: {
            Cursor($0)
        }
    }
}

extension DisputeFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        status = try query.choice("status", of: DisputeStatus.self)
        isOpen = try query.flag("open")
        merchant = try query.text("merchant")
        transaction = try query.id("transaction", of: "a payment")
        deadlineBefore = try query.day("deadline_before")
    }
}

extension Cursor {
    /// The position of a cursor is not below zero, and times begin in the year 1.
    private static var start: Int64 { Timestamp.earliest.microsecondsSince1970 }

    fileprivate init(_ dispute: DisputeView) {
        self.init(position: dispute.reportedAt.microsecondsSince1970 - Self.start, name: dispute.id.text)
    }

    fileprivate func dispute() throws(Refusal) -> (at: Timestamp, id: UUID128) {
        guard let at = Timestamp(exactMicrosecondsSince1970: position + Self.start) else { throw Self.invalid }
        return (at, try id())
    }
}
