package import Canonical

/// Where a payment stands, folded from its events. Never stored as a fact, never set.
package enum TransactionStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Asked for; nothing answered yet.
    case requested
    /// Approved for less than was asked: the rest is due by other means.
    case partiallyApproved = "partially-approved"
    case authorized
    case partiallyCaptured = "partially-captured"
    /// Money is taken and waits in an open batch.
    case captured
    /// A standalone refund was approved and waits in an open batch.
    case credited
    case verified
    case declined
    case cancelled
    case failed
    /// Nobody can say yet whether money moved.
    case inDoubt = "in-doubt"
    /// It is proven that nothing was ever posted.
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

/// What one side says about the outcome of the authorisation.
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

    /// True when money moves, or is held.
    package var movesMoney: Bool { self == .approved || self == .partiallyApproved }

    /// True when it says something definite.
    package var isDecisive: Bool { self != .unknown }

    /// Within one rank of evidence the more decisive verdict stands, and one that moves money beats one that
    /// does not: assuming a charge that did not happen is found at settlement, the reverse loses money unseen.
    package var weight: Int { movesMoney ? 2 : isDecisive ? 1 : 0 }
}

/// What one side said last, kept apart from what the others said.
package struct Facet: Sendable, Hashable, Codable {
    package var outcome: Outcome
    package var response: Response
    package var at: Timestamp?
    /// What it said where the outcome is unknown all the same.
    package var said: Outcome?

    package init(outcome: Outcome, response: Response, at: Timestamp? = nil, said: Outcome? = nil) {
        self.said = said
        self.outcome = outcome
        self.response = response
        self.at = at
    }
}
