import Canonical

// The fold of captures, tips, voids, reversals, refunds and chargebacks.
extension TransactionState {
    mutating func increment(_ reported: Increment) {
        learn(References(), nil, reported.at)
        guard !authorization.increments.contains(where: { $0.id.hasSameUTF8(as: reported.id) }),
            admit(reported.delta, isSigned: true)
        else { return }
        authorization.increments.append(NamedAmount(id: reported.id, amount: reported.delta))
    }

    // MARK: Captures and tips

    mutating func capture(_ reported: Capture) {
        learn(reported.references, nil, reported.at)
        if let index = captures.firstIndex(where: { $0.id.hasSameUTF8(as: reported.id) && !$0.isInferred }) {
            // The same capture from higher-ranked evidence. A different amount under the same id is not counted.
            guard captures[index].hasBase(of: reported), reported.evidence.rank > captures[index].evidence.rank else {
                return
            }
            captures[index].evidence = reported.evidence
            return
        }
        guard admit(reported.amounts.total) else { return }
        var entry = CaptureEntry(
            id: reported.id,
            amount: reported.amounts.total.value,
            tip: reported.amounts.countedTip,
            evidence: reported.evidence,
            batch: reported.batch,
            at: times.event
        )
        if let tip = pending.tip { entry.setTip(tip) }
        pending.tip = nil
        place(&entry)
        if let index = captures.firstIndex(where: \.isInferred) {
            // The reported capture replaces the implied one and takes over its voids, tip time and settlement.
            let implied = captures[index]
            entry.voided = max(entry.voided, min(implied.voided, entry.amount))
            entry.tipAt = implied.tipAt
            entry.at = [implied.at, entry.at].compactMap(\.self).min()
            if implied.isSettled {
                entry.settlement = implied.settlement
                entry.closedAt = implied.closedAt
            }
            captures[index] = entry
        } else {
            captures.append(entry)
        }
        let isDetailed = reported.amounts.base != nil || reported.amounts.tip != nil
        if isDetailed || authorization.breakdown?.total != reported.amounts.total {
            authorization.breakdown = reported.amounts
        }
        if entry.tip != entry.firstTip { setBreakdownTip(entry.tip) }
    }

    /// Applies facts that were recorded before the capture: the payment was closed, the capture was reversed, or its
    /// batch was settled.
    mutating func place(_ entry: inout CaptureEntry) {
        if isVoidedOrReversed, let closedBy = closing.evidence, entry.evidence.rank <= closedBy.rank {
            entry.voided = entry.amount
        } else if pending.captureReversals > 0 && !entry.isInferred {
            pending.captureReversals -= 1
            entry.voided = entry.amount
        } else if let batch = entry.batch, settlement.batches.contains(batch) {
            entry.settlement = .settled(in: batch)
        }
    }

    mutating func reverseCapture(_ reported: Return) {
        learn(reported.references, nil, reported.at)
        guard !outranks(.captureReversed(reported)),
            !closing.captureReversals.contains(where: { $0.hasSameUTF8(as: reported.id) })
        else { return }
        closing.captureReversals.append(reported.id)
        if let index = captures.lastIndex(where: { $0.id.hasSameUTF8(as: reported.id) })
            ?? captures.lastIndex(where: \.isOpen)
        {
            if !captures[index].isSettled { captures[index].voided = captures[index].amount }
        } else if captures.isEmpty {
            pending.captureReversals += 1
        }
    }

    mutating func adjustTip(_ reported: TipAdjustment) {
        learn(reported.references, nil, reported.at)
        guard admit(reported.tip) else { return }
        if captures.isEmpty { pending.tip = reported.tip.value }
        if let index = captures.lastIndex(where: \.isOpen) {
            // The last adjustment by time counts, even if an earlier one arrives later.
            if let at = reported.at, let last = captures[index].tipAt, at < last { return }
            captures[index].tipAt = reported.at ?? captures[index].tipAt
            captures[index].setTip(reported.tip.value)
            if captures[index].isInferred { pending.tip = reported.tip.value }
            setBreakdownTip(reported.tip.value)
        } else if captures.isEmpty, let amounts = reported.amounts, amounts.total.value >= reported.tip.value,
            admit(amounts.total)
        {
            var implied = CaptureEntry(
                id: Capture.saleID,
                amount: amounts.total.value,
                tip: reported.tip.value,
                evidence: reported.evidence,
                batch: nil,
                at: times.begunAt
            )
            implied.firstTip = 0
            implied.tipAt = reported.at
            implied.isInferred = true
            place(&implied)
            captures.append(implied)
            authorization.breakdown = amounts
        }
    }

