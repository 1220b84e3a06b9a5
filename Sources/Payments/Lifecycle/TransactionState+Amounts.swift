// The amounts of the invariants, computed from the fold. None can overflow: the magnitudes that each is computed from
// add up to at most `turnoverLimit`.
extension TransactionState {
    /// The largest turnover of one payment, in minor units. Several such sums can be added without overflow.
    package static let turnoverLimit: Int64 = 1 << 60

    /// A: the approved amount, with increments and releases.
    package var authorized: Int64 {
        guard let approved = authorization.approved, !closing.isReversed else { return 0 }
        let held = authorization.increments.reduce(approved) { $0 + ($1.amount?.value ?? 0) }
        return max(0, held - authorization.released)
    }

    /// The captures that count: those that stronger evidence does not deny (I5).
    package var countedCaptures: [CaptureEntry] {
        guard let denial = verdicts.current, denial.outcome.isDecisive, !denial.outcome.movesMoney else {
            return captures
        }
        return captures.filter { $0.evidence.rank > denial.evidence.rank }
    }

    /// The standalone refund, if it counts (I5).
    package var countedCredit: CaptureEntry? { credit.flatMap { denies($0.evidence) ? nil : $0 } }

    /// C: captured, net of voids.
    package var captured: Int64 { countedCaptures.reduce(0) { $0 + $1.net } }

    /// T: the tips inside C.
    package var tips: Int64 { countedCaptures.reduce(0) { $0 + min($1.tip, $1.net) } }

    /// F: refunded, net of voided refunds.
    package var refunded: Int64 { refunds.reduce(0) { $1.isUndone ? $0 : $0 + $1.amount } }

    /// K: charged back, net of reversals.
    package var chargedBack: Int64 { chargebacks.reduce(0) { $1.isUndone ? $0 : $0 + $1.amount } }

    /// The amount given back without an original payment.
    package var credited: Int64 { countedCredit?.net ?? 0 }

    /// S: settled.
    package var settled: Int64 { countedCaptures.reduce(0) { $1.isSettled ? $0 + $1.net : $0 } }

    /// The amount that can still be refunded: C - F (I6). Below zero if more was refunded than captured, which is
    /// flagged.
    package var remaining: Int64 { captured - refunded }

    /// R: the requested amount, or else, before a tender is accepted, the largest amount that was to be paid with one.
    package var requested: Int64? {
        authorization.requested ?? (tenders.entries.isEmpty && !hasApproval ? tenders.attempted : nil)
    }

    /// R - A of a partial approval: the amount to be paid by other means. Zero otherwise. With tenders, tips on top are
    /// left out and offers count as money. If the request is not reported, it is the least balance a tender left.
    package var due: Int64 {
        guard authorization.isPartial else { return 0 }
        guard let requested = authorization.requested else {
            return tenders.entries.isEmpty ? 0 : tenders.leastBalance ?? 0
        }
        return max(0, requested - covered)
    }

    /// `minor` as money of this transaction; nil until an amount is recorded.
    package func money(_ minor: Int64) -> Money? { currency.map { Money(minor, $0) } }

    /// True if the current verdict is that no money moved, and `evidence` does not outrank it.
    private func denies(_ evidence: Evidence) -> Bool {
        guard let current = verdicts.current else { return false }
        return current.outcome.isDecisive && !current.outcome.movesMoney && evidence.rank <= current.evidence.rank
    }

    // MARK: Adding amounts

    /// The reason why an amount cannot be summed with the others; nil if it can.
    ///
    /// - Parameter isSigned: True if an amount below zero has a meaning.
    func objection(to money: Money, isSigned: Bool = false) -> Anomaly.Kind? {
        if let currency, currency != money.currency { return .currencyMismatch }
        if money.isNegative && !isSigned { return .negativeAmount }
        return money.value.magnitude > (Self.turnoverLimit - turnover).magnitude ? .amountOverflow : nil
    }

    /// Adds an amount to the turnover, and sets the currency from the first amount.
    ///
    /// - Returns: False if the amount must not be summed.
    mutating func admit(_ money: Money, isSigned: Bool = false) -> Bool {
        guard objection(to: money, isSigned: isSigned) == nil else { return false }
        currency = currency ?? money.currency
        turnover += abs(money.value)
        return true
    }
}
