package import Canonical
package import Payments
package import Projections

/// A card reader or terminal with its latest reports.
package struct ReaderJSON: Codable, Sendable, Hashable {
    package var vendor: Vendor
    package var serial: String
    package var connected: Bool?
    package var state: ReaderView.State?
    package var model: String?
    package var versions: [Detail]
    package var battery: Int?
    package var charging: Bool?
    package var firstSeen: Timestamp
    package var lastSeen: Timestamp
    package var payment: ReaderView.Payment?
    package var payments: Int
    package var errors: [ReaderView.Fault]
    package var updates: [ReaderView.Update]
    package var events: Int
    package var firstPosition: Int64
    package var lastPosition: Int64

    package init(_ view: ReaderView) {
        vendor = view.reader.vendor
        serial = view.reader.serial
        connected = view.isConnected
        state = view.state
        model = view.model
        versions = view.versions
        battery = view.battery
        charging = view.isCharging
        firstSeen = view.firstSeen
        lastSeen = view.lastSeen
        payment = view.payment
        payments = view.payments
        errors = view.faults
        updates = view.updates
        events = view.events
        firstPosition = view.firstPosition
        lastPosition = view.lastPosition
    }
}
