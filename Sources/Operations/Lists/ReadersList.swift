import Composition
package import Payments
package import Projections
import Tables

extension Lists {
    package static let readers = ListDefinition<ReaderFilter, ReaderJSON>(
        name: "readers",
        summary: "Card readers, in the order in which they were first seen.",
        paths: ["readers"],
        readModels: ["readers"],
        filter: ReaderFilter.init,
        columns: { _ in
            [
                Column("vendor", "vendor"), Column("serial", "serial"), Column("connected", "connected"),
                Column("model", "model"), Column("battery", "battery"), Column("charging", "charging"),
                Column("state", "state", "event"), Column("state_at", "state", "at"),
                Column("payment", "payment", "transaction"), Column("payments", "payments"),
                Column("errors", "errors", as: .count), Column("updates", "updates", as: .each("status")),
                Column("events", "events"), Column("first_seen", "firstSeen"), Column("last_seen", "lastSeen"),
                Column("first_position", "firstPosition"), Column("last_position", "lastPosition"),
            ]
        },
        shown: "vendor,serial,model,connected,battery,state,payments,last_seen"
    ) { query, ledger in
        let found = try await ledger.payments.readers.readers(
            of: query.tenant,
            vendor: query.filter.vendor,
            isBusy: query.filter.isBusy,
            isUpdateDue: query.filter.isUpdateDue,
            after: try query.place { cursor throws(Refusal) in try cursor.reader() },
            limit: query.limit + 1
        )
        return Page(found, query.limit) {
            ReaderJSON($0)
        } cursor: {
            Cursor($0)
        }
    }
}

/// A filter of readers. Every condition that is set must hold.
package struct ReaderFilter: Sendable, Hashable {
    package var vendor: Vendor?
    package var isBusy: Bool?
    package var isUpdateDue: Bool?

    package init() {}

    package init(_ query: inout ParameterReader) throws(Refusal) {
        vendor = try query.choice("vendor", of: Vendor.self)
        isBusy = try query.flag("busy")
        isUpdateDue = try query.flag("update_due")
    }
}

extension Cursor {
    /// One document can report two readers at one position, so the cursor names the reader, too.
    package init(_ view: ReaderView) {
        let named = StreamName.named(view.reader)
        self.init(position: view.firstPosition, name: "\(named.vendor.rawValue)~\(named.serial)")
    }

    package func reader() throws(Refusal) -> (position: Int64, reader: ReaderReference) {
        let parts = (name ?? "").split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let vendor = Vendor(rawValue: String(parts[0])) else { throw Self.invalid }
        return (position, ReaderReference(vendor: vendor, serial: String(parts[1])))
    }
}
