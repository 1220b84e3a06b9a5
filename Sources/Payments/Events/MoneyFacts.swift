package import Canonical

/// Money was taken: a capture of an authorization, or the capture half of a sale.
package struct Capture: Sendable, Hashable, Codable {
    /// The id of the capture that is part of a sale.
    package static let saleID = "sale"

    /// The id of this capture within the transaction. A repeated report of the same capture has the same id.
    package var id: String
    /// The total taken, including the tip.
    package var amounts: Amounts
    package var evidence: Evidence
    package var response: Response
    package var references: References
    /// The capture's own ids, if the vendor gives it others than its payment.
    package var own: References?
    /// The batch it will be settled in, if the document reports it.
    package var batch: BatchReference?
    package var at: ReportedTime?

    package init(
        id: String,
        amounts: Amounts,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        own: References? = nil,
        batch: BatchReference? = nil,
        at: ReportedTime? = nil
    ) {
        self.id = id
        self.amounts = amounts
        self.evidence = evidence
        self.response = response
        self.references = references
        self.own = own
        self.batch = batch
        self.at = at
    }
}

/// The tip inside a capture was set. The value is absolute: the last one counts, and zero removes the tip.
package struct TipAdjustment: Sendable, Hashable, Codable {
    package var tip: Money
    /// The new total and the base, if the vendor repeats them.
    package var amounts: Amounts?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var at: ReportedTime?

    package init(
        tip: Money,
        amounts: Amounts? = nil,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        at: ReportedTime? = nil
    ) {
        self.tip = tip
        self.amounts = amounts
        self.evidence = evidence
        self.response = response
        self.references = references
        self.at = at
    }
}

/// Money was returned, or an approval was cancelled: the payload of `Voided`, `Reversed`, `CaptureReversed`,
/// `Refunded`, `RefundVoided`, `ChargedBack`, `ChargebackReversed`.
package struct Return: Sendable, Hashable, Codable {
    /// The id of this return within the transaction. `RefundVoided` and `ChargebackReversed` repeat the id they undo.
    package var id: String
    /// The amount; nil means all that is open (a void without an amount).
    package var amount: Money?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var batch: BatchReference?
    /// What a void states about its payment, for vendors whose voids must repeat it.
    package var stated: StatedPayment?
    package var at: ReportedTime?
    /// The statement line that reports it, if a statement does.
    package var statementLine: UUID128?

    package init(
        id: String,
        amount: Money? = nil,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        batch: BatchReference? = nil,
        stated: StatedPayment? = nil,
        at: ReportedTime? = nil,
        statementLine: UUID128? = nil
    ) {
        self.statementLine = statementLine
        self.id = id
        self.amount = amount
        self.evidence = evidence
        self.response = response
        self.references = references
        self.batch = batch
        self.stated = stated
        self.at = at
    }
}

/// What a void states about the payment it is of. It does not limit the void, and is only compared with the payment.
package struct StatedPayment: Sendable, Hashable, Codable {
    package var amount: Money?
    package var isCardholderPresent: Bool?

    package init(amount: Money? = nil, isCardholderPresent: Bool? = nil) {
        self.amount = amount
        self.isCardholderPresent = isCardholderPresent
    }
}

/// A batch or bank processed the captured money: the payload of `Settled`, `SettlementRejected`, `Funded` and
/// `Expired`.
package struct Settlement: Sendable, Hashable, Codable {
    /// The id of this settlement within the transaction.
    package var id: String
    /// The amount; nil means all that is open.
    package var amount: Money?
    package var batch: BatchReference?
    package var evidence: Evidence
    package var response: Response
    package var at: ReportedTime?
    /// The time of the event that reports the closing of the batch, if `at` is no instant.
    package var occurredAt: Timestamp?

    /// When the batch was closed; nil if neither the report nor its event has a time.
    var closedAt: OccurrenceTime? {
        at == nil && occurredAt == nil ? nil : OccurrenceTime(at, event: occurredAt)
    }

    package init(
        id: String,
        amount: Money? = nil,
        batch: BatchReference? = nil,
        evidence: Evidence = .settlement,
        response: Response = .init(),
        at: ReportedTime? = nil,
        occurredAt: Timestamp? = nil
    ) {
        self.occurredAt = occurredAt
        self.id = id
        self.amount = amount
        self.batch = batch
        self.evidence = evidence
        self.response = response
        self.at = at
    }
}
