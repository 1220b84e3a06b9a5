import Canonical

// Ends of money from below the gateway's rank, against what the gateway itself or settlement reports.
extension Judgement {
    static let outrankedExpiry = "expired, although the gateway reports the approval"
    static let outrankedReversal = "a chargeback is reported as reversed, against higher-ranked evidence"

    /// Flags an end that the payment outranks.
    ///
    /// - Returns: True if it is flagged: nothing else is to be said about it. False for an end that the gateway itself
    ///   or settlement reports as well.
    mutating func judge(outranked fact: TransactionEvent, at: ReportedTime?, _ doubt: FollowUpInDoubt) -> Bool {
        guard state.outranks(fact), !state.isVoidedOrReversed else { return false }
        flag(outranked: doubt, at: at)
        return true
    }

    /// Flags the ends that were counted, or remembered, and that the fact outranks.
    mutating func judgeOutrankedEnds() {
        for refund in next.refunds where refund.outranksUndo && !isOutranked(refund, in: state.refunds) {
            anomalies.append(.followUpInDoubt(.refundVoid, refund: refund.id))
        }
        for chargeback in next.chargebacks
        where chargeback.outranksUndo && !isOutranked(chargeback, in: state.chargebacks) {
            flag(.conflictingOutcome, Self.outrankedReversal)
        }
        guard let counted else { return }
        if counted.closing.isExpired, next.isHeld { flag(.conflictingOutcome, Self.outrankedExpiry) }
        guard !next.isVoidedOrReversed else { return }
        for doubt in ends(countedIn: counted) { flag(outranked: doubt) }
    }

    private func isOutranked(_ entry: ReturnEntry, in earlier: [ReturnEntry]) -> Bool {
        earlier.contains { $0.id.hasSameUTF8(as: entry.id) && $0.outranksUndo }
    }

    /// - Parameter at: The time of the end, if it is known.
    mutating func flag(outranked doubt: FollowUpInDoubt, at: ReportedTime? = nil) {
        let lines = next.credit.map { [$0] } ?? (doubt.refund == nil ? next.captures : [])
        let held = lines.filter { $0.net > 0 || $0.amount == 0 && $0.isSettled }
        if !held.isEmpty, held.allSatisfy({ $0.settlement.isProven(against: at) }) {
            flag(.voidAfterSettlement, "the payment is settled already")
        } else {
            anomalies.append(.followUpInDoubt(doubt))
        }
    }

    /// The ends that were counted, and are not reported by the gateway itself or settlement as well.
    private func ends(countedIn counted: TransactionState) -> [FollowUpInDoubt] {
        let voids = counted.closing.voids.filter { void in
            !next.closing.voids.contains { $0.id.hasSameUTF8(as: void.id) }
        }
        let reversals = counted.closing.reversals.filter { reversal in
            !next.closing.reversals.contains { $0.id.hasSameUTF8(as: reversal.id) }
        }
        let takenBack = counted.closing.captureReversals.filter { id in
            !next.closing.captureReversals.contains { $0.hasSameUTF8(as: id) }
        }
        var doubts: [FollowUpInDoubt] = []
        if counted.closing.isVoided || voids.contains(where: { $0.amount == nil }) {
            doubts.append(FollowUpInDoubt(.void))
        } else if !voids.isEmpty || !takenBack.isEmpty {
            doubts.append(FollowUpInDoubt(.partialVoid))
        }
        if counted.closing.isReversed || !reversals.isEmpty { doubts.append(FollowUpInDoubt(.reversal)) }
        // Remembered as the void of a refund. It is a void of the credit, which was not recorded then.
        if next.credit != nil {
            for void in counted.pending.refundVoids where !next.pending.refundVoids.contains(void) {
                doubts.append(FollowUpInDoubt(.refundVoid, refund: void.id))
            }
        }
        return doubts
    }
}

extension TransactionState {
    /// True while neither an expiry, nor a void or reversal of the whole payment, is recorded.
    var isHeld: Bool { !closing.isExpired && !isVoidedOrReversed }
}
