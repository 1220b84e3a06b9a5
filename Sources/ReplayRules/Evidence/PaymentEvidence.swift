package import Canonical
package import Payments

/// A code of an answer, and whose it is: `bridgepay.message`, `dejavoo.host`.
package struct AnswerCode: Sendable, Hashable {
    package var space: String
    package var code: String

    package init(_ space: String, _ code: String) {
        self.space = space
        self.code = code
    }
}

/// What was asked for, and may be asked for again.
package struct ReplayRequest: Sendable, Hashable {
    package var operation: ReplayOperation
    /// The whole of it; nil for everything that is open.
    package var amount: Money?
    /// Of a tip adjustment: the tip there shall be.
    package var tip: Money?

    package init(_ operation: ReplayOperation, amount: Money? = nil, tip: Money? = nil) {
        self.operation = operation
        self.amount = amount
        self.tip = tip
    }
}

/// What one side said of one attempt.
package struct AnswerEvidence: Sendable, Hashable {
    /// The position of the event that tells it.
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
    /// The attempt it answers, by the name the gateway was given for it; nil where that is not told.
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
    /// The position of the event that tells it.
    package var position: Int64
    package var at: Timestamp
    package var operation: ReplayOperation
    /// False where it is certain that nothing was sent: no connection came about, or it was refused before.
    package var isSent: Bool
    /// False for other payments with the same card at the same merchant, which count for caps.
    package var isThisPayment: Bool
    /// The name the gateway was given for this attempt and no other. With one, only an answer or evidence of the same
    /// name ends it: what comes late may be about an earlier attempt.
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

/// Evidence that settled an outcome nobody knew.
package struct ResolutionEvidence: Sendable, Hashable {
    package var position: Int64
    /// When it was asked for, or came in.
    package var at: Timestamp
    package var outcome: Resolution.Outcome
    package var means: Resolution.Means
    /// The attempt it is about; nil where that is not told.
    package var reference: String?

    package init(
        position: Int64,
        at: Timestamp,
        outcome: Resolution.Outcome,
        means: Resolution.Means,
        reference: String? = nil
    ) {
        self.position = position
        self.at = at
        self.outcome = outcome
        self.means = means
        self.reference = reference
    }
}

/// Everything known of one payment that decides whether something may be asked for again. The order of answers,
/// attempts, resolutions and doubts means nothing: each has its position and time.
package struct PaymentEvidence: Sendable, Hashable {
    package var wanted: ReplayRequest
    package var vendor: Vendor?
    /// The gateway behind the vendor, by the name its rules have: `helcim`.
    package var gateway: String?
    package var scheme: CardScheme?
    package var use: CardUse?
    /// What the payment's events add up to.
    package var balance: PaymentBalance
    package var answers: [AnswerEvidence]
    package var attempts: [AttemptEvidence]
    package var resolutions: [ResolutionEvidence]
    /// What nobody knows the outcome of.
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
