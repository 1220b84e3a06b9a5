import Composition
package import Payments
import Projections
import Tables

extension Lists {
    package static let batches = ListDefinition<BatchFilter, BatchJSON>(
        name: "batches",
        summary: "Batches, newest first.",
        paths: ["batches"],
        readModels: ["batches", "merchants"],
        isAvailableInThePast: true,
        filter: BatchFilter.init,
        columns: { _ in batchColumns },
        shown: "id,vendor,account,number,status,opened_at,closed_at"
    ) { query, ledger in
        let filter = query.filter
        guard let position = query.position else {
            let found = try await ledger.payments.batches.batches(
                of: query.tenant,
                status: filter.status,
                vendor: filter.vendor,
                number: filter.number,
                merchant: filter.merchant,
                terminal: filter.terminal,
                isOpen: filter.isOpen,
                before: query.before,
                limit: query.limit + 1
            )
            return Page(found, query.limit) {
                BatchJSON($0)
            } cursor: {
                Cursor(position: $0.firstPosition)
            }
        }
        let page = try await ledger.payments.pastBatches.batches(
            of: query.tenant,
            status: filter.status,
            vendor: filter.vendor,
            number: filter.number,
            merchant: filter.merchant,
            terminal: filter.terminal,
            isOpen: filter.isOpen,
            at: position,
            before: query.before,
            limit: query.limit
        )
        return Page(items: page.items.map { BatchJSON($0) }, next: page.next.map { Cursor(position: $0) })
    }

    // `totals` and `net` have the sums by kind as JSON, since a batch may have several currencies.
    private static let batchColumns =
        [
            Column("id", "id"), Column("vendor", "vendor"), Column("account", "account"), Column("number", "number"),
            Column("generation", "generation"), Column("status", "status"), Column("opened_at", "openedAt"),
            Column("closed_at", "closedAt"), Column("requested", "requested"), Column("settlement", "settlement"),
            Column("net", "net", as: .json), Column("totals", "totals", as: .json), Column("host", "host", as: .json),
        ] + Column.money("difference", "difference") + [
            Column("currency", as: .currency([["difference"]])), Column("first_position", "firstPosition"),
            Column("last_position", "lastPosition"),
        ]
}

/// A filter of batches. Every condition that is set must hold.
package struct BatchFilter: Sendable, Hashable {
    package var status: BatchState.Status?
    package var vendor: Vendor?
    package var number: String?
    package var merchant: String?
    package var terminal: String?
    package var isOpen: Bool?

    package init() {}

    package init(_ query: inout ParameterReader) throws(Refusal) {
        status = try query.choice("status", of: BatchState.Status.self)
        vendor = try query.choice("vendor", of: Vendor.self)
        number = try query.text("number")
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        isOpen = try query.flag("open")
    }
}
