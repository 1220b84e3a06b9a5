package import Canonical

/// The status of a payment, folded from its events. It is never stored as a fact and never set.
package enum TransactionStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Requested; no answer yet.
    case requested
    /// Approved for less than requested: the rest is due by other means.
    case partiallyApproved = "partially-approved"
    case authorized
    case partiallyCaptured = "partially-captured"
    /// Money is captured and in an open batch.
    case captured
    /// A standalone refund was approved and is in an open batch.
    case credited
    case verified
    /// An operation on a card's value or token succeeded: a gift card was activated, loaded or ended, a balance was
    /// queried, a token was issued. It is no payment.
    case completed
    case declined
    case cancelled
    case failed
    /// It is unknown whether money moved.
    case inDoubt = "in-doubt"
    /// Evidence proves that nothing was ever posted.
    case notPosted = "not-posted"
    case voided
    case reversed
    case expired
    case settled
    case settlementRejected = "settlement-rejected"
    case funded
    case partiallyRefunded = "partially-refunded"
    case refunded
    case chargedBack = "charged-back"
}

/// The outcome of the authorization as one side reports it.
package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
    case unknown
    case declined
    case cancelled
    case failed
    case notPosted = "not-posted"
    case reversed
    case verified
    case partiallyApproved = "partially-approved"
    case approved

    /// True if money moves or is held.
    package var movesMoney: Bool { self == .approved || self == .partiallyApproved }

    /// True unless the outcome is unknown.
    package var isDecisive: Bool { self != .unknown }

    /// The weight of a verdict within one rank of evidence. A definite verdict outweighs an unknown one, and a verdict
    /// that moves money outweighs one that does not: a charge assumed by mistake is found at settlement, while a charge
    /// missed by mistake loses money unnoticed.
    package var weight: Int { movesMoney ? 2 : isDecisive ? 1 : 0 }
}

/// The last report of one side, kept apart from the reports of the others.
package struct Facet: Sendable, Hashable, Codable {
    package var outcome: Outcome
    package var response: Response
    package var at: ReportedTime?
    /// The outcome this side reported although the payment's outcome is unknown.
    package var said: Outcome?
    /// True if only the sender of a document relays it.
    package var isRelayed: Bool

    package init(
        outcome: Outcome,
        response: Response,
        at: ReportedTime? = nil,
        said: Outcome? = nil,
        isRelayed: Bool = false
    ) {
        self.isRelayed = isRelayed
        self.said = said
        self.outcome = outcome
        self.response = response
        self.at = at
    }
}
