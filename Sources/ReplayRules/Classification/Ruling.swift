package import Canonical

/// What may become of something that failed, or of which the outcome is unknown.
package enum Disposition: Sendable, Hashable {
    /// It may be asked for again, now.
    case resubmit
    /// It took effect, or its end is there already.
    case alreadyPosted
    /// It is not asked for again.
    case never
    /// Nothing is done before this time; then it is asked about, or judged again.
    case waitUntil(Timestamp)
    /// No rule can say.
    case needsPerson

    /// Stable names.
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

    /// Until when nothing is done, where that is what is said.
    package var until: Timestamp? {
        if case .waitUntil(let time) = self { time } else { nil }
    }
}

/// A disposition, and why.
package struct Ruling: Sendable, Hashable {
    package var disposition: Disposition
    /// The id of the rule that decides: one of the book's, or one of the fixed rules that `FixedRule` names.
    package var rule: String
    /// The positions of the events it was decided by, rising, each once.
    package var evidence: [Int64]
    /// What to do in its place.
    package var instead: ReplayOperation?
    /// True where a person should see it, whatever is done.
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

/// Rules that follow from what a payment is, and not from anybody's table: no day and no tenant changes them.
package enum FixedRule: String, Sendable, Hashable, CaseIterable {
    /// No other rule knows what to do.
    case unknown = "default"
    /// The payment is posted.
    case posted = "status.posted"
    /// The batch did not take it: it has to be presented again or put right.
    case settlementRejected = "status.settlement-rejected"
    case voided = "status.voided"
    case reversed = "status.reversed"
    case expired = "status.expired"
    case cancelled = "status.cancelled"
    /// The host approved, the terminal did not carry it out.
    case reversalDue = "status.reversal-due"
    /// What was told of the payment does not fit together.
    case contradiction = "facts.contradict"
    /// An approval was told, although what stands is none.
    case approvalReported = "facts.approval-reported"
    /// Evidence has ended the doubt and is about to be recorded.
    case doubtEnded = "doubt.evidence"
    /// A call about it may have moved money, and nobody knows.
    case callOpen = "call.open"
    /// It was certainly never sent.
    case notSent = "attempt.not-sent"
    /// Evidence shows that nothing was posted.
    case notPosted = "resolution.not-posted"
    /// Found declined, and nobody says why.
    case foundDeclined = "resolution.declined"
    /// It has never been asked for.
    case notAsked = "follow-up.not-asked"
    /// It is in effect.
    case inEffect = "follow-up.in-effect"
    /// There is nothing that it could follow.
    case nothingToFollow = "follow-up.nothing"
    /// Whether there is anything to follow is not known, or it is in another currency.
    case notKnown = "follow-up.not-known"
    case captureOfExpired = "capture.expired"
    case captureExceeds = "capture.exceeds"
    case tipAfterSettlement = "tip.settled"
    case voidAfterSettlement = "void.settled"
    case refundUnsettled = "refund.unsettled"
    case refundExceeds = "refund.exceeds"
    case refundDisputed = "refund.disputed"
    case reversalAfterSettlement = "reversal.settled"
    /// A reversal is repeated until it is acknowledged.
    case reversalRepeated = "reversal.repeated"
    /// No gateway is set up that can be asked.
    case noGateway = "gateway.none"
    /// A gateway is set up that could, and does not send reversals by itself.
    case reversalOff = "reversal.off"
}