    private mutating func setBreakdownTip(_ tip: Int64) {
        guard let currency, var parts = authorization.breakdown, parts.currency == currency else { return }
        parts.total = Money(parts.total.value.addingSaturated(tip - parts.countedTip), currency)
        parts.tip = Money(tip, currency)
        authorization.breakdown = parts
    }

    // MARK: Voids and reversals

    mutating func void(_ reported: Return) {
        learn(reported.references, nil, reported.at)
        guard !outranks(.voided(reported)) else { return }
        if closing.voids.contains(where: { $0.id.hasSameUTF8(as: reported.id) }) { return confirmEnd(reported) }
        closing.voids.append(NamedAmount(id: reported.id, amount: reported.amount))
        // Documents do not arrive in order.
        let takesAll = reported.amount.map { $0.value >= captures.reduce(credit?.net ?? 0) { $0 + $1.net } } ?? true
        let isOutranked = isConfirmed(against: reported.evidence, \.isSettled)
        if reported.evidence.isOfHost, !isOutranked, takesAll, let at = reported.at {
            for index in captures.indices { captures[index].reopen(before: at) }
            credit?.reopen(before: at)
        }
        guard let amount = reported.amount else {
            guard !captures.contains(where: \.isSettled) else { return close(by: nil) }
            closing.isVoided = true
            closing.isEarly = closing.isEarly || !hasApproval
            return close(by: reported.evidence)
        }
        guard admit(amount) else { return }
        if var entry = credit {
            if !entry.isSettled { entry.voided += min(amount.value, entry.net) }
            credit = entry
            closing.isVoided = closing.isVoided || entry.net == 0
        } else if captures.contains(where: { $0.isOpen && $0.amount > 0 }) {
            voidCaptures(amount.value)
            if captures.allSatisfy({ $0.net == 0 }) {
                closing.isVoided = true
                close(by: reported.evidence)
            }
        } else if !captures.contains(where: \.isSettled) {
            release(amount.value, by: reported.evidence)
            closing.isVoided = closing.isVoided || hasApproval && authorized == 0
        }
    }

    mutating func reverse(_ reported: Return) {
        learn(reported.references, nil, reported.at)
        guard !outranks(.reversed(reported)) else { return }
        if closing.reversals.contains(where: { $0.id.hasSameUTF8(as: reported.id) }) { return confirmEnd(reported) }
        closing.reversals.append(NamedAmount(id: reported.id, amount: reported.amount))
        if let amount = reported.amount {
            guard admit(amount) else { return }
            let isWhole = hasApproval && amount.value >= authorized
            guard isWhole else { return release(amount.value, by: reported.evidence) }
        }
        closing.isReversed = true
        closing.isEarly = closing.isEarly || !hasApproval
        close(by: reported.evidence)
    }

    /// A known void or reversal of the whole payment from higher-ranked evidence also ends the money that outranked
    /// the earlier report.
    private mutating func confirmEnd(_ reported: Return) {
        guard isVoidedOrReversed, let closedBy = closing.evidence, reported.evidence.rank > closedBy.rank else {
            return
        }
        close(by: reported.evidence)
    }

    /// Releases a part of the authorisation.
    private mutating func release(_ amount: Int64, by evidence: Evidence) {
        authorization.released += amount
        closing.evidence = closing.evidence ?? evidence
    }

