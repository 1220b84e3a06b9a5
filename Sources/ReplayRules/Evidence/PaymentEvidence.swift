package import Canonical
package import Payments

/// A code in an answer and the space it belongs to: `bridgepay.message`, `dejavoo.host`.
package struct AnswerCode: Sendable, Hashable {
    package var space: String
    package var code: String
    /// True if the space lists only the host's own codes: a code without a rule is the issuer's.
    package var restIsIssuers: Bool

    package init(_ space: String, _ code: String, restIsIssuers: Bool = false) {
        self.space = space
        self.code = code
        self.restIsIssuers = restIsIssuers
    }
}

/// An operation that was requested and may be resubmitted.
package struct ReplayRequest: Sendable, Hashable {
    package var operation: ReplayOperation
    /// The total; nil for everything that is open.
    package var amount: Money?
    /// The requested tip, for a tip adjustment.
    package var tip: Money?

    package init(_ operation: ReplayOperation, amount: Money? = nil, tip: Money? = nil) {
        self.operation = operation
        self.amount = amount
        self.tip = tip
    }
}

/// One side's answer to one attempt.
package struct AnswerEvidence: Sendable, Hashable {
    /// The position of the event that reports it.
    package var position: Int64
    package var at: Timestamp
    package var operation: ReplayOperation
    package var by: Payments.Evidence
    package var outcome: Outcome
    package var codes: [AnswerCode]
    /// ISO 8583 field 39.
    package var answer: String?
    /// Mastercard's merchant advice code.
    package var advice: String?
    package var message: String?
    /// The attempt it answers, by the reference sent to the gateway; nil if not reported.
    package var reference: String?

    package init(
        position: Int64,
        at: Timestamp,
        operation: ReplayOperation,
        by: Payments.Evidence,
        outcome: Outcome,
        codes: [AnswerCode] = [],
        answer: String? = nil,
        advice: String? = nil,
        message: String? = nil,
        reference: String? = nil
    ) {
        self.position = position
        self.at = at
        self.operation = operation
        self.by = by
        self.outcome = outcome
        self.codes = codes
        self.answer = answer
        self.advice = advice
        self.message = message
        self.reference = reference
    }
}

/// One attempt with a card at a merchant.
package struct AttemptEvidence: Sendable, Hashable {
    /// The position of the event that reports it.
    package var position: Int64
    package var at: Timestamp
    package var operation: ReplayOperation
    /// False if it is certain that nothing was sent: no connection was made, or it was refused before sending.
    package var isSent: Bool
    /// False for other payments with the same card at the same merchant, which count for caps.
    package var isThisPayment: Bool
    /// The reference sent to the gateway, unique to this attempt. With a reference, only an answer or a resolution with
    /// the same reference ends the attempt: a late answer may be about an earlier attempt.
    package var reference: String?

    package init(
        position: Int64,
        at: Timestamp,
        operation: ReplayOperation,
        isSent: Bool = true,
        isThisPayment: Bool = true,
        reference: String? = nil
    ) {
        self.position = position
        self.at = at
        self.operation = operation
        self.isSent = isSent
        self.isThisPayment = isThisPayment
        self.reference = reference
    }
}

/// Evidence that settled an unknown outcome.
package struct ResolutionEvidence: Sendable, Hashable {
    package var position: Int64
    /// The time of the query, or the time the evidence arrived.
    package var at: Timestamp
    package var outcome: Resolution.Outcome
    package var means: Resolution.Means
    package var by: Payments.Evidence
    /// The attempt it is about; nil if not reported.
    package var reference: String?

    package init(
        position: Int64,
        at: Timestamp,
        outcome: Resolution.Outcome,
        means: Resolution.Means,
        by evidence: Payments.Evidence = .gateway,
        reference: String? = nil
    ) {
        by = evidence
        self.position = position
        self.at = at
        self.outcome = outcome
        self.means = means
        self.reference = reference
    }
}

/// All evidence about one payment that decides whether something may be resubmitted. The order of answers, attempts,
/// resolutions and doubts has no effect: each has its position and time.
package struct PaymentEvidence: Sendable, Hashable {
    package var wanted: ReplayRequest
    package var vendor: Vendor?
    /// The gateway behind the vendor, under its name in the rules: `helcim`.
    package var gateway: String?
    package var scheme: CardScheme?
    package var use: CardUse?
    /// The balance, folded from the payment's events.
    package var balance: PaymentBalance
    package var answers: [AnswerEvidence]
    package var attempts: [AttemptEvidence]
    package var resolutions: [ResolutionEvidence]
    /// The operations with an unknown outcome.
    package var doubts: [Doubt]

    package init(
        wanted: ReplayRequest,
        vendor: Vendor? = nil,
        gateway: String? = nil,
        scheme: CardScheme? = nil,
        use: CardUse? = nil,
        balance: PaymentBalance,
        answers: [AnswerEvidence] = [],
        attempts: [AttemptEvidence] = [],
        resolutions: [ResolutionEvidence] = [],
        doubts: [Doubt] = []
    ) {
        self.wanted = wanted
        self.vendor = vendor
        self.gateway = gateway
        self.scheme = scheme
        self.use = use
        self.balance = balance
        self.answers = answers
        self.attempts = attempts
        self.resolutions = resolutions
        self.doubts = doubts
    }
}
