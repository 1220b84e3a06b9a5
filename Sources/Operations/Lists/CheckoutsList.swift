import Canonical
import Composition
import Payments
package import Projections
import Tables

extension Lists {
    package static let checkouts = ListDefinition<CheckoutFilter, CheckoutJSON>(
        name: "checkouts",
        summary: "Checkouts, newest first.",
        paths: ["checkouts"],
        readModels: ["checkouts"],
        filter: CheckoutFilter.init,
        columns: { _ in
            [
                Column("id", "id"), Column("vendor", "vendor"), Column("status", "status"),
                Column("state", "state", "event"), Column("state_at", "state", "at"),
                Column("currency", as: .currency([["amounts", "total"]])),
            ] + Column.money("due", "amounts", "total") + [
                Column("transactions", "transactions", as: .json), Column("details", "details", as: .json),
                Column("failures", "failures"), Column("events", "events"), Column("first_seen", "firstSeen"),
                Column("last_seen", "lastSeen"), Column("first_position", "firstPosition"),
                Column("last_position", "lastPosition"),
            ]
        },
        shown: "id,vendor,status,state,due_decimal,currency,transactions,last_seen"
    ) { query, ledger in
        let found = try await ledger.payments.checkouts.checkouts(
            of: query.tenant,
            matching: query.filter,
            after: try query.place { cursor throws(Refusal) in
                guard let id = cursor.name else { throw Cursor.invalid }
                return (cursor.position, id)
            },
            limit: query.limit + 1
        )
        return Page(found, query.limit) {
            CheckoutJSON($0)
        } cursor: {
            Cursor(position: $0.firstPosition, name: $0.id)
        }
    }
}

extension CheckoutFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        vendor = try query.choice("vendor", of: Vendor.self)
        status = try query.choice("status", of: CheckoutView.Status.self)
        transaction = try query.id("transaction", of: "a payment")
    }
}
