package import Canonical
package import Payments
package import Projections

/// A wallet checkout.
package struct CheckoutJSON: Codable, Sendable, Hashable {
    package var id: String
    package var vendor: Vendor
    package var status: CheckoutView.Status
    package var state: CheckoutView.State?
    package var amounts: BreakdownJSON?
    /// True if it was paid after its token was returned; else absent.
    package var paidAfterRelease: Bool?
    package var transactions: [String]
    package var details: [Detail]
    package var failures: Int
    package var events: Int
    package var firstSeen: Timestamp
    package var lastSeen: Timestamp
    package var firstPosition: Int64
    package var lastPosition: Int64

    package init(_ view: CheckoutView) {
        id = view.id
        vendor = view.vendor
        status = view.status
        state = view.state
        amounts = view.amounts.map(BreakdownJSON.init)
        paidAfterRelease = view.paidAfterRelease
        transactions = view.transactions
        details = view.details
        failures = view.failures
        events = view.events
        firstSeen = view.firstSeen
        lastSeen = view.lastSeen
        firstPosition = view.firstPosition
        lastPosition = view.lastPosition
    }
}
