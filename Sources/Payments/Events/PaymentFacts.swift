package import Canonical

/// A payment was requested: the payload of `SaleRequested`, `AuthorizationRequested`, `CreditRequested` and
/// `VerificationRequested`.
package struct PaymentRequest: Sendable, Hashable, Codable {
    /// The requested amounts; nil if the document does not repeat them.
    package var amounts: Amounts?
    package var references: References
    /// The tender the app named: `credit`, `debit`, `gift`.
    package var tender: String?
    package var terms: PaymentTerms?
    /// The start of the payment by the device's clock.
    package var at: ReportedTime?
    package var circumstances: Circumstances?

    package init(
        amounts: Amounts?,
        references: References = .init(),
        tender: String? = nil,
        terms: PaymentTerms? = nil,
        at: ReportedTime? = nil,
        circumstances: Circumstances? = nil
    ) {
        self.circumstances = circumstances
        self.amounts = amounts
        self.references = references
        self.tender = tender
        self.terms = terms
        self.at = at
    }
}

/// What the app states about a payment beside its amounts.
package struct PaymentTerms: Sendable, Hashable, Codable {
    package var isCardholderPresent: Bool?
    /// The number of months over which the cardholder's bank spreads the payment. The amount is the whole amount.
    package var budgetMonths: Int?

    package init(isCardholderPresent: Bool? = nil, budgetMonths: Int? = nil) {
        self.isCardholderPresent = isCardholderPresent
        self.budgetMonths = budgetMonths
    }

    /// These terms, with missing ones filled from `other`.
    package func filled(from other: PaymentTerms) -> PaymentTerms {
        PaymentTerms(
            isCardholderPresent: isCardholderPresent ?? other.isCardholderPresent,
            budgetMonths: budgetMonths ?? other.budgetMonths
        )
    }
}

/// An authorization was granted, in full (`AuthorizationApproved`) or in part (`PartiallyApproved`). For a standalone
/// refund: `CreditApproved`.
package struct Approval: Sendable, Hashable, Codable {
    /// The approved amounts: A in invariant I1.
    package var amounts: Amounts
    /// The requested amount, if the document reports it: R in invariant I1.
    package var requested: Money?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var card: CardPresentation?
    /// The batch the credit is settled in; only for `CreditApproved`.
    package var batch: BatchReference?
    package var at: ReportedTime?

    package init(
        amounts: Amounts,
        requested: Money? = nil,
        evidence: Evidence,
        response: Response,
        references: References,
        card: CardPresentation? = nil,
        batch: BatchReference? = nil,
        at: ReportedTime? = nil
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

/// A payment ended without money, or its outcome is unknown: the payload of `Declined`, `Cancelled`, `Failed` and
/// `OutcomeUnknown`.
package struct Verdict: Sendable, Hashable, Codable {
    package enum Condition: String, Sendable, Hashable, Codable, CaseIterable {
        /// In `OutcomeUnknown`: `said` is the outcome if this side's reports of progress show that the payment was not
        /// sent to the host. In another verdict: the outcome is unknown if they show that it was sent.
        case unlessSent = "unless-sent"
        /// The report does not show which operation it ends. It ends the payment only if nothing else has.
        case whileOpen = "while-open"
        /// The device did not begin what was asked for, because it was busy. It ends the payment only if it is not what
        /// the device was busy with: if no progress of it was reported.
        case unlessBegun = "unless-begun"
    }

    package var evidence: Evidence
    /// In `OutcomeUnknown`, the outcome this side did report, if that does not settle the payment: a host that approved
    /// without an amount, or a terminal that stopped while the host's answer was on its way.
    package var said: Outcome?
    /// When the verdict counts; nil means always.
    package var condition: Condition?
    /// In `OutcomeUnknown`, the query about the payment that was not answered; nil if the payment's own answer is
    /// missing.
    package var means: Resolution.Means?
    /// The operation on a card's value that the verdict is about; nil for a payment.
    package var value: ValueEventName?
    /// The amount that was to be paid, if it is the amount of one tender and not of the whole request.
    package var attempted: Money?
    package var response: Response
    package var references: References
    package var card: CardPresentation?
    package var at: ReportedTime?

    package init(
        evidence: Evidence,
        response: Response,
        references: References = .init(),
        card: CardPresentation? = nil,
        at: ReportedTime? = nil,
        said: Outcome? = nil,
        condition: Condition? = nil,
        means: Resolution.Means? = nil,
        value: ValueEventName? = nil,
        attempted: Money? = nil
    ) {
        self.condition = condition
        self.value = value
        self.attempted = attempted
        self.means = means
        self.evidence = evidence
        self.response = response
        self.references = references
        self.card = card
        self.at = at
        self.said = said
    }
}

/// Evidence settled an outcome that had been unknown. A time-out or a guess never does.
package struct Resolution: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case approved, partiallyApproved, declined, notPosted, reversed
    }
    /// The kind of evidence that settled the outcome.
    package enum Means: String, Sendable, Hashable, Codable, CaseIterable {
        case statusQuery, find, recoveredResult, reversalAcknowledgement, settlementLine
        /// The statement of an operator who has seen evidence.
        case testimony
    }
    package var outcome: Outcome
    package var means: Means
    /// The kind of payment that was found, if the evidence shows it.
    package var operation: Operation?
    /// The approved amounts; required for `approved` and `partiallyApproved`.
    package var amounts: Amounts?
    package var evidence: Evidence
    package var references: References
    /// The time of the outcome.
    package var at: ReportedTime?
    /// The time the evidence arrived, by the sender's clock.
    package var answeredAt: Timestamp?
    /// The id of the statement line that shows it.
    package var statementLine: UUID128?
    /// The operator's statement, if the evidence is one. Only the commands for doubts record one.
    package var testimony: Testimony?

    package init(
        outcome: Outcome,
        means: Means,
        operation: Operation? = nil,
        amounts: Amounts? = nil,
        evidence: Evidence,
        references: References = .init(),
        at: ReportedTime? = nil,
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

/// An operator's statement about an outcome that was unknown. The operator's name is in the event's actor.
package struct Testimony: Sendable, Hashable, Codable {
    /// The evidence the operator saw and where, scrubbed, in the operator's words.
    package var evidence: String
    package var reason: String
    /// The follow-up in doubt. Nil means the payment itself.
    package var followUp: FollowUpInDoubt?
    /// The operators who proposed and approved it. Nil only in testimony from before two were needed.
    package var approval: ChangeApproval?

    package init(
        evidence: String,
        reason: String,
        followUp: FollowUpInDoubt? = nil,
        approval: ChangeApproval? = nil
    ) {
        self.evidence = evidence
        self.reason = reason
        self.followUp = followUp
        self.approval = approval
    }
}

/// An authorization was increased (`delta` > 0) or partly released (`delta` < 0).
package struct Increment: Sendable, Hashable, Codable {
    /// The id of this increment within the transaction.
    package var id: String
    /// The change, signed.
    package var delta: Money
    package var evidence: Evidence
    package var at: ReportedTime?

    package init(id: String, delta: Money, evidence: Evidence, at: ReportedTime? = nil) {
        self.id = id
        self.delta = delta
        self.evidence = evidence
        self.at = at
    }
}
