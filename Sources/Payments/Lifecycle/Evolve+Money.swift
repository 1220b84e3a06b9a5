// How captures, tips, voids, refunds, settlements and disputes change the state.
extension TransactionState {
    mutating func increment(_ told: Increment) {
        learn(References(), nil, told.at)
        guard adopt(told.delta.currency), !increments.contains(told.id) else { return }
        increments.append(told.id)
        authorized = authorized.addingSaturated(told.delta.value)
    }

    mutating func capture(_ told: Capture) {
        learn(told.references, nil, told.at)
        guard adopt(told.amounts.currency) else { return }
        let tip = told.amounts.tip.flatMap { $0.currency == currency ? $0.value : nil }
        var entry = CaptureEntry(
            id: told.id,
            amount: told.amounts.total.value,
            tip: tip ?? 0,
            evidence: told.evidence,
            batch: told.batch
        )
        if let index = captures.firstIndex(where: { $0.isInferred }) {
            // The capture a tip adjustment had implied: keep the tip that was set since.
            let implied = captures[index]
            entry.amount = entry.amount.addingSaturated(implied.tip - entry.tip)
            entry.tip = implied.tip
            entry.voided = min(implied.voided, entry.amount)
            captures[index] = entry
        } else if !captures.contains(where: { $0.id == told.id }) {
            captures.append(entry)
        } else {
            return
        }
        let isDetailed = told.amounts.base != nil || tip != nil
        if isDetailed || breakdown?.total != told.amounts.total { breakdown = told.amounts }
    }

    mutating func reverseCapture(_ told: Return) {
        learn(told.references, nil, told.at)
        let index = captures.lastIndex { $0.id == told.id } ?? captures.lastIndex { $0.net > 0 && !$0.isSettled }
        guard let index else { return }
        captures.remove(at: index)
    }

    mutating func adjustTip(_ told: TipAdjustment) {
        learn(told.references, nil, told.at)
        guard adopt(told.tip.currency) else { return }
        if let index = captures.lastIndex(where: { $0.net > 0 || $0.amount == 0 }) {
            guard !captures[index].isSettled else { return }
            let base = captures[index].amount - captures[index].tip
            captures[index].amount = base.addingSaturated(told.tip.value)
            captures[index].tip = told.tip.value
        } else if captures.isEmpty, let amounts = told.amounts, amounts.currency == currency {
            var implied = CaptureEntry(
                id: Capture.saleID,
                amount: amounts.total.value,
                tip: told.tip.value,
                evidence: told.evidence,
                batch: nil
            )
            implied.isInferred = true
            captures.append(implied)
        }
        if var parts = breakdown, parts.currency == currency {
            let before = parts.tip?.value ?? 0
            parts.tip = told.tip
            parts.total = Money(parts.total.value.addingSaturated(told.tip.value - before), parts.currency)
            breakdown = parts
        } else {
            breakdown = told.amounts
        }
    }

    mutating func void(_ told: Return) {
        learn(told.references, nil, told.at)
        if var credit, !credit.isSettled {
            credit.voided = min(
                credit.amount,
                told.amount.map { credit.voided.addingSaturated($0.value) } ?? credit.amount
            )
            self.credit = credit
        }
        guard let amount = told.amount, amount.currency == currency else {
            releaseAll()
            isVoided = true
            return
        }
        takeBack(amount.value)
        if captured == 0 { isVoided = true }
    }

    mutating func reverse(_ told: Return) {
        learn(told.references, nil, told.at)
        guard let amount = told.amount, amount.currency == currency, amount.value < authorized else {
            releaseAll()
            authorized = 0
            isReversed = true
            return
        }
        authorized -= amount.value
    }

    mutating func expire(_ told: Settlement) {
        learn(References(), nil, told.at)
        isExpired = true
    }

    mutating func refund(_ told: Return) {
        add(told, to: \.refunds, open: remaining)
    }

    mutating func chargeBack(_ told: Return) {
        add(told, to: \.chargebacks, open: remaining.addingSaturated(-chargedBack))
    }

    mutating func undo(_ entries: WritableKeyPath<TransactionState, [ReturnEntry]>, _ told: Return) {
        learn(told.references, nil, told.at)
        guard let index = self[keyPath: entries].firstIndex(where: { $0.id == told.id }) else { return }
        self[keyPath: entries][index].isUndone = true
    }

    mutating func settle(_ told: Settlement) {
        learn(References(), nil, told.at)
        isSettlementRejected = false
        settlement = Facet(outcome: .approved, response: told.response, at: told.at)
        for index in captures.indices where !captures[index].isSettled && captures[index].net > 0 {
            captures[index].isSettled = true
            captures[index].settledIn = told.batch
        }
        if credit?.isSettled == false {
            credit?.isSettled = true
            credit?.settledIn = told.batch
        }
    }

    mutating func rejectSettlement(_ told: Settlement) {
        learn(References(), nil, told.at)
        isSettlementRejected = true
        settlement = Facet(outcome: .failed, response: told.response, at: told.at)
        for index in captures.indices where captures[index].settledIn == told.batch {
            captures[index].isSettled = false
        }
    }

    mutating func fund(_ told: Settlement) {
        learn(References(), nil, told.at)
        guard let amount = told.amount else {
            funded = settled
            return
        }
        guard amount.currency == currency else { return }
        funded = funded.addingSaturated(amount.value)
    }

    private mutating func add(
        _ told: Return,
        to entries: WritableKeyPath<TransactionState, [ReturnEntry]>,
        open: Int64
    ) {
        learn(told.references, nil, told.at)
        if let amount = told.amount, !adopt(amount.currency) { return }
        guard !self[keyPath: entries].contains(where: { $0.id == told.id }) else { return }
        self[keyPath: entries].append(
            ReturnEntry(
                id: told.id,
                amount: told.amount?.value ?? max(0, open),
                evidence: told.evidence,
                batch: told.batch,
                references: told.references
            )
        )
    }

    /// Voids whatever is not settled.
    private mutating func releaseAll() {
        for index in captures.indices where !captures[index].isSettled {
            captures[index].voided = captures[index].amount
        }
    }

    /// Voids `amount` from the last open captures backwards.
    private mutating func takeBack(_ amount: Int64) {
        var rest = amount
        for index in captures.indices.reversed() where !captures[index].isSettled && rest > 0 {
            let part = min(rest, captures[index].net)
            captures[index].voided += part
            rest -= part
        }
    }
}
