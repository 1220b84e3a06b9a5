extension TransactionState {
    /// The captures that count: those no stronger evidence denies (I5).
    package var countedCaptures: [CaptureEntry] {
        guard let outcome, let outcomeEvidence, outcome.isDecisive, !outcome.movesMoney else { return captures }
        return captures.filter { $0.evidence.rank > outcomeEvidence.rank }
    }

    /// C: captured, net of voids.
    package var captured: Int64 { countedCaptures.reduce(0) { $0.addingSaturated($1.net) } }

    /// T: the tips inside C.
    package var tips: Int64 { countedCaptures.reduce(0) { $1.net == 0 ? $0 : $0.addingSaturated($1.tip) } }

    /// F: refunded, net of voided refunds.
    package var refunded: Int64 { refunds.reduce(0) { $1.isUndone ? $0 : $0.addingSaturated($1.amount) } }

    /// K: charged back, net of reversals.
    package var chargedBack: Int64 { chargebacks.reduce(0) { $1.isUndone ? $0 : $0.addingSaturated($1.amount) } }

    /// S: settled.
    package var settled: Int64 { countedCaptures.reduce(0) { $1.isSettled ? $0.addingSaturated($1.net) : $0 } }

    /// What can still be refunded: C - F (I6).
    package var remaining: Int64 { captured.addingSaturated(-refunded) }

    /// R - A of a partial approval: to be paid by other means. Zero otherwise.
    package var due: Int64 {
        guard isPartial, let requested else { return 0 }
        return max(0, requested.addingSaturated(-authorized))
    }

    /// `minor` as money of this transaction; nil before any amount has been told.
    package func money(_ minor: Int64) -> Money? { currency.map { Money(minor, $0) } }

    package var status: TransactionStatus {
        if let credit { return creditStatus(credit) }
        guard let outcome else { return countedCaptures.isEmpty ? withoutOutcome : moneyStatus }
        switch outcome {
        case .approved, .partiallyApproved: return moneyStatus
        case _ where !countedCaptures.isEmpty: return moneyStatus
        case .unknown: return .inDoubt
        case .declined: return .declined
        case .cancelled: return .cancelled
        case .failed: return .failed
        case .notPosted: return .notPosted
        case .reversed: return .reversed
        case .verified: return .verified
        }
    }

    private var withoutOutcome: TransactionStatus {
        if isVoided { return .voided }
        if isReversed { return .reversed }
        if isExpired { return .expired }
        return refunds.isEmpty && chargebacks.isEmpty ? .requested : moneyStatus
    }

    private var moneyStatus: TransactionStatus {
        if chargedBack > 0 { return .chargedBack }
        if refunded > 0 { return refunded >= captured ? .refunded : .partiallyRefunded }
        if isSettlementRejected { return .settlementRejected }
        if funded > 0 { return .funded }
        if settled > 0 { return .settled }
        if captured > 0 {
            if isPartial { return .partiallyApproved }
            let base = captured.addingSaturated(-tips)
            return operation == .authorization && hasApproval && base < authorized ? .partiallyCaptured : .captured
        }
        if isReversed { return .reversed }
        if isVoided { return .voided }
        if isExpired { return .expired }
        if !captures.isEmpty && captures.allSatisfy({ $0.amount == 0 }) { return .captured }
        return isPartial ? .partiallyApproved : .authorized
    }

    private func creditStatus(_ credit: CaptureEntry) -> TransactionStatus {
        if let outcome, outcome.isDecisive, !outcome.movesMoney,
            let outcomeEvidence, outcomeEvidence.rank >= credit.evidence.rank
        {
            return .declined
        }
        if credit.net == 0 && credit.amount > 0 { return .voided }
        if isSettlementRejected { return .settlementRejected }
        if funded > 0 { return .funded }
        return credit.isSettled ? .settled : .credited
    }
}

extension Int64 {
    /// The sum, stopped at the ends of the range. A fold must be total; an overflow is flagged where the fact
    /// comes in, so a stopped sum never goes unnoticed.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
