package import Canonical

/// A follow-up on a payment failed: the payload of `FollowUpRefused`. The payment is unchanged.
///
/// Apps and vendor documents report it. A gateway's answer to a call of Daybook is recorded as `GatewayCallAnswered`
/// instead.
package struct FollowUpRefusal: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case declined
        /// Cancelled at the terminal.
        case cancelled
        /// Refused before anything could be posted.
        case failed
    }

    package var followUp: FollowUp
    package var outcome: Outcome
    /// The amount of the follow-up, if it is reported.
    package var amount: Money?
    /// True if the follow-up was for everything that was open.
    package var isWhole: Bool
    /// The requested tip, for a tip adjustment.
    package var tip: Money?
    /// The references by which the request names its original, if they are reported.
    package var original: References?
    package var evidence: Evidence
    package var response: Response
    package var at: ReportedTime?

    package init(
        _ followUp: FollowUp,
        outcome: Outcome,
        amount: Money? = nil,
        isWhole: Bool = false,
        tip: Money? = nil,
        original: References? = nil,
        evidence: Evidence,
        response: Response = .init(),
        at: ReportedTime? = nil
    ) {
        self.followUp = followUp
        self.outcome = outcome
        self.amount = amount
        self.isWhole = isWhole
        self.tip = tip
        self.original = original
        self.evidence = evidence
        self.response = response
        self.at = at
    }
}
