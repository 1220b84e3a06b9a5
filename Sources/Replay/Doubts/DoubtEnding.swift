package import Payments
package import Redaction

/// An operator's statement of the outcome of something in doubt.
package struct DoubtEnding: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        /// It took effect.
        case approved
        case declined
        /// It never reached the host or gateway.
        case notPosted = "not-posted"
        /// It took effect and was reversed since.
        case reversed
    }

    package var outcome: Outcome
    /// The evidence and its source.
    package var evidence: String
    package var reason: Reason
    /// The approved amount, or the amount of the follow-up, if it differs from the requested one.
    package var amount: Money?

    package init(_ outcome: Outcome, evidence: String, reason: Reason, amount: Money? = nil) {
        self.outcome = outcome
        self.evidence = evidence
        self.reason = reason
        self.amount = amount
    }
}

/// What a proposal to end a doubt contains; its reason is the proposal's.
package struct ProposedEnding: Sendable, Hashable, Codable {
    package var outcome: DoubtEnding.Outcome
    package var evidence: String
    package var amount: Money?

    init(_ ending: DoubtEnding) {
        outcome = ending.outcome
        evidence = ending.evidence
        amount = ending.amount
    }

    func ending(reason: Reason) -> DoubtEnding {
        DoubtEnding(outcome, evidence: evidence, reason: reason, amount: amount)
    }
}

extension DoubtEnding.Outcome {
    var resolution: Resolution.Outcome {
        switch self {
        case .approved: .approved
        case .declined: .declined
        case .notPosted: .notPosted
        case .reversed: .reversed
        }
    }
}
