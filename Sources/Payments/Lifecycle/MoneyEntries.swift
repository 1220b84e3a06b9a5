package import Canonical

/// One capture and its later changes. Minor units.
package struct CaptureEntry: Sendable, Hashable, Codable {
    package var id: String
    /// The total, including the tip.
    package var amount: Int64
    package var tip: Int64
    /// The tip reported with the capture, before any adjustment.
    package var firstTip: Int64
    /// The taxes and fees inside the amount.
    package var extras: Int64 = 0
    /// The cash handed out inside the amount.
    package var cashBack: Int64 = 0
    /// The taxes inside the amount, as far as they are reported one by one; what has no label comes last.
    package var taxes: [AmountPart] = []
    /// The time of the last tip adjustment.
    package var tipAt: ReportedTime?
    package var voided: Int64 = 0
    package var evidence: Evidence
    /// The time of the event that reported it, or, for an implied capture, the time the payment was made; nil if the
    /// caller of the fold did not pass times.
    package var at: Timestamp?
    /// The local time that the report of it shows; for an implied capture, the earliest of the payment.
    package var localAt: LocalTime?
    package var batch: BatchReference?
    /// The capture's own ids, if it has others than its payment.
    package var own: References?
    package var settlement = EntrySettlement.open
    /// True if the capture was never reported and is implied by a tip adjustment or a resolution.
    package var isInferred = false

    package var isSettled: Bool { settlement.isSettled }
    package var settledIn: BatchReference? { settlement.batch }

    var madeAt: OccurrenceTime { OccurrenceTime(local: localAt, instant: at) }

    /// The amount after voids.
    package var net: Int64 { amount - voided }

    /// True while it waits for its batch to close.
    package var isOpen: Bool { !isSettled && (net > 0 || amount == 0) }

    /// True if the next closing of its unnamed batch settles it. Money whose settlement was rejected is settled again only
    /// by a report about it.
    package var awaitsClosing: Bool { isOpen && settlement != .rejected }

    package init(
        id: String,
        amount: Int64,
        tip: Int64,
        evidence: Evidence,
        batch: BatchReference?,
        at: Timestamp?,
        localAt: LocalTime? = nil
    ) {
        self.localAt = localAt
        self.id = id
        self.amount = amount
        self.tip = tip
        self.firstTip = tip
        self.evidence = evidence
        self.batch = batch
        self.at = at
    }

    /// Removes the capture from a batch whose closing does not stand against a void of the whole payment. Money the
    /// host voided before the closing is in no batch, even if the batch's number suggests it: documents do not arrive
    /// in order.
    mutating func reopen(for void: Return) {
        let isEarlier =
            if void.evidence.isOfHost, let at = void.at, let closedAt = settlement.closedAt?.reported {
                at.isBefore(closedAt)
            } else {
                false
            }
        if isEarlier || settlement.isOverruled(by: void.evidence) { settlement = .open }
    }

    /// Replaces the amount with the gateway's own. An adjusted tip stays.
    mutating func correct(to amounts: Amounts) {
        let isAdjusted = tipAt != nil || tip != firstTip
        let isVoided = voided > 0 && net == 0
        firstTip = amounts.countedTip
        extras = amounts.countedExtras
        cashBack = amounts.countedCashBack
        taxes = amounts.countedTaxes
        amount = amounts.total.value
        if isAdjusted { amount += tip - firstTip } else { tip = firstTip }
        voided = isVoided ? amount : min(voided, amount)
    }

    /// Replaces the tip and keeps the base.
    mutating func setTip(_ new: Int64) {
        amount += new - tip
        tip = new
        voided = min(voided, amount)
    }
}

