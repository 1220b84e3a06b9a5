package import Canonical

/// Money was taken: a capture of an authorisation, or the capture half of a sale.
package struct Capture: Sendable, Hashable, Codable {
    /// The id of the capture that comes with a sale.
    package static let saleID = "sale"

    /// Names this capture within the transaction; the same capture told twice has the same id.
    package var id: String
    /// The total taken, and the tip inside it.
    package var amounts: Amounts
    package var evidence: Evidence
    package var response: Response
    package var references: References
    /// The batch it will be settled in, as far as the document tells.
    package var batch: BatchReference?
    package var at: Timestamp?

    package init(
        id: String,
        amounts: Amounts,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        batch: BatchReference? = nil,
        at: Timestamp? = nil
    ) {
        self.id = id
        self.amounts = amounts
        self.evidence = evidence
        self.response = response
        self.references = references
        self.batch = batch
        self.at = at
    }
}

/// The tip inside a capture was set. Absolute: the last one wins, and zero takes the tip away.
package struct TipAdjustment: Sendable, Hashable, Codable {
    package var tip: Money
    /// The new total and the base, where the vendor repeats them.
    package var amounts: Amounts?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var at: Timestamp?

    package init(
        tip: Money,
        amounts: Amounts? = nil,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        at: Timestamp? = nil
    ) {
        self.tip = tip
        self.amounts = amounts
        self.evidence = evidence
        self.response = response
        self.references = references
        self.at = at
    }
}

/// Money was given back, or was not taken after all: the payload of `Voided`, `Reversed`, `CaptureReversed`,
/// `Refunded`, `RefundVoided`, `ChargedBack`, `ChargebackReversed`.
package struct Return: Sendable, Hashable, Codable {
    /// Names this return within the transaction; `RefundVoided` and `ChargebackReversed` repeat the id they undo.
    package var id: String
    /// How much; nil means all that is open (a void without an amount).
    package var amount: Money?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var batch: BatchReference?
    package var at: Timestamp?

    package init(
        id: String,
        amount: Money? = nil,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        batch: BatchReference? = nil,
        at: Timestamp? = nil
    ) {
        self.id = id
        self.amount = amount
        self.evidence = evidence
        self.response = response
        self.references = references
        self.batch = batch
        self.at = at
    }
}

/// The batch or the bank dealt with the captured money: the payload of `Settled`, `SettlementRejected`, `Funded`
/// and `Expired`.
package struct Settlement: Sendable, Hashable, Codable {
    /// Names this settlement within the transaction.
    package var id: String
    /// How much; nil means all that is open.
    package var amount: Money?
    package var batch: BatchReference?
    package var evidence: Evidence
    package var response: Response
    package var at: Timestamp?

    package init(
        id: String,
        amount: Money? = nil,
        batch: BatchReference? = nil,
        evidence: Evidence = .settlement,
        response: Response = .init(),
        at: Timestamp? = nil
    ) {
        self.id = id
        self.amount = amount
        self.batch = batch
        self.evidence = evidence
        self.response = response
        self.at = at
    }
}