    /// Voids everything that is not settled.
    ///
    /// - Parameter evidence: The source that reports the whole payment as ended; nil if a part of it continues.
    mutating func close(by evidence: Evidence?) {
        if let evidence, closing.evidence.map({ $0.rank < evidence.rank }) ?? true { closing.evidence = evidence }
        for index in captures.indices where !captures[index].isSettled {
            captures[index].voided = captures[index].amount
        }
        if let entry = credit, !entry.isSettled { credit?.voided = entry.amount }
    }

    /// Voids `amount`, starting from the last open capture.
    private mutating func voidCaptures(_ amount: Int64) {
        var rest = amount
        for index in captures.indices.reversed() where captures[index].isOpen {
            let part = min(rest, captures[index].net)
            captures[index].voided += part
            rest -= part
        }
    }

    // MARK: Refunds and disputes

    mutating func refund(_ reported: Return) {
        add(reported, to: \.refunds, undone: \.pending.refundVoids, open: remaining)
    }

    mutating func chargeBack(_ reported: Return) {
        add(reported, to: \.chargebacks, undone: \.pending.chargebackReversals, open: remaining - chargedBack)
    }

    mutating func voidRefund(_ reported: Return) {
        guard !outranks(.refundVoided(reported)) else { return }
        if credit != nil && !refunds.contains(where: { $0.id.hasSameUTF8(as: reported.id) }) { return void(reported) }
        undo(reported, in: \.refunds, else: \.pending.refundVoids)
    }

    mutating func reverseChargeback(_ reported: Return) {
        undo(reported, in: \.chargebacks, else: \.pending.chargebackReversals)
    }

    private mutating func undo(
        _ reported: Return,
        in entries: WritableKeyPath<TransactionState, [ReturnEntry]>,
        else pending: WritableKeyPath<TransactionState, [String]>
    ) {
        learn(reported.references, nil, reported.at)
        if let index = self[keyPath: entries].firstIndex(where: { $0.id.hasSameUTF8(as: reported.id) }) {
            if !self[keyPath: entries][index].isSettled { self[keyPath: entries][index].isUndone = true }
        } else if !self[keyPath: pending].contains(where: { $0.hasSameUTF8(as: reported.id) }) {
            self[keyPath: pending].append(reported.id)
        }
    }

    private mutating func add(
        _ reported: Return,
        to entries: WritableKeyPath<TransactionState, [ReturnEntry]>,
        undone: WritableKeyPath<TransactionState, [String]>,
        open: Int64
    ) {
        learn(reported.references, nil, reported.at)
        guard !self[keyPath: entries].contains(where: { $0.id.hasSameUTF8(as: reported.id) }) else { return }
        let amount = reported.amount ?? money(max(0, open))
        if let amount, !admit(amount) { return }
        var entry = ReturnEntry(
            id: reported.id,
            amount: amount?.value ?? 0,
            evidence: reported.evidence,
            batch: reported.batch,
            references: reported.references,
            at: times.event
        )
        if let index = self[keyPath: undone].firstIndex(where: { $0.hasSameUTF8(as: reported.id) }) {
            self[keyPath: undone].remove(at: index)
            entry.isUndone = true
        } else if let batch = reported.batch, settlement.batches.contains(batch) {
            entry.settlement = .settled(in: batch)
        }
        self[keyPath: entries].append(entry)
    }
}

extension CaptureEntry {
    /// True if `reported` is about the same amount. Tips are left out of the comparison, because a tip may have been
    /// adjusted.
    func hasBase(of reported: Capture) -> Bool {
        amount - tip == reported.amounts.total.value.subtractingSaturated(reported.amounts.countedTip)
    }
}

extension Amounts {
    /// The tip inside the total, in minor units. Zero if the reported tip cannot be inside the total.
    var countedTip: Int64 {
        guard let tip, tip.currency == currency, !tip.isNegative, tip.value <= total.value else { return 0 }
        return tip.value
    }
}

extension Int64 {
    /// The sum, clamped to the range of `Int64`: for values that are only shown or compared. Amounts that would not fit
    /// are never summed, see `TransactionState.admit`.
    package func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// The difference, clamped to the range of `Int64`. It does not negate `other`: a reported value may be
    /// `Int64.min`, which has no negation.
    package func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
