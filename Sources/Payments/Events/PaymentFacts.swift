package import Canonical

/// A payment was asked for. The payload of `SaleRequested`, `AuthorizationRequested`, `CreditRequested` and
/// `VerificationRequested`.
package struct PaymentRequest: Sendable, Hashable, Codable {
    /// What was asked for; nil where the document does not repeat it.
    package var amounts: Amounts?
    package var references: References
    /// The tender the app named: `credit`, `debit`, `gift`.
    package var tender: String?
    /// The device's clock when the payment was started.
    package var at: Timestamp?

    package init(amounts: Amounts?, references: References = .init(), tender: String? = nil, at: Timestamp? = nil) {
        self.amounts = amounts
        self.references = references
        self.tender = tender
        self.at = at
    }
}

/// An authorisation was given, in full (`AuthorizationApproved`) or in part (`PartiallyApproved`); for a
/// standalone refund, `CreditApproved`.
package struct Approval: Sendable, Hashable, Codable {
    /// What was approved: A in invariant I1.
    package var amounts: Amounts
    /// What had been asked for, where the document says: R in invariant I1.
    package var requested: Money?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var card: CardPresentation?
    /// The batch the credit is settled in; only for `CreditApproved`.
    package var batch: BatchReference?
    package var at: Timestamp?

    package init(
        amounts: Amounts,
        requested: Money? = nil,
        evidence: Evidence,
        response: Response,
        references: References,
        card: CardPresentation? = nil,
        batch: BatchReference? = nil,
        at: Timestamp? = nil
    ) {
        self.amounts = amounts
        self.requested = requested
        self.evidence = evidence
        self.response = response
        self.references = references
        self.card = card
        self.batch = batch
        self.at = at
    }
}

/// A payment ended, or was left hanging, without money: the payload of `Declined`, `Cancelled`, `Failed` and
/// `OutcomeUnknown`.
package struct Verdict: Sendable, Hashable, Codable {
    package var evidence: Evidence
    /// In `OutcomeUnknown`, what this side did say, where that does not settle the payment: a host that approved without
    /// a word on the amount, a terminal that gave up while the host's answer was under way.
    package var said: Outcome?
    /// In `OutcomeUnknown`, what was asked about the payment and not answered; nil where it is the payment's own answer.
    package var means: Resolution.Means?
    package var response: Response
    package var references: References
    package var card: CardPresentation?
    package var at: Timestamp?

    package init(
        evidence: Evidence,
        response: Response,
        references: References = .init(),
        card: CardPresentation? = nil,
        at: Timestamp? = nil,
        said: Outcome? = nil,
        means: Resolution.Means? = nil
    ) {
        self.means = means
        self.evidence = evidence
        self.response = response
        self.references = references
        self.card = card
        self.at = at
        self.said = said
    }
}

/// An outcome that had been unknown was settled by evidence. Never by a time-out, never by a guess.
package struct Resolution: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable {
        case approved, partiallyApproved, declined, notPosted, reversed
    }
    /// What kind of evidence settled it.
    package enum Means: String, Sendable, Hashable, Codable {
        case statusQuery, find, recoveredResult, reversalAcknowledgement, settlementLine
        /// The word of a person who has seen evidence.
        case testimony
    }
    package var outcome: Outcome
    package var means: Means
    /// What kind of payment was found, where the evidence shows it.
    package var operation: Operation?
    /// What was approved; required for the two approvals.
    package var amounts: Amounts?
    package var evidence: Evidence
    package var references: References
    /// When it happened.
    package var at: Timestamp?
    /// The sender's clock when the evidence came in.
    package var answeredAt: Timestamp?
    /// The id of the line of a statement that shows it.
    package var statementLine: UUID128?
    /// Where it is the word of a person. Only the desk for doubts records one.
    package var testimony: Testimony?

    package init(
        outcome: Outcome,
        means: Means,
        operation: Operation? = nil,
        amounts: Amounts? = nil,
        evidence: Evidence,
        references: References = .init(),
        at: Timestamp? = nil,
        answeredAt: Timestamp? = nil,
        statementLine: UUID128? = nil,
        testimony: Testimony? = nil
    ) {
        self.operation = operation
        self.answeredAt = answeredAt
        self.statementLine = statementLine
        self.testimony = testimony
        self.outcome = outcome
        self.means = means
        self.amounts = amounts
        self.evidence = evidence
        self.references = references
        self.at = at
    }
}

/// What a person says about an outcome that was unknown, whose name is in the event's actor.
package struct Testimony: Sendable, Hashable, Codable {
    /// What was seen, and where: scrubbed, in the person's words.
    package var evidence: String
    package var reason: String
    /// The follow-up it is about, by the name in the anomaly that told of it: `void`, `capture`. Nil: the payment itself.
    package var followUp: String?

    package init(evidence: String, reason: String, followUp: String? = nil) {
        self.evidence = evidence
        self.reason = reason
        self.followUp = followUp
    }
}

/// An authorisation was raised (`delta` > 0) or partly released (`delta` < 0).
package struct Increment: Sendable, Hashable, Codable {
    /// Names this increment within the transaction.
    package var id: String
    /// The change, signed.
    package var delta: Money
    package var evidence: Evidence
    package var at: Timestamp?

    package init(id: String, delta: Money, evidence: Evidence, at: Timestamp? = nil) {
        self.id = id
        self.delta = delta
        self.evidence = evidence
        self.at = at
    }
}
