package import Canonical

/// One payment as its events so far tell it. A pure fold: the same events give the same value, and every read
/// model of a transaction is computed from it. Amounts are minor units of `currency`.
package struct TransactionState: Sendable, Hashable, Codable {
    /// How many events have been folded: the stream's version.
    package var version: Int64 = 0
    package var operation: Operation?
    /// The currency of the first amount told. Amounts in another currency are flagged and not summed.
    package var currency: Currency?
    package var vendor: Vendor?
    package var merchant: String?
    package var terminal: String?
    package var device: String?
    package var tender: String?

    /// R: what was asked for.
    package var requested: Int64?
    /// A: what is approved, increments and releases included.
    package var authorized: Int64 = 0
    package var isPartial = false
    package var hasApproval = false
    /// The parts of the last total told.
    package var breakdown: Amounts?
    package var increments: [String] = []
    package var captures: [CaptureEntry] = []
    package var refunds: [ReturnEntry] = []
    package var chargebacks: [ReturnEntry] = []
    /// The amount of an approved standalone refund.
    package var credit: CaptureEntry?
    package var isVoided = false
    package var isReversed = false
    package var isExpired = false
    package var isSettlementRejected = false
    /// Minor units seen on the merchant's bank account.
    package var funded: Int64 = 0

    package var reader: Facet?
    package var gateway: Facet?
    package var settlement: Facet?
    /// The verdict that stands, and who vouches for it.
    package var outcome: Outcome?
    package var outcomeEvidence: Evidence?

    package var references = References()
    package var card: CardPresentation?
    /// Every anomaly raised and not cleared, in order.
    package var anomalies: [Anomaly] = []
    package var linked: [String] = []
    /// The earliest and latest time told by a device or vendor.
    package var startedAt: Timestamp?
    package var lastAt: Timestamp?

    package init() {}

    /// The fold of `events` over an empty state.
    package init(folding events: some Sequence<TransactionEvent>) {
        for event in events { Lifecycle.evolve(&self, event) }
    }
}

/// One capture and what became of it. Minor units.
package struct CaptureEntry: Sendable, Hashable, Codable {
    package var id: String
    /// The total, tip included.
    package var amount: Int64
    package var tip: Int64
    package var voided: Int64 = 0
    package var evidence: Evidence
    package var batch: BatchReference?
    /// The closed batch that took it.
    package var settledIn: BatchReference?
    package var isSettled = false
    /// True when the capture itself was never told and is implied by a tip adjustment.
    package var isInferred = false

    /// What is left after voids.
    package var net: Int64 { amount - voided }

    package init(id: String, amount: Int64, tip: Int64, evidence: Evidence, batch: BatchReference?) {
        self.id = id
        self.amount = amount
        self.tip = tip
        self.evidence = evidence
        self.batch = batch
    }
}

/// One refund or chargeback. Minor units.
package struct ReturnEntry: Sendable, Hashable, Codable {
    package var id: String
    package var amount: Int64
    package var isUndone = false
    package var evidence: Evidence
    package var batch: BatchReference?
    package var references: References

    package init(id: String, amount: Int64, evidence: Evidence, batch: BatchReference?, references: References) {
        self.id = id
        self.amount = amount
        self.evidence = evidence
        self.batch = batch
        self.references = references
    }
}