/// Whether a closed batch contains a capture or refund, and what proves it.
package enum EntrySettlement: Sendable, Hashable, Codable {
    case open
    /// The money is open because its settlement was rejected.
    case rejected
    /// Settlement or the gateway itself reports the money as settled, in this batch, if it is known.
    case settled(in: BatchReference?)
    /// The gateway itself reports that the batch was closed at this time. That the money was in it follows only from
    /// the number of the batch.
    case closed(in: BatchReference, at: OccurrenceTime?)
    /// It is only relayed that the money is settled, or that its batch was closed at this time.
    case relayed(in: BatchReference?, at: OccurrenceTime?)

    /// What is reported of money that the batch contains.
    init(_ reported: Settlement) {
        let closedAt = reported.amount == nil ? reported.closedAt : nil
        self =
            if !reported.evidence.isConfirmation {
                .relayed(in: reported.batch, at: closedAt)
            } else if reported.isInferred, let batch = reported.batch {
                .closed(in: batch, at: closedAt)
            } else {
                .settled(in: reported.batch)
            }
    }

    var isSettled: Bool { self != .open && self != .rejected }

    var isRelayed: Bool { if case .relayed = self { true } else { false } }

    /// True if settlement or the gateway itself reports the money as settled.
    var isReported: Bool { if case .settled = self { true } else { false } }

    package var batch: BatchReference? {
        switch self {
        case .open, .rejected: nil
        case .settled(let batch), .relayed(let batch, _): batch
        case .closed(let batch, _): batch
        }
    }

    /// The time its batch was closed, if the closing is the only evidence that the batch contains the money.
    package var closedAt: OccurrenceTime? {
        switch self {
        case .open, .rejected, .settled: nil
        case .closed(_, let at), .relayed(_, let at): at
        }
    }

    /// True if `evidence` of a void overrules that the money is in a closed batch: the closing is only relayed, and the
    /// gateway itself reports the void.
    func isOverruled(by evidence: Evidence) -> Bool { isRelayed && evidence.isConfirmation }

    /// False if a void at this time may have taken out the money all the same: the closing is only relayed, or is the
    /// only evidence that the batch contains the money and may be later than the void.
    func isProven(against voidedAt: ReportedTime?) -> Bool {
        switch self {
        case .open, .rejected, .relayed: false
        case .settled: true
        case .closed(_, let at): if let at = at?.reported, let voidedAt { voidedAt.isAtOrAfter(at) } else { false }
        }
    }

    /// The same money, in the same batch if one is named, from a report that proves more.
    mutating func confirm(by reported: Settlement) {
        guard isSettled, reported.batch == nil || reported.batch == batch else { return }
        let confirmed = EntrySettlement(reported)
        guard confirmed.strength > strength else { return }
        self = confirmed.batch == nil ? .settled(in: batch) : confirmed
    }

    private var strength: Int {
        switch self {
        case .open, .rejected: 0
        case .relayed: 1
        case .closed: 2
        case .settled: 3
        }
    }
}

/// One refund or chargeback. Minor units.
package struct ReturnEntry: Sendable, Hashable, Codable {
    package var id: String
    package var amount: Int64
    /// The highest-ranked source that reported it as voided or reversed.
    package var undoneBy: Evidence?
    /// The statement line with that report.
    package var undoingLine: UUID128?
    package var evidence: Evidence
    /// The time of the event that reported it; nil if the caller of the fold did not pass times.
    package var at: Timestamp?
    /// The local time that the report of it shows.
    package var localAt: LocalTime?
    package var batch: BatchReference?
    package var settlement = EntrySettlement.open
    package var references: References
    /// Of a chargeback: what is known of its dispute.
    package var dispute: DisputeCase?

    package var isSettled: Bool { settlement.isSettled }
    package var settledIn: BatchReference? { settlement.batch }

    /// True if it was voided or reversed, and the evidence of that counts.
    package var isUndone: Bool { undoneBy?.concludes(against: evidence) ?? false }

    /// True if it is reported as voided or reversed, and its own evidence outranks that.
    var outranksUndo: Bool { undoneBy != nil && !isUndone }

    var madeAt: OccurrenceTime { OccurrenceTime(local: localAt, instant: at) }

    /// True while a refund waits for its batch to close.
    package var isOpen: Bool { !isSettled && !isUndone }

    /// As of a capture.
    package var awaitsClosing: Bool { isOpen && settlement != .rejected }

    package init(
        id: String,
        amount: Int64,
        evidence: Evidence,
        batch: BatchReference?,
        references: References,
        at: Timestamp?,
        localAt: LocalTime? = nil
    ) {
        self.localAt = localAt
        self.id = id
        self.amount = amount
        self.evidence = evidence
        self.batch = batch
        self.references = references
        self.at = at
    }
}

/// Taxes that are stated for an amount of a payment. Minor units.
package struct StatedTaxes: Sendable, Hashable, Codable {
    /// The amount without its tip: a tip may be adjusted later.
    private var net: Int64
    private var taxes: [AmountPart]

    init(_ amounts: Amounts) {
        net = amounts.total.value - amounts.countedTip
        taxes = amounts.countedTaxes
    }

    /// The taxes of a capture; nil if it is of another amount.
    func taxes(of capture: CaptureEntry) -> [AmountPart]? { capture.amount - capture.tip == net ? taxes : nil }
}

/// The void of a refund or the reversal of a chargeback that is not recorded yet, by its id.
package struct PendingUndo: Sendable, Hashable, Codable {
    package var id: String
    package var evidence: Evidence
}

extension Settlement {
    /// True if only the closing of a batch shows it, and no source reports the payment as settled. The ledger itself
    /// records it for each payment that names the batch.
    var isInferred: Bool { amount == nil && batch != nil }
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
