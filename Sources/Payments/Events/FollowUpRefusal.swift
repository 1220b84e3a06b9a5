package import Canonical

/// What was asked for after a payment came to nothing: the payload of `FollowUpRefused`. The payment is what it was before.
///
/// Told by apps and their vendors' answers. What a gateway answered to Daybook itself `CallAnswered` tells.
package struct FollowUpRefusal: Sendable, Hashable, Codable {
    package enum FollowUp: String, Sendable, Hashable, Codable, CaseIterable {
        case capture
        case tipAdjustment = "tip-adjustment"
        case void, refund
        /// Of an authorisation, without a capture.
        case reversal
        case increment
        case refundVoid = "refund-void"
    }

    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case declined
        /// Somebody at the terminal gave it up.
        case cancelled
        /// Refused before anything could be posted.
        case failed
    }

    package var followUp: FollowUp
    package var outcome: Outcome
    /// What it should have captured or given back, where that is told.
    package var amount: Money?
    /// True where it was asked for everything that was open.
    package var isWhole: Bool
    /// Of a tip adjustment: the tip there should have been.
    package var tip: Money?
    package var evidence: Evidence
    package var response: Response
    package var at: Timestamp?

    package init(
        _ followUp: FollowUp,
        outcome: Outcome,
        amount: Money? = nil,
        isWhole: Bool = false,
        tip: Money? = nil,
        evidence: Evidence,
        response: Response = .init(),
        at: Timestamp? = nil
    ) {
        self.followUp = followUp
        self.outcome = outcome
        self.amount = amount
        self.isWhole = isWhole
        self.tip = tip
        self.evidence = evidence
        self.response = response
        self.at = at
    }
}
