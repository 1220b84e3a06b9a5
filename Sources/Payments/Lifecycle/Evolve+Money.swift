import Canonical

// How captures, tips and what takes money back change the state.
extension TransactionState {
    mutating func increment(_ told: Increment) {
        learn(References(), nil, told.at)
        guard !increments.contains(where: { $0.id.hasSameUTF8(as: told.id) }), admit(told.delta, isSigned: true) else {
            return
        }
        increments.append(NamedAmount(id: told.id, amount: told.delta))
    }

    // MARK: Captures and tips

    mutating func capture(_ told: Capture) {
        learn(told.references, nil, told.at)
        if let index = captures.firstIndex(where: { $0.id.hasSameUTF8(as: told.id) && !$0.isInferred }) {
            // The same capture from a better witness; another amount under the same id is not counted.
            guard captures[index].hasBase(of: told), told.evidence.rank > captures[index].evidence.rank else { return }
            captures[index].evidence = told.evidence
            return
        }
        guard admit(told.amounts.total) else { return }
        var entry = CaptureEntry(
            id: told.id,
            amount: told.amounts.total.value,
            tip: told.amounts.countedTip,
            evidence: told.evidence,
            batch: told.batch,
            at: clock
        )
        if let pendingTip { entry.setTip(pendingTip) }
        pendingTip = nil
        place(&entry)
        if let index = captures.firstIndex(where: \.isInferred) {
            // It takes the place of the one that was implied, and of what became of that.
            let implied = captures[index]
            entry.voided = max(entry.voided, min(implied.voided, entry.amount))
            entry.tipAt = implied.tipAt
            entry.at = [implied.at, entry.at].compactMap(\.self).min()
            if implied.isSettled {
                entry.isSettled = true
                entry.settledIn = implied.settledIn
                entry.closedAt = implied.closedAt
            }
            captures[index] = entry
        } else {
            captures.append(entry)
        }
        let isDetailed = told.amounts.base != nil || told.amounts.tip != nil
        if isDetailed || breakdown?.total != told.amounts.total { breakdown = told.amounts }
        if entry.tip != entry.firstTip { setBreakdownTip(entry.tip) }
    }

    /// Applies what was told before: that the payment was closed, that a capture was taken back, or that its batch
    /// was.
    mutating func place(_ entry: inout CaptureEntry) {
        if isVoided || isReversed, let closedBy, entry.evidence.rank <= closedBy.rank {
            entry.voided = entry.amount
        } else if pendingCaptureReversals > 0 && !entry.isInferred {
            pendingCaptureReversals -= 1
            entry.voided = entry.amount
        } else if let batch = entry.batch, settledBatches.contains(batch) {
            entry.isSettled = true
            entry.settledIn = batch
        }
    }

    mutating func reverseCapture(_ told: Return) {
        learn(told.references, nil, told.at)
        guard !captureReversals.contains(where: { $0.hasSameUTF8(as: told.id) }) else { return }
        captureReversals.append(told.id)
        if let index = captures.lastIndex(where: { $0.id.hasSameUTF8(as: told.id) })
            ?? captures.lastIndex(where: \.isOpen)
        {
            if !captures[index].isSettled { captures[index].voided = captures[index].amount }
        } else if captures.isEmpty {
            pendingCaptureReversals += 1
        }
    }

    mutating func adjustTip(_ told: TipAdjustment) {
        learn(told.references, nil, told.at)
        guard admit(told.tip) else { return }
        if captures.isEmpty { pendingTip = told.tip.value }
        if let index = captures.lastIndex(where: \.isOpen) {
            // The last one wins, also where an earlier one comes late.
            if let at = told.at, let last = captures[index].tipAt, at < last { return }
            captures[index].tipAt = told.at ?? captures[index].tipAt
            captures[index].setTip(told.tip.value)
            if captures[index].isInferred { pendingTip = told.tip.value }
            setBreakdownTip(told.tip.value)
        } else if captures.isEmpty, let amounts = told.amounts, amounts.total.value >= told.tip.value,
            admit(amounts.total)
        {
            var implied = CaptureEntry(
                id: Capture.saleID,
                amount: amounts.total.value,
                tip: told.tip.value,
                evidence: told.evidence,
                batch: nil,
                at: begunAt
            )
            implied.firstTip = 0
            implied.tipAt = told.at
            implied.isInferred = true
            place(&implied)
            captures.append(implied)
            breakdown = amounts
        }
    }

    private mutating func setBreakdownTip(_ tip: Int64) {
        guard let currency, var parts = breakdown, parts.currency == currency else { return }
        parts.total = Money(parts.total.value.addingSaturated(tip - parts.countedTip), currency)
        parts.tip = Money(tip, currency)
        breakdown = parts
    }

    // MARK: Voids and reversals

