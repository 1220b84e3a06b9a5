package import Canonical

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
    package var settlement = EntrySettlement.open
    /// The time that batch was closed, if the closing is the only evidence that the batch contains the capture.
    package internal(set) var closedAt: Timestamp?
    /// True if the capture was never reported and is implied by a tip adjustment or a resolution.
    package var isInferred = false

    package var isSettled: Bool { settlement.isSettled }
    package var settledIn: BatchReference? { settlement.batch }

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
        settlement = .open
    }

    /// Removes the capture from a batch whose closing does not stand against a void of the whole payment.
    mutating func reopen(for void: Return) {
        if settlement.isOverruled(by: void.evidence) {
            settlement = .open
        } else if void.evidence.isOfHost, let at = void.at {
            // Documents do not arrive in order.
            reopen(before: at)
        }
    }

    /// False if a void at this time may have taken out the money all the same: the closing is only relayed, or is the
    /// only evidence that the batch contains the money and may be later than the void.
    func isSettlementProven(against voidedAt: Timestamp?) -> Bool {
        guard isSettled, !settlement.isRelayed else { return false }
        guard let closedAt, settledIn != nil else { return true }
        return voidedAt.map { $0 >= closedAt } ?? false
    }

    /// Replaces the amount with the gateway's own. An adjusted tip stays.
    mutating func correct(to amounts: Amounts) {
        let isAdjusted = tipAt != nil || tip != firstTip
        let isVoided = voided > 0 && net == 0
        firstTip = amounts.countedTip
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

/// Whether a closed batch contains a capture or refund.
package enum EntrySettlement: Sendable, Hashable, Codable {
    case open
    /// In this batch, if it is known.
    case settled(in: BatchReference?)
    /// In this batch, if it is known. Its closing is only relayed.
    case relayed(in: BatchReference?)

    init(in batch: BatchReference?, by evidence: Evidence) {
        self = evidence.isConfirmation ? .settled(in: batch) : .relayed(in: batch)
    }

    var isSettled: Bool { if case .open = self { false } else { true } }

    var isRelayed: Bool { if case .relayed = self { true } else { false } }

    var batch: BatchReference? {
        switch self {
        case .open: nil
        case .settled(let batch), .relayed(let batch): batch
        }
    }

    /// True if `evidence` of a void overrules that the money is in a closed batch: the closing is only relayed, and the
    /// gateway itself reports the void.
    func isOverruled(by evidence: Evidence) -> Bool { isRelayed && evidence.isConfirmation }

    /// The closing is now reported by this evidence as well.
    mutating func confirm(by evidence: Evidence) {
        if isRelayed { self = EntrySettlement(in: batch, by: evidence) }
    }
}

/// One refund or chargeback. Minor units.
package struct ReturnEntry: Sendable, Hashable, Codable {
    package var id: String
    package var amount: Int64
    /// The highest-ranked source that reported it as voided or reversed.
    package var undoneBy: Evidence?
    package var evidence: Evidence
    /// The time of the event that reported it; nil if the caller of the fold did not pass times.
    package var at: Timestamp?
    package var batch: BatchReference?
    package var settlement = EntrySettlement.open
    package var references: References

    package var isSettled: Bool { settlement.isSettled }
    package var settledIn: BatchReference? { settlement.batch }

    /// True if it was voided or reversed, and the evidence of that counts.
    package var isUndone: Bool { undoneBy?.concludes(against: evidence) ?? false }

    /// True if it is reported as voided or reversed, and its own evidence outranks that.
    var outranksUndo: Bool { undoneBy != nil && !isUndone }

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

/// The void of a refund or the reversal of a chargeback that is not recorded yet, by its id.
package struct PendingUndo: Sendable, Hashable, Codable {
    package var id: String
    package var evidence: Evidence
}

/// A closed batch in which the payment was reported as settled.
package struct SettledBatch: Sendable, Hashable, Codable {
    package var batch: BatchReference
    /// The time it was closed, if the closing is the only evidence of what it contains.
    package var closedAt: Timestamp?
    package var isRelayed: Bool

    init(_ batch: BatchReference, closedBy reported: Settlement) {
        self.batch = batch
        closedAt = reported.closedAt
        isRelayed = !reported.evidence.isConfirmation
    }

    /// What it is for the money in it.
    var settlement: EntrySettlement { isRelayed ? .relayed(in: batch) : .settled(in: batch) }
}

extension Settlement {
    /// True if only the closing of a batch shows it, and no source reports the payment as settled. The ledger itself
    /// records it for each payment that names the batch.
    var isInferred: Bool { amount == nil && batch != nil }

    /// The time the batch was closed, if the closing is the only evidence of what it contains.
    var closedAt: Timestamp? { amount == nil ? at : nil }
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
