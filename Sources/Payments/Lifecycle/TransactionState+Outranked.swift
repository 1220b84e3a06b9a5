import Canonical

// Reports that money was given back or not settled, against money that higher-ranked evidence reports.

/// The ends of money that count: voids, reversals, reversed captures and expiries.
///
/// One from below the gateway's rank counts until the gateway itself or settlement reports the payment. From then on
/// the payment is as if no such end was recorded, whatever came first: the sender of a document could make it up.
package indirect enum CountedEnds: Sendable, Hashable, Codable {
    /// Every end counts. None is recorded from below the gateway's rank.
    case all
    /// Every end counts. The payment is also kept without those from below the gateway's rank.
    case unconfirmed(without: TransactionState)
    /// Only those of the gateway itself and of settlement count.
    case confirmed
}

extension TransactionState {
    /// True once the gateway itself or settlement reports the payment.
    var isConfirmed: Bool { if case .confirmed = ends { true } else { false } }

    /// The payment without ends from below the gateway's rank; nil if none is recorded. It is set aside, so that it is
    /// changed in place.
    mutating func takeKept() -> TransactionState? {
        guard case .unconfirmed(let kept) = ends else { return nil }
        ends = .all
        return kept
    }

    /// True if the fact ends something that higher-ranked evidence reports: it is recorded and flagged, and the payment
    /// stays as it is. A void or reversal leaves the follow-up in doubt.
    ///
    /// Follow-ups that add something, such as a capture, tip or refund, count by their own evidence.
    func outranks(_ fact: TransactionEvent) -> Bool {
        switch fact {
        case .refundVoided(let reported):
            guard let refund = refunds.first(where: { $0.id.hasSameUTF8(as: reported.id) }) else {
                return credit != nil && isConfirmed && !reported.evidence.isConfirmation
            }
            return refund.isOpen && !reported.evidence.concludes(against: refund.evidence)
        case .chargebackReversed(let reported):
            return chargebacks.contains {
                $0.id.hasSameUTF8(as: reported.id) && !$0.isUndone
                    && !reported.evidence.concludes(against: $0.evidence)
            }
        case .settlementRejected(let reported):
            guard !reported.evidence.isConfirmation else { return false }
            let closings = closingsOfPayment + closingsOfRefunds
            let named = closings.filter { $0.batch == reported.batch }
            return (named.isEmpty ? closings : named).contains { !$0.isRelayed }
        default: return isConfirmed && fact.isUnconfirmedEnd
        }
    }

    /// True if `evidence` can end a doubt: about what ends money of a confirmed payment or gives it back, only the
    /// gateway itself and settlement can.
    ///
    /// - Parameter evidence: Nil for the ledger's own finding.
    func lets(_ evidence: Evidence?, end doubt: FollowUpInDoubt) -> Bool {
        evidence?.isConfirmation ?? true || !isConfirmed || !doubt.isAboutEnd
    }

    /// True if `evidence` can end a reversal that is due: beside the gateway's own answer, only the gateway itself and
    /// settlement can.
    func letsEndReversal(_ evidence: Evidence) -> Bool {
        evidence.isConfirmation || verdicts.gateway.map(\.isRelayed) ?? true
    }

    /// True if all money that the doubt is about is in closed batches, settlement or the gateway itself reports all of it
    /// as settled, and no report is about another amount.
    func isSettlementReported(of doubt: FollowUpInDoubt) -> Bool {
        let held = captures.filter { $0.net > 0 || $0.amount == 0 }.map(\.settlement)
        let payment = credit.map { [$0.settlement] } ?? held
        let lines =
            if credit == nil, doubt.isAboutRefund {
                closingsOfRefunds
            } else {
                payment + (doubt.subject == .anyFollowUp ? closingsOfRefunds : [])
            }
        return !lines.isEmpty && lines.allSatisfy(\.isReported)
            && !anomalies.contains { $0.kind == .settlementMismatch }
    }

    /// The settlements of the captures, or of the credit, in closed batches.
    private var closingsOfPayment: [EntrySettlement] {
        let captures = captures.filter { $0.isSettled && ($0.net > 0 || $0.amount == 0) }.map(\.settlement)
        return captures + (credit.map { $0.isSettled ? [$0.settlement] : [] } ?? [])
    }

    private var closingsOfRefunds: [EntrySettlement] { refunds.filter(\.isSettled).map(\.settlement) }
}

extension Evidence {
    /// True for the gateway itself and for settlement: Daybook or a trusted sender got it from them.
    package var isConfirmation: Bool { rank >= Evidence.gateway.rank }

    /// True if this evidence of an end counts against `reported` evidence of the money.
    func concludes(against reported: Evidence) -> Bool { isConfirmation || !reported.isConfirmation }

    /// True if this is the gateway's or settlement's own report of what was known from below.
    func confirms(_ known: Evidence) -> Bool { isConfirmation && !known.isConfirmation }
}

extension TransactionEvent {
    /// True if the gateway itself or settlement reports money of the payment, or the end of it.
    var confirmsPayment: Bool {
        guard let evidence, evidence.isConfirmation else { return false }
        switch self {
        case .outcomeResolved(let resolution): return resolution.outcome.verdict.movesMoney
        // That a batch was closed does not tell what is in it.
        case .settled(let reported): return !reported.isInferred
        case .accountVerified, .declined, .cancelled, .failed, .outcomeUnknown, .tenderRefused, .followUpRefused:
            return false
        default: return true
        }
    }

    /// True if the fact ends money and comes from below the gateway's rank.
    var isUnconfirmedEnd: Bool {
        switch self {
        case .voided(let reported), .reversed(let reported), .captureReversed(let reported),
            .refundVoided(let reported):
            !reported.evidence.isConfirmation
        case .expired(let reported): !reported.evidence.isConfirmation
        default: false
        }
    }
}

extension FollowUpInDoubt {
    /// True if the follow-up gives money back, or ends such a follow-up.
    fileprivate var isAboutRefund: Bool {
        switch subject {
        case .followUp(.refund), .followUp(.refundVoid), .foundRefund: true
        default: false
        }
    }

    /// True if the follow-up ends money or gives it back, or may be one that does.
    var isAboutEnd: Bool {
        switch subject {
        case .followUp(.void), .followUp(.reversal), .followUp(.refundVoid), .partialVoid, .anyFollowUp,
            .followUp(.refund), .foundRefund:
            true
        default: false
        }
    }
}
