package import Canonical

/// One payment, folded from its events. A pure fold: the same events give the same value, and every read model of a
/// transaction is computed from it. Amounts are minor units of `currency`.
package struct TransactionState: Sendable, Hashable, Codable {
    /// The number of folded events: the stream's version.
    package var version: Int64 = 0
    package var operation: Operation?
    /// False while the operation is only inferred from later facts.
    package var isOperationReported = false
    /// The currency of the first recorded amount. Amounts in another currency are flagged and not summed.
    package var currency: Currency?
    package var vendor: Vendor?
    /// The app's name for the payment, as first recorded.
    package var reference: String?
    package var merchant: String?
    package var terminal: String?
    package var device: String?
    /// The reader that reported last.
    package var cardReader: ReaderReference?
    package var tender: String?

    /// R: the requested amount.
    package var requested: Int64?
    /// The first approved amount, before increments and releases.
    package var approved: Int64?
    package var isPartial = false
    package var hasApproval = false
    /// The source that resolved an unknown outcome to an approval.
    package var resolvedBy: Evidence?
    /// The parts of the last reported total.
    package var breakdown: Amounts?
    package var increments: [NamedAmount] = []
    /// The amount released from the authorisation without ending it.
    package var released: Int64 = 0
    package var captures: [CaptureEntry] = []
    /// A tip that was recorded before its capture.
    package var pendingTip: Int64?
    package var captureReversals: [String] = []
    /// The number of captures that were reversed before they were recorded.
    package var pendingCaptureReversals = 0
    package var voids: [NamedAmount] = []
    package var reversals: [NamedAmount] = []
    package var refunds: [ReturnEntry] = []
    /// Refunds that were voided before they were recorded.
    package var pendingRefundVoids: [String] = []
    package var chargebacks: [ReturnEntry] = []
    /// Chargebacks that were reversed before they were recorded.
    package var pendingChargebackReversals: [String] = []
    /// The amount of an approved standalone refund; inferred if only evidence shows that it was made.
    package var credit: CaptureEntry?
    /// The tenders of the payment, in the order they were recorded, and dispensed cash; empty for a payment that is
    /// approved as a whole.
    package var tenders: [TenderEntry] = []
    /// The offers that were applied, each counted once.
    package var offers: [NamedAmount] = []
    /// The lowest balance that a tender is reported to have left.
    package var leastBalance: Int64?
    /// True while the outcome comes only from attempts with single tenders: another tender may succeed.
    package var isOutcomeOfTender = false
    package var isVoided = false
    package var isReversed = false
    package var isExpired = false
    /// The highest-ranked source that reported the payment as voided or reversed, in whole or in part.
    package var closedBy: Evidence?
    /// True if that was reported before the approval.
    package var isClosedEarly = false
    package var isSettlementRejected = false
    /// The closed batches in which the payment was reported as settled.
    package var settledBatches: [BatchReference] = []
    /// The minor units that arrived in the merchant's bank account.
    package var funded: Int64 = 0
    package var fundings: [NamedAmount] = []
    /// The sum of the magnitudes of all accepted amounts, at most `turnoverLimit`.
    package var turnover: Int64 = 0

    package var reader: Facet?
    package var gateway: Facet?
    package var settlement: Facet?
    /// The current verdict and its source.
    package var outcome: Outcome?
    package var outcomeEvidence: Evidence?
    /// The latest reported time of a verdict, or of evidence, that settles the payment.
    package var decidedAt: Timestamp?

    package var references = References()
    package var card: CardPresentation?
    /// Every anomaly raised and not cleared, in order.
    package var anomalies: [Anomaly] = []
    package var linked: [String] = []
    /// The time of the event being folded; nil if the caller of the fold does not pass it.
    package var clock: Timestamp?
    /// The earliest of these times: when the payment was made, as far as is known.
    package var begunAt: Timestamp?
    /// The last report about the value of the card, other than payments with it.
    package var cardValue: CardValue?
    /// The number of times each copy of the receipt was handed out.
    package var receipts = ReceiptCounts()
    /// The calls to gateways whose effect is not proven.
    package var openCalls = OpenCalls()
    /// The recorded result of a failed payment while it is attempted again.
    package var earlierAttempt: EarlierAttempt?
    /// The earliest and latest time reported by a device or vendor.
    package var startedAt: Timestamp?
    package var lastAt: Timestamp?

    package init() {}

    package init(folding events: some Sequence<TransactionEvent>) {
        for event in events { Lifecycle.evolve(&self, event) }
    }
}

/// One capture and its later changes. Minor units.
package struct CaptureEntry: Sendable, Hashable, Codable {
    package var id: String
    /// The total, including the tip.
    package var amount: Int64
    package var tip: Int64
    /// The tip reported with the capture, before any adjustment.
    package var firstTip: Int64
    /// The time of the last tip adjustment.
    package var tipAt: Timestamp?
    package var voided: Int64 = 0
    package var evidence: Evidence
    /// The time of the event that reported it, or, for an implied capture, the time the payment was made; nil if the
    /// caller of the fold did not pass times.
    package var at: Timestamp?
    package var batch: BatchReference?
    /// The closed batch that contains it.
    package var settledIn: BatchReference?
    package var isSettled = false
    /// The time that batch was closed, if the closing is the only evidence that the batch contains the capture.
    package internal(set) var closedAt: Timestamp?
    /// True if the capture was never reported and is implied by a tip adjustment or a resolution.
    package var isInferred = false

    /// The amount after voids.
    package var net: Int64 { amount - voided }

    /// True while it waits for its batch to close.
    package var isOpen: Bool { !isSettled && (net > 0 || amount == 0) }

    package init(id: String, amount: Int64, tip: Int64, evidence: Evidence, batch: BatchReference?, at: Timestamp?) {
        self.id = id
        self.amount = amount
        self.tip = tip
        self.firstTip = tip
        self.evidence = evidence
        self.batch = batch
        self.at = at
    }

    /// Removes the capture from a batch that was closed after `voided`: money the host voided before the closing is in
    /// no batch, even if the batch's number suggests it.
    mutating func reopen(before voided: Timestamp) {
        guard isSettled, let closedAt, voided < closedAt else { return }
        isSettled = false
        settledIn = nil
    }

    /// Replaces the tip and keeps the base.
    mutating func setTip(_ new: Int64) {
        amount += new - tip
        tip = new
        voided = min(voided, amount)
    }
}

/// One refund or chargeback. Minor units.
package struct ReturnEntry: Sendable, Hashable, Codable {
    package var id: String
    package var amount: Int64
    package var isUndone = false
    package var evidence: Evidence
    /// The time of the event that reported it; nil if the caller of the fold did not pass times.
    package var at: Timestamp?
    package var batch: BatchReference?
    /// The closed batch that contains it.
    package var settledIn: BatchReference?
    package var isSettled = false
    package var references: References

    /// True while a refund waits for its batch to close.
    package var isOpen: Bool { !isSettled && !isUndone }

    package init(
        id: String,
        amount: Int64,
        evidence: Evidence,
        batch: BatchReference?,
        references: References,
        at: Timestamp?
    ) {
        self.id = id
        self.amount = amount
        self.evidence = evidence
        self.batch = batch
        self.references = references
        self.at = at
    }
}

/// A recorded follow-up, by its id, and its amount; nil if it was about everything.
package struct NamedAmount: Sendable, Hashable, Codable {
    package var id: String
    package var amount: Money?

    package init(id: String, amount: Money?) {
        self.id = id
        self.amount = amount
    }
}
