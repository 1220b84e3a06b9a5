package import Canonical

/// What happens to a wallet checkout around its payment.
package typealias CheckoutEvent = ReportEvent<CheckoutEventName>

/// The names of the event types, as they are stored.
package enum CheckoutEventName: String, ReportName {
    package typealias Report = CheckoutReport

    case checkoutTokenIssued = "CheckoutTokenIssued"
    case checkoutTokenReleased = "CheckoutTokenReleased"
    case checkoutTokenScanned = "CheckoutTokenScanned"
    case checkoutTokenBlocked = "CheckoutTokenBlocked"
    case checkoutTokenInUse = "CheckoutTokenInUse"
    case checkoutTokenExpired = "CheckoutTokenExpired"
    /// The merchant's system told what is bought and how it can be paid.
    case checkoutDescribed = "CheckoutDescribed"
    /// The wallet sent what the flow rule asked for.
    case checkoutUpdated = "CheckoutUpdated"
    case checkoutCompleted = "CheckoutCompleted"
    case checkoutCancelled = "CheckoutCancelled"
    case checkoutFailed = "CheckoutFailed"
    case offerApplied = "OfferApplied"
}

/// A wallet checkout, named by the digest of its token: whoever has the token can pay with it, so it is never kept.
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
    package var at: Timestamp?

    package init(
        checkout: CheckoutReference,
        response: Response = .init(),
        amounts: Amounts? = nil,
        references: References = .init(),
        details: [Detail]? = nil,
        at: Timestamp? = nil
    ) {
        self.checkout = checkout
        self.response = response
        self.amounts = amounts
        self.references = references
        self.details = details
        self.at = at
    }
}