    mutating func void(_ told: Return) {
        learn(told.references, nil, told.at)
        guard !voids.contains(where: { $0.id.hasSameUTF8(as: told.id) }) else { return }
        voids.append(NamedAmount(id: told.id, amount: told.amount))
        // Documents do not arrive in order.
        let takesAll = told.amount.map { $0.value >= captures.reduce(credit?.net ?? 0) { $0 + $1.net } } ?? true
        if told.evidence == .gateway, takesAll, let at = told.at {
            for index in captures.indices { captures[index].reopen(before: at) }
            credit?.reopen(before: at)
        }
        guard let amount = told.amount else {
            guard !captures.contains(where: \.isSettled) else { return close(by: nil) }
            isVoided = true
            isClosedEarly = isClosedEarly || !hasApproval
            return close(by: told.evidence)
        }
        guard admit(amount) else { return }
        if var entry = credit {
            if !entry.isSettled { entry.voided += min(amount.value, entry.net) }
            credit = entry
            isVoided = isVoided || entry.net == 0
        } else if captures.contains(where: { $0.isOpen && $0.amount > 0 }) {
            takeBack(amount.value)
            if captures.allSatisfy({ $0.net == 0 }) {
                isVoided = true
                close(by: told.evidence)
            }
        } else if !captures.contains(where: \.isSettled) {
            release(amount.value, by: told.evidence)
            isVoided = isVoided || hasApproval && authorized == 0
        }
    }

    mutating func reverse(_ told: Return) {
        learn(told.references, nil, told.at)
        guard !reversals.contains(where: { $0.id.hasSameUTF8(as: told.id) }) else { return }
        reversals.append(NamedAmount(id: told.id, amount: told.amount))
        if let amount = told.amount {
            guard admit(amount) else { return }
            let isWhole = hasApproval && amount.value >= authorized
            guard isWhole else { return release(amount.value, by: told.evidence) }
        }
        isReversed = true
        isClosedEarly = isClosedEarly || !hasApproval
        close(by: told.evidence)
    }

    /// Releases a part of the authorisation.
    private mutating func release(_ amount: Int64, by evidence: Evidence) {
        released += amount
        closedBy = closedBy ?? evidence
    }

    /// Voids whatever is not settled.
    ///
    /// - Parameter evidence: Who says that the whole payment is over; nil when a part of it goes on.
    mutating func close(by evidence: Evidence?) {
        if let evidence, closedBy.map({ $0.rank < evidence.rank }) ?? true { closedBy = evidence }
        for index in captures.indices where !captures[index].isSettled {
            captures[index].voided = captures[index].amount
        }
        if let entry = credit, !entry.isSettled { credit?.voided = entry.amount }
    }

    /// Voids `amount` from the last open captures backwards.
    private mutating func takeBack(_ amount: Int64) {
        var rest = amount
        for index in captures.indices.reversed() where captures[index].isOpen {
            let part = min(rest, captures[index].net)
            captures[index].voided += part
            rest -= part
        }
    }

    // MARK: Refunds and disputes

    mutating func refund(_ told: Return) {
        add(told, to: \.refunds, undone: \.pendingRefundVoids, open: remaining)
    }

    mutating func chargeBack(_ told: Return) {
        add(told, to: \.chargebacks, undone: \.pendingChargebackReversals, open: remaining - chargedBack)
    }

    mutating func voidRefund(_ told: Return) {
        if credit != nil && !refunds.contains(where: { $0.id.hasSameUTF8(as: told.id) }) { return void(told) }
        undo(told, in: \.refunds, else: \.pendingRefundVoids)
    }

    mutating func reverseChargeback(_ told: Return) {
        undo(told, in: \.chargebacks, else: \.pendingChargebackReversals)
    }

    private mutating func undo(
        _ told: Return,
        in entries: WritableKeyPath<TransactionState, [ReturnEntry]>,
        else pending: WritableKeyPath<TransactionState, [String]>
    ) {
        learn(told.references, nil, told.at)
        if let index = self[keyPath: entries].firstIndex(where: { $0.id.hasSameUTF8(as: told.id) }) {
            if !self[keyPath: entries][index].isSettled { self[keyPath: entries][index].isUndone = true }
        } else if !self[keyPath: pending].contains(where: { $0.hasSameUTF8(as: told.id) }) {
            self[keyPath: pending].append(told.id)
        }
    }

    private mutating func add(
        _ told: Return,
        to entries: WritableKeyPath<TransactionState, [ReturnEntry]>,
        undone: WritableKeyPath<TransactionState, [String]>,
        open: Int64
    ) {
        learn(told.references, nil, told.at)
        guard !self[keyPath: entries].contains(where: { $0.id.hasSameUTF8(as: told.id) }) else { return }
        let amount = told.amount ?? money(max(0, open))
        if let amount, !admit(amount) { return }
        var entry = ReturnEntry(
            id: told.id,
            amount: amount?.value ?? 0,
            evidence: told.evidence,
            batch: told.batch,
            references: told.references,
            at: clock
        )
        if let index = self[keyPath: undone].firstIndex(where: { $0.hasSameUTF8(as: told.id) }) {
            self[keyPath: undone].remove(at: index)
            entry.isUndone = true
        } else if let batch = told.batch, settledBatches.contains(batch) {
            entry.isSettled = true
            entry.settledIn = batch
        }
        self[keyPath: entries].append(entry)
    }
}

extension CaptureEntry {
    /// True when `told` is about the same amount. A tip set since is left out of the comparison.
    func hasBase(of told: Capture) -> Bool {
        amount - tip == told.amounts.total.value.subtractingSaturated(told.amounts.countedTip)
    }
}

extension Amounts {
    /// The tip inside the total, in its minor units. Zero where what is told cannot be inside it.
    var countedTip: Int64 {
        guard let tip, tip.currency == currency, !tip.isNegative, tip.value <= total.value else { return 0 }
        return tip.value
    }
}

extension Int64 {
    /// The sum, stopped at the ends of the range: for what is only shown or compared. Amounts that would not fit
    /// are never summed, see `TransactionState.admit`.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// The same of a difference: what is told may be as small as a number can be, and has no opposite then.
    package func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
