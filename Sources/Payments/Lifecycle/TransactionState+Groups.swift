package import Canonical

// The groups of a payment's state.
extension TransactionState {
    /// The payment's operation, and its names at the app and the vendor. The first reported value is kept.
    package struct Identity: Sendable, Hashable, Codable {
        package var operation: KnownOperation?
        package var vendor: Vendor?
        /// The app's name for the payment.
        package var reference: String?
        package var merchant: String?
        package var terminal: String?
        package var device: String?
        /// The reader that reported last.
        package var cardReader: ReaderReference?
        package var tender: String?
        package var circumstances: Circumstances?
        /// The first printed receipt that a document shows.
        package var printed: PrintedReceipt?
        /// The first operation on the card's value or token that was reported.
        package var value: ValueEventName?
        /// Whether the payment was made at the vendor's test system, by all documents that state it; nil if none does.
        package var isTest: Bool?
        package var terms: PaymentTerms?

        /// Sets the operation that a fact shows, unless it is known.
        mutating func infer(_ shown: Operation) { operation = operation ?? .inferred(shown) }

        /// Sets the operation that was requested, unless another one was requested before.
        mutating func request(_ requested: Operation) {
            if operation?.isReported != true { operation = .reported(requested) }
        }
    }

    package enum KnownOperation: Sendable, Hashable, Codable {
        /// Only later facts show it.
        case inferred(Operation)
        case reported(Operation)

        package var value: Operation {
            switch self {
            case .inferred(let operation), .reported(let operation): operation
            }
        }

        var isReported: Bool { if case .reported = self { true } else { false } }
    }

    package struct Times: Sendable, Hashable, Codable {
        /// The time of the event being folded; nil if the caller of the fold does not pass it.
        package var event: Timestamp?
        /// The earliest of these times: when the payment was made, as far as is known.
        package var begunAt: Timestamp?
        /// The earliest and latest times reported by a device or vendor.
        package var earliest = ReportedTimes()
        package var latest = ReportedTimes()
        /// True if the request was reported as sent to the host before any outcome was reported.
        package var isSent = false
    }

    /// The money requested and held.
    package struct Authorization: Sendable, Hashable, Codable {
        /// R: the requested amount.
        package var requested: Int64?
        /// The first approved amount, before increments and releases; nil for a standalone refund.
        package var approved: Int64?
        /// The taxes, fees and the like within that amount.
        package var extras: Int64 = 0
        /// The source of that amount; nil for the sum of tenders.
        package var approvedBy: Evidence?
        /// True if less than the request was approved.
        package var isPartial = false
        /// The source that resolved an unknown outcome to an approval.
        package var resolvedBy: Evidence?
        /// The parts of the last reported total.
        package var breakdown: Amounts?
        /// The taxes that the request, approval or resolution states; nil if none does.
        package var taxed: StatedTaxes?
        package var increments: [NamedAmount] = []
        /// The amount released from the authorization without ending it.
        package var released: Int64 = 0
    }

    /// The tenders of a split payment.
    package struct Tenders: Sendable, Hashable, Codable {
        /// The tenders, in the order they were recorded, and dispensed cash; empty for a payment that is approved as a
        /// whole.
        package var entries: [TenderEntry] = []
        /// The offers that were applied, each counted once.
        package var offers: [NamedAmount] = []
        /// The largest amount that was to be paid with one tender and was not, in minor units.
        package var attempted: Int64?
        /// The most refused tenders that are kept.
        static let mostRefused = 64
        /// The refused tenders, in the order they were recorded.
        package var refused: [RefusedTender] = []
        /// The lowest balance that a tender is reported to have left.
        package var leastBalance: Int64?
    }

    /// Follow-ups that were recorded before what they are about.
    package struct Pending: Sendable, Hashable, Codable {
        package var tip: Int64?
        /// The number of captures that were reversed.
        package var captureReversals = 0
        /// The refunds that were voided.
        package var refundVoids: [PendingUndo] = []
        /// The chargebacks that were reversed.
        package var chargebackReversals: [PendingUndo] = []
        /// The refused follow-ups that name an original.
        package var refusals: [FollowUpRefusal] = []

        var hasReversals: Bool { captureReversals > 0 || !refundVoids.isEmpty || !chargebackReversals.isEmpty }
    }

    /// The recorded voids and reversals, and the end of the authorization. A payment can be voided and reversed, and
    /// can expire as well: documents do not arrive in order.
    package struct Closing: Sendable, Hashable, Codable {
        package var voids: [NamedAmount] = []
        package var reversals: [NamedAmount] = []
        package var captureReversals: [String] = []
        package var isVoided = false
        package var isReversed = false
        package var isExpired = false
        /// The highest-ranked source that reported the payment as voided or reversed, in whole or in part.
        package var evidence: Evidence?
        /// True if that was reported before the approval.
        package var isEarly = false
    }

    /// The reports by batches and the bank.
    package struct Settling: Sendable, Hashable, Codable {
        package var isRejected = false
        /// The closed batches in which the payment was reported as settled.
        package var batches: [EntrySettlement] = []
        package var fundings: [NamedAmount] = []
        /// The minor units that arrived in the merchant's bank account.
        package var funded: Int64 = 0
    }

    /// What each source reports, and the outcome that follows.
    package struct Verdicts: Sendable, Hashable, Codable {
        package var reader: Facet?
        package var gateway: Facet?
        package var settlement: Facet?
        package var current: CurrentOutcome?
        /// The latest reported times of a verdict, or of evidence, that settles the payment.
        package var decidedAt = ReportedTimes()
        /// The latest time of an event with a verdict that settles the payment, by the clock of its sender.
        package var decidedAtEvent: Timestamp?
        /// The latest time of an event with a denial by the host's side, by the clock of its sender.
        package var deniedAtEvent: Timestamp?
        /// The recorded result of a failed payment while it is attempted again.
        package var earlierAttempt: EarlierAttempt?

        /// The report of the source's side. The host has one side: its answers, relayed or not.
        package subscript(source: Evidence) -> Facet? {
            get {
                switch source {
                case .reader: reader
                case .relayed, .gateway: gateway
                case .settlement: settlement
                }
            }
            set {
                switch source {
                case .reader: reader = newValue
                case .relayed, .gateway: gateway = newValue
                case .settlement: settlement = newValue
                }
            }
        }
    }

    /// The current outcome and its source.
    package struct CurrentOutcome: Sendable, Hashable, Codable {
        package var outcome: Outcome
        package var evidence: Evidence
        /// True while the outcome comes only from attempts with single tenders: another tender may succeed.
        package var isOfTender = false

        package init(outcome: Outcome, evidence: Evidence) {
            self.outcome = outcome
            self.evidence = evidence
        }
    }
}
