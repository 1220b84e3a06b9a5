package import Canonical

/// The events of a wallet checkout beside its payment.
package typealias CheckoutEvent = ReportEvent<CheckoutEventName>

/// The names of the event types, as stored.
package enum CheckoutEventName: String, ReportName {
    package typealias Report = CheckoutReport

    case checkoutTokenIssued = "CheckoutTokenIssued"
    case checkoutTokenReleased = "CheckoutTokenReleased"
    case checkoutTokenScanned = "CheckoutTokenScanned"
    case checkoutTokenBlocked = "CheckoutTokenBlocked"
    case checkoutTokenInUse = "CheckoutTokenInUse"
    case checkoutTokenExpired = "CheckoutTokenExpired"
    /// The merchant's system reported the purchase and how it can be paid.
    case checkoutDescribed = "CheckoutDescribed"
    /// The wallet sent the data the flow rule requires.
    case checkoutUpdated = "CheckoutUpdated"
    case checkoutCompleted = "CheckoutCompleted"
    case checkoutCancelled = "CheckoutCancelled"
    case checkoutFailed = "CheckoutFailed"
    case offerApplied = "OfferApplied"
}

/// A wallet checkout, named by the digest of its token. The token itself is never kept, because its holder can pay with
/// it.
package struct CheckoutReference: Sendable, Hashable, Codable {
    package var vendor: Vendor
    /// `sha256:` and 64 hexadecimal digits.
    package var digest: String

    package init(vendor: Vendor, digest: String) {
        self.vendor = vendor
        self.digest = digest
    }
}

/// The payload of every `CheckoutEvent`.
package struct CheckoutReport: Sendable, Hashable, Codable {
    package var checkout: CheckoutReference
    package var response: Response
    package var amounts: Amounts?
    package var references: References
    package var details: [Detail]?
    package var at: ReportedTime?

    package init(
        checkout: CheckoutReference,
        response: Response = .init(),
        amounts: Amounts? = nil,
        references: References = .init(),
        details: [Detail]? = nil,
        at: ReportedTime? = nil
    ) {
        self.checkout = checkout
        self.response = response
        self.amounts = amounts
        self.references = references
        self.details = details
        self.at = at
    }
}
