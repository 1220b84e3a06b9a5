package import Canonical
package import Payments

/// One wallet checkout, folded from its events.
package struct CheckoutView: Sendable, Hashable, Codable {
    /// The furthest status reached. Events arrive in any order, so of two final statuses the later case wins: a
    /// completed checkout was paid, whatever else was reported.
    package enum Status: String, Sendable, Hashable, Codable, CaseIterable {
        case open
        /// The token was returned unused.
        case released
        case expired
        case blocked
        case cancelled
        case completed

        fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The last reported event and response.
    package struct State: Sendable, Hashable, Codable {
        package var event: String
        package var response: Response
        package var at: Timestamp
    }

    /// The most payments, and the most details, kept for one checkout.
    package static let longestList = 64

    /// The digest of its token, as in the name of its stream.
    package var id: String
    package var vendor: Vendor
    package var status = Status.open
    package var state: State?
    /// The amounts due, as last reported.
    package var amounts: Amounts?
    /// The time at which the token was returned; a payment after it contradicts that.
    package var releasedAt: Timestamp?
    /// True if the transaction was paid after its token was returned.
    package var paidAfterRelease: Bool?
    /// The payments whose streams hold events of this checkout, in log order.
    package var transactions: [String] = []
    /// Offers, tenders and other reported details, each once.
    package var details: [Detail] = []
    /// The number of failures, including tokens that are blocked or already in use.
    package var failures = 0
    package var events = 0
    package var firstSeen: Timestamp
    package var lastSeen: Timestamp
    package var firstPosition: Int64
    package var lastPosition: Int64

    init(_ id: String, vendor: Vendor, at: Timestamp, position: Int64) {
        self.id = id
        self.vendor = vendor
        firstSeen = at
        lastSeen = at
        firstPosition = position
        lastPosition = position
    }

    /// - Parameters:
    ///   - payment: The payment whose stream holds the event; nil for an event on the checkout's own stream.
    ///   - at: The time by the vendor's clock, else by the sender's.
    mutating func fold(_ event: CheckoutEvent, of payment: UUID128?, at: Timestamp, position: Int64) {
        let report = event.report
        events += 1
        lastPosition = position
        firstSeen = min(firstSeen, at)
        lastSeen = max(lastSeen, at)
        state = State(event: event.type, response: report.response, at: at)
        // The amount of an offer is its discount, and a tip alone is not the amount due.
        if event.name == .checkoutDescribed || event.name == .checkoutUpdated,
            let reported = report.amounts, reported.total != reported.tip
        {
            amounts = reported
        }
        if event.name == .checkoutTokenReleased { releasedAt = min(releasedAt ?? at, at) }
        if event.name == .checkoutCompleted, let releasedAt, at > releasedAt { paidAfterRelease = true }
        if let payment, !transactions.contains(payment.description), transactions.count < Self.longestList {
            transactions.append(payment.description)
        }
        for detail in report.details ?? [] where details.count < Self.longestList && !details.contains(detail) {
            details.append(detail)
        }
        let reported: Status =
            switch event.name {
            case .checkoutCompleted: .completed
            case .checkoutCancelled: .cancelled
            case .checkoutTokenBlocked: .blocked
            case .checkoutTokenExpired: .expired
            case .checkoutTokenReleased: .released
            default: .open
            }
        if reported.rank > status.rank { status = reported }
        let failures: Set<CheckoutEvent.Name> = [.checkoutFailed, .checkoutTokenInUse, .checkoutTokenBlocked]
        if failures.contains(event.name) { self.failures += 1 }
    }
}
