import Canonical

// Reports that money was given back or not settled, against money that higher-ranked evidence reports.
extension TransactionState {
    /// True if the fact ends something that the gateway itself or settlement reports, and comes from evidence below the
    /// gateway's. It is recorded and flagged, and the payment stays as it is: the sender of a document could make it
    /// up. A void or reversal leaves the follow-up in doubt.
    ///
    /// Follow-ups that add something, such as a capture, tip or refund, count by their own evidence.
    func outranks(_ fact: TransactionEvent) -> Bool {
        switch fact {
        case .voided(let reported), .reversed(let reported), .captureReversed(let reported):
            return isConfirmed(against: reported.evidence, \.isOpen)
        case .refundVoided(let reported):
            guard let refund = refunds.first(where: { $0.id.hasSameUTF8(as: reported.id) }) else {
                return credit != nil && isConfirmed(against: reported.evidence, \.isOpen)
            }
            return refund.isOpen && refund.evidence.isConfirmation && !reported.evidence.isConfirmation
        case .expired(let reported): return isConfirmed(against: reported.evidence, \.isOpen)
        case .settlementRejected(let reported): return isConfirmed(against: reported.evidence, \.isSettled)
        default: return false
        }
    }

    /// True if the gateway itself or settlement reports money, or the approval of money, that `evidence` must not end.
    ///
    /// - Parameter counts: Whether an entry is considered.
    func isConfirmed(against evidence: Evidence, _ counts: (CaptureEntry) -> Bool) -> Bool {
        guard !evidence.isConfirmation else { return false }
        let entries = captures + [credit].compactMap(\.self)
        let counted = entries.filter(counts)
        let isHeld = entries.isEmpty && authorized > 0 && !isVoidedOrReversed
        guard isHeld || !counted.isEmpty else { return false }
        if counted.contains(where: \.evidence.isConfirmation) { return true }
        guard let current = verdicts.current else { return false }
        return current.outcome.movesMoney && current.evidence.isConfirmation
    }
}

extension Evidence {
    /// True for the gateway itself and for settlement: Daybook or a trusted sender got it from them.
    fileprivate var isConfirmation: Bool { rank >= Evidence.gateway.rank }
}
