package import Canonical
package import Payments
package import Projections
import Vendors

/// A card reader or terminal with its latest reports.
package struct ReaderJSON: Codable, Sendable, Hashable {
    /// One kind of error, and what the vendor says to do about it.
    package struct Fault: Codable, Sendable, Hashable {
        package var kind: String
        package var message: String?
        package var remedy: String?
        package var count: Int
        package var lastAt: Timestamp
        package var lastPosition: Int64

        init(_ fault: ReaderView.Fault, of vendor: Vendor) {
            kind = fault.kind
            message = fault.message
            remedy = VendorAdapters.adapter(of: vendor).remedy(of: fault.kind)
            count = fault.count
            lastAt = fault.lastAt
            lastPosition = fault.lastPosition
        }
    }

    package var vendor: Vendor
    package var serial: String
    package var names: [Detail]?
    package var connected: Bool?
    package var state: ReaderView.State?
    package var model: String?
    package var versions: [Detail]
    package var battery: Int?
    package var charging: Bool?
    package var holdsResult: Bool?
    /// What to do about a result that it holds.
    package var resultRemedy: String?
    package var firstSeen: Timestamp
    package var lastSeen: Timestamp
    package var payment: ReaderView.Payment?
    package var payments: Int
    package var errors: [Fault]
    package var updates: [ReaderView.Update]
    package var events: Int
    package var firstPosition: Int64
    package var lastPosition: Int64

    package init(_ view: ReaderView) {
        vendor = view.reader.vendor
        serial = view.reader.serial
        names = view.names.isEmpty ? nil : view.names
        connected = view.isConnected
        state = view.state
        model = view.model
        versions = view.versions
        battery = view.battery
        charging = view.isCharging
        holdsResult = view.holdsResult
        resultRemedy =
            view.holdsResult == true ? VendorAdapters.adapter(of: view.reader.vendor).pendingResultRemedy : nil
        firstSeen = view.firstSeen
        lastSeen = view.lastSeen
        payment = view.payment
        payments = view.payments
        errors = view.faults.map { Fault($0, of: view.reader.vendor) }
        updates = view.updates
        events = view.events
        firstPosition = view.firstPosition
        lastPosition = view.lastPosition
    }
}
