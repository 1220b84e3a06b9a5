package import Canonical

/// The decision about an operation that failed or has an unknown outcome.
package enum Disposition: Sendable, Hashable {
    /// It may be resubmitted now.
    case resubmit
    /// It took effect, or its result is already reached.
    case alreadyPosted
    /// It is never resubmitted.
    case never
    /// Nothing is done before this time. Then the gateway is queried, or the decision is made again.
    case waitUntil(Timestamp)
    /// No rule decides; an operator must review it.
    case needsPerson

    package enum Name: String, Sendable, Hashable, Codable, CaseIterable {
        case resubmit
        case alreadyPosted = "already-posted"
        case never
        case waitUntil = "wait-until"
        case needsPerson = "needs-person"
    }

    package var name: Name {
        switch self {
        case .resubmit: .resubmit
        case .alreadyPosted: .alreadyPosted
        case .never: .never
        case .waitUntil: .waitUntil
        case .needsPerson: .needsPerson
        }
    }

    /// The time of `waitUntil`; nil for the others.
    package var until: Timestamp? {
        if case .waitUntil(let time) = self { time } else { nil }
    }
}

/// A disposition and its reasons.
package struct Ruling: Sendable, Hashable {
    package var disposition: Disposition
    /// The id of the deciding rule: a rule of the book, or one of the fixed rules in `FixedRule`.
    package var rule: String
    /// The positions of the deciding events, ascending, without duplicates.
    package var evidence: [Int64]
    /// The operation to use instead.
    package var instead: ReplayOperation?
    /// True if an operator should see it, whatever is done.
    package var isShown: Bool

    package init(
        _ disposition: Disposition,
        rule: String,
        evidence: some Sequence<Int64>,
        instead: ReplayOperation? = nil,
        isShown: Bool? = nil
    ) {
        self.disposition = disposition
        self.rule = rule
        self.evidence = Set(evidence).sorted()
        self.instead = instead
        self.isShown = isShown ?? (disposition == .needsPerson)
    }

    init(
        _ disposition: Disposition,
        _ rule: FixedRule,
        _ evidence: some Sequence<Int64>,
        instead: ReplayOperation? = nil,
        isShown: Bool? = nil
    ) {
        self.init(disposition, rule: rule.rawValue, evidence: evidence, instead: instead, isShown: isShown)
    }
}

/// Rules that follow from the nature of a payment and not from a table. They are the same on every day and for every
/// tenant.
package enum FixedRule: String, Sendable, Hashable, CaseIterable {
    /// No other rule applies.
    case unknown = "default"
    /// The payment is posted.
    case posted = "status.posted"
    /// The batch rejected the payment: it must be presented again or corrected.
    case settlementRejected = "status.settlement-rejected"
    case voided = "status.voided"
    case reversed = "status.reversed"
    case expired = "status.expired"
    case cancelled = "status.cancelled"
    /// It was made at the vendor's test system, where no money moves.
    case test = "payment.test"
    /// The host approved, and the terminal did not execute the payment.
    case reversalDue = "status.reversal-due"
    /// The recorded facts contradict each other.
    case contradiction = "facts.contradict"
    /// An approval was reported, although the current outcome is not an approval.
    case approvalReported = "facts.approval-reported"
    /// Evidence has ended the doubt; it is about to be recorded.
    case doubtEnded = "doubt.evidence"
    /// A call about the payment may have moved money, and its outcome is unknown.
    case callOpen = "call.open"
    /// It is certain that it was never sent.
    case notSent = "attempt.not-sent"
    /// Evidence shows that nothing was posted.
    case notPosted = "resolution.not-posted"
    /// A query found it declined, without a reason.
    case foundDeclined = "resolution.declined"
    /// It was never requested.
    case notRequested = "follow-up.not-requested"
    /// It is already in effect.
    case inEffect = "follow-up.in-effect"
    /// There is nothing for it to follow.
    case nothingToFollow = "follow-up.nothing"
    /// It is unknown whether there is something to follow, or the currency differs.
    case notKnown = "follow-up.not-known"
    case captureOfExpired = "capture.expired"
    case captureExceeds = "capture.exceeds"
    case tipAfterSettlement = "tip.settled"
    case voidAfterSettlement = "void.settled"
    case refundUnsettled = "refund.unsettled"
    case refundExceeds = "refund.exceeds"
    case refundDisputed = "refund.disputed"
    case reversalAfterSettlement = "reversal.settled"
    /// A reversal is repeated until it is acknowledged, or its schedule ends.
    case reversalRepeated = "reversal.repeated"
    /// The tenant has no gateway for the payment's merchant account.
    case noGateway = "gateway.none"
    /// The payment names no merchant account, so it is at none of the tenant's gateways.
    case noAccount = "account.unknown"
    /// A gateway is configured that could send reversals, but sending them is turned off.
    case reversalOff = "reversal.off"
    /// The payment has the largest number of events, so no query is recorded and none is made.
    case streamFull = "stream.full"
}
