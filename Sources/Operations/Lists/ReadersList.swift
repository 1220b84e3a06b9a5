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
                Column("holds_result", "holdsResult"),
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
            matching: query.filter,
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

extension ReaderFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        vendor = try query.choice("vendor", of: Vendor.self)
        isBusy = try query.flag("busy")
        isUpdateDue = try query.flag("update_due")
        isMandatoryUpdateDue = try query.flag("mandatory_update_due")
        batteryBelow = try query.value("battery_below", expected: "is a percentage from 1 to 100") { text in
            Int64(text).flatMap { (1...100).contains($0) ? $0 : nil }
        }
        isCharging = try query.flag("charging")
        notSeenSince = try query.time("not_seen_since")
        error = try query.text("error")
        hasErrors = try query.flag("has_errors")
        holdsResult = try query.flag("holds_result")
        isUnlikeFleet = try query.flag("unlike_fleet")
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
