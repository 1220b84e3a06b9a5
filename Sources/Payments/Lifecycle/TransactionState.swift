package import Canonical

/// One payment as its events so far tell it. A pure fold: the same events give the same value, and every read
/// model of a transaction is computed from it. Amounts are minor units of `currency`.
package struct TransactionState: Sendable, Hashable, Codable {
    /// How many events have been folded: the stream's version.
    package var version: Int64 = 0
    package var operation: Operation?
    /// False while the operation is only concluded from what followed.
    package var isOperationReported = false
    /// The currency of the first amount told. Amounts in another currency are flagged and not summed.
    package var currency: Currency?
    package var vendor: Vendor?
    /// The app's own name for the payment, as it was first told.
    package var reference: String?
    package var merchant: String?
    package var terminal: String?
    package var device: String?
    /// The reader that told something last.
    package var cardReader: ReaderReference?
    package var tender: String?

    /// R: what was asked for.
    package var requested: Int64?
    /// What was first approved, before increments and releases.
    package var approved: Int64?
    package var isPartial = false
    package var hasApproval = false
    /// Who resolved an outcome in doubt to an approval.
    package var resolvedBy: Evidence?
    /// The parts of the last total told.
    package var breakdown: Amounts?
    package var increments: [NamedAmount] = []
    /// What was released of the authorisation without ending it.
    package var released: Int64 = 0
    package var captures: [CaptureEntry] = []
    /// A tip that was told before its capture.
    package var pendingTip: Int64?
    package var captureReversals: [String] = []
    /// How many captures were taken back before they were told.
    package var pendingCaptureReversals = 0
    package var voids: [NamedAmount] = []
    package var reversals: [NamedAmount] = []
    package var refunds: [ReturnEntry] = []
    /// Refunds that were voided before they were told.
    package var pendingRefundVoids: [String] = []
    package var chargebacks: [ReturnEntry] = []
    /// Chargebacks that were reversed before they were told.
    package var pendingChargebackReversals: [String] = []
    /// The amount of an approved standalone refund; inferred where only evidence tells that it was made.
    package var credit: CaptureEntry?
    /// The tenders it was paid with, in the order they were told, and the cash a machine handed out; empty for a payment
    /// that is approved as a whole.
    package var tenders: [TenderEntry] = []
    /// The offers that were applied, each once.
    package var offers: [NamedAmount] = []
    /// The least that a tender is said to have left to pay.
    package var leastBalance: Int64?
    /// True while the verdict that stands is only that of attempts with single tenders: another one may do better.
    package var isOutcomeOfTender = false
    package var isVoided = false
    package var isReversed = false
    package var isExpired = false
    /// Who said that the whole payment is voided or reversed.
    package var closedBy: Evidence?
    /// True when that was told before the approval.
    package var isClosedEarly = false
    package var isSettlementRejected = false
    /// The batches that were closed with money of this payment in them.
    package var settledBatches: [BatchReference] = []
    /// Minor units seen on the merchant's bank account.
    package var funded: Int64 = 0
    package var fundings: [NamedAmount] = []
    /// The sum of the magnitudes of all amounts taken in, at most `turnoverLimit`.
    package var turnover: Int64 = 0

    package var reader: Facet?
    package var gateway: Facet?
    package var settlement: Facet?
    /// The verdict that stands, and who vouches for it.
    package var outcome: Outcome?
    package var outcomeEvidence: Evidence?
    /// The latest time told with a verdict that settles the payment, or with evidence that does.
    package var decidedAt: Timestamp?

    package var references = References()
    package var card: CardPresentation?
    /// Every anomaly raised and not cleared, in order.
    package var anomalies: [Anomaly] = []
    package var linked: [String] = []
    /// When the event that is folded happened, where whoever folds says so.
    package var clock: Timestamp?
    /// The earliest of those: when the payment was made, as far as anybody has told.
    package var begunAt: Timestamp?
    /// What was last told about the value of the card beside paying with it.
    package var cardValue: CardValue?
    /// How often each copy of the receipt was handed out.
    package var receipts = ReceiptCounts()
    /// The calls to gateways of which nobody knows for certain what they did.
    package var openCalls = OpenCalls()
    /// What stood of a payment that came to nothing, while it is asked for again.
    package var earlierAttempt: EarlierAttempt?
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
    /// The tip that was told with the capture, before any adjustment.
    package var firstTip: Int64
    /// When the last adjustment of the tip was made.
    package var tipAt: Timestamp?
    package var voided: Int64 = 0
    package var evidence: Evidence
    /// When the event happened that told it, and when the payment was made where it is only implied; nil where whoever
    /// folded did not say.
    package var at: Timestamp?
    package var batch: BatchReference?
    /// The closed batch that took it.
    package var settledIn: BatchReference?
    package var isSettled = false
    /// When that batch was closed, where nothing but the closing says that the batch took it.
    package internal(set) var closedAt: Timestamp?
    /// True when the capture itself was never told and is implied by a tip adjustment or a resolution.
    package var isInferred = false

    /// What is left after voids.
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

    /// Takes it out of a batch that was closed later: what the host has voided by then is in no batch, whatever was
    /// concluded from the batch's number.
    mutating func reopen(before voided: Timestamp) {
        guard isSettled, let closedAt, voided < closedAt else { return }
        isSettled = false
        settledIn = nil
    }

    /// Puts another tip on the same base.
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
    /// When the event happened that told it; nil where whoever folded did not say.
    package var at: Timestamp?
    package var batch: BatchReference?
    /// The closed batch that took it.
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

/// A follow-up that was told, by its id, and how much it was about; nil where it was about everything.
package struct NamedAmount: Sendable, Hashable, Codable {
    package var id: String
    package var amount: Money?

    package init(id: String, amount: Money?) {
        self.id = id
        self.amount = amount
    }
}
