import Canonical

// The fold of captures, tips, voids and reversals.
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
            return repeatCapture(at: index, reported)
        }
        guard admit(reported.amounts.total) else { return }
        // A report of the total alone leaves its parts as the payment states them.
        let parts = reported.amounts.isDetailed ? reported.amounts : breakdown(of: reported.amounts)
        var entry = CaptureEntry(
            id: reported.id,
            amount: reported.amounts.total.value,
            tip: parts.countedTip,
            evidence: reported.evidence,
            batch: reported.batch,
            at: times.event,
            localAt: reported.at?.local
        )
        entry.extras = parts.countedExtras
        entry.cashBack = parts.countedCashBack
        entry.own = reported.own
        if reported.amounts.base != nil || reported.amounts.tip != nil
            || authorization.breakdown?.total != reported.amounts.total
        {
            authorization.breakdown = reported.amounts
        }
        // The first capture has the taxes of the payment, if it is of the same amount and states none.
        let ofPayment = captures.allSatisfy(\.isInferred) ? authorization.taxed?.taxes(of: entry) ?? [] : []
        entry.taxes = reported.amounts.hasTaxes ? reported.amounts.countedTaxes : ofPayment
        if let tip = pending.tip { entry.setTip(tip) }
        pending.tip = nil
        place(&entry)
        if let index = captures.firstIndex(where: \.isInferred) {
            // The reported capture replaces the implied one and takes over its voids, tip time and settlement.
            let implied = captures[index]
            entry.voided = max(entry.voided, min(implied.voided, entry.amount))
            entry.tipAt = implied.tipAt
            entry.at = [implied.at, entry.at].compactMap(\.self).min()
            entry.localAt = [implied.localAt, entry.localAt].compactMap(\.self).min()
            if implied.isSettled { entry.settlement = implied.settlement }
            captures[index] = entry
        } else {
            captures.append(entry)
        }
        if entry.tip != entry.firstTip { setBreakdownTip(entry.tip) }
    }

    /// The parts of these amounts that the payment states; themselves if it states none.
    private func breakdown(of amounts: Amounts) -> Amounts {
        captures.allSatisfy(\.isInferred)
            ? authorization.breakdown.flatMap { $0.total == amounts.total ? $0 : nil } ?? amounts : amounts
    }

    /// Keeps the taxes of the whole payment. Its first capture has them, if it is of the same amount and states none.
    mutating func note(taxesOf amounts: Amounts) {
        guard amounts.hasTaxes else { return }
        let taxed = StatedTaxes(amounts)
        authorization.taxed = taxed
        guard tenders.entries.isEmpty, let first = captures.first, first.taxes.isEmpty else { return }
        captures[0].taxes = taxed.taxes(of: first) ?? []
    }

    /// The same capture from higher-ranked evidence. The gateway's own amount replaces the relayed one; otherwise a
    /// different amount under the same id is not counted.
    mutating func repeatCapture(at index: Int, _ reported: Capture) {
        let known = captures[index]
        guard reported.evidence.rank > known.evidence.rank else { return }
        if reported.evidence.confirms(known.evidence) {
            guard reported.amounts.currency == currency else { return }
            if known.isCorrected(by: reported.amounts) {
                guard admit(reported.amounts.total) else { return }
                captures[index].correct(to: reported.amounts)
                if !reported.amounts.hasTaxes, captures.count == 1 {
                    captures[index].taxes = authorization.taxed?.taxes(of: captures[index]) ?? []
                }
                authorization.breakdown = reported.amounts
                if captures[index].tip != captures[index].firstTip { setBreakdownTip(captures[index].tip) }
            }
            captures[index].batch = BatchReference.named(by: reported.batch, after: known.batch)
            if captures[index].isOpen, let closed = captures[index].batch.flatMap(closing(of:)) {
                captures[index].settlement = closed
            }
        } else if !known.hasBase(of: reported.amounts) {
            return
        }
        captures[index].evidence = reported.evidence
        captures[index].localAt = known.localAt ?? reported.at?.local
    }

    /// Applies facts that were recorded before the capture: the payment was closed, the capture was reversed, or its
    /// batch was settled.
    mutating func place(_ entry: inout CaptureEntry) {
        if isVoidedOrReversed, let closedBy = closing.evidence, entry.evidence.rank <= closedBy.rank {
            entry.voided = entry.amount
        } else if pending.captureReversals > 0 && !entry.isInferred {
            pending.captureReversals -= 1
            entry.voided = entry.amount
        } else if let closed = closing(of: entry.batch, madeAt: entry.madeAt) {
            entry.settlement = closed
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
            if captures[index].settlement.isOverruled(by: reported.evidence) { captures[index].settlement = .open }
            if !captures[index].isSettled { captures[index].voided = captures[index].amount }
        } else if captures.isEmpty {
            pending.captureReversals += 1
        }
    }

    mutating func adjustTip(_ reported: TipAdjustment) {
        learn(reported.references, nil, reported.at)
        guard admit(reported.tip) else { return }
        if captures.isEmpty { pending.tip = reported.tip.value }
        if let index = capture(of: reported) {
            // The last adjustment by time counts, even if an earlier one arrives later.
            if let at = reported.at, let last = captures[index].tipAt, at.isBefore(last) { return }
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
                at: times.begunAt,
                localAt: times.earliest.local
            )
            implied.firstTip = 0
            implied.tipAt = reported.at
            implied.isInferred = true
            implied.extras = amounts.countedExtras
            implied.cashBack = amounts.countedCashBack
            implied.taxes =
                amounts.hasTaxes ? amounts.countedTaxes : authorization.taxed?.taxes(of: implied) ?? []
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
        let takesAll = reported.amount.map { $0.value >= captures.reduce(credit?.net ?? 0) { $0 + $1.net } } ?? true
        if takesAll {
            for index in captures.indices { captures[index].reopen(for: reported) }
            credit?.reopen(for: reported)
        }
        guard let amount = reported.amount else {
            guard !captures.contains(where: \.isSettled) else { return close(by: nil) }
            closing.isVoided = true
            closing.isEarly = closing.isEarly || !hasApproval
            return close(by: reported.evidence)
        }
        guard admit(amount) else { return }
        if var entry = credit {
            if entry.isVoidable(by: reported.evidence) { entry.voided += min(amount.value, entry.net) }
            credit = entry
            closing.isVoided = closing.isVoided || entry.net == 0
        } else if captures.contains(where: { $0.net > 0 && $0.isVoidable(by: reported.evidence) }) {
            voidCaptures(amount.value, by: reported.evidence)
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
        for index in captures.indices where captures[index].settlement.isOverruled(by: reported.evidence) {
            captures[index].settlement = .open
        }
        if let entry = credit, entry.settlement.isOverruled(by: reported.evidence) { credit?.settlement = .open }
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

    /// Releases a part of the authorization.
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

    /// Voids `amount`, starting from the last open capture. Captures whose closing `evidence` overrules are voided
    /// after all open ones, and stay in their batch.
    private mutating func voidCaptures(_ amount: Int64, by evidence: Evidence) {
        var rest = amount
        for isOpen in [true, false] {
            for index in captures.indices.reversed()
            where captures[index].isSettled != isOpen && captures[index].isVoidable(by: evidence) {
                let part = min(rest, captures[index].net)
                captures[index].voided += part
                rest -= part
            }
        }
    }
}

extension CaptureEntry {
    /// True if `evidence` of a void takes money out of the capture: it is open, or the evidence overrules its closing.
    func isVoidable(by evidence: Evidence) -> Bool { !isSettled || settlement.isOverruled(by: evidence) }

    /// True if `reported` is about the same amount. Tips are left out of the comparison, because a tip may have been
    /// adjusted.
    func hasBase(of reported: Amounts) -> Bool {
        amount - tip == reported.total.value.subtractingSaturated(reported.countedTip)
    }

    /// False if the reported amounts contradict nothing: they are the same, or from before the tip, or the same total
    /// without its parts.
    func isCorrected(by reported: Amounts) -> Bool {
        if reported.countedTip == 0 && hasBase(of: reported) { return false }
        if reported.tip == nil && amount == reported.total.value { return false }
        return amount != reported.total.value || firstTip != reported.countedTip
    }
}

extension Amounts {
    /// The tip inside the total, in minor units. Zero if the reported tip cannot be inside the total.
    var countedTip: Int64 {
        guard let tip, tip.currency == currency, !tip.isNegative, tip.value <= total.value else { return 0 }
        return tip.value
    }

    /// The tax and fee inside the total, in minor units. Zero if they cannot be inside the total.
    var countedExtras: Int64 {
        let parts = [tax, fee].compactMap(\.self)
        guard parts.allSatisfy({ $0.currency == currency && !$0.isNegative }) else { return 0 }
        let sum = parts.reduce(Int64(0)) { $0.addingSaturated($1.value) }
        return sum <= total.value ? sum : 0
    }

    /// True if taxes, fees or cash back are reported.
    var hasParts: Bool { tax != nil || fee != nil || cashback != nil || parts != nil }

    /// True if anything is reported besides the total.
    var isDetailed: Bool { base != nil || tip != nil || hasParts }

    /// The cash handed out inside the total, in minor units. Zero if it cannot be inside the total.
    var countedCashBack: Int64 {
        guard let cashback, cashback.currency == currency, !cashback.isNegative, cashback.value <= total.value else {
            return 0
        }
        return cashback.value
    }

    /// True if taxes are reported, by their labels or as a sum.
    package var hasTaxes: Bool { tax != nil || parts != nil }

    /// The taxes inside the total, each above zero; the rest of the tax that no label explains comes last. Empty if
    /// they cannot be inside the total.
    var countedTaxes: [AmountPart] {
        var taxes = (parts ?? []).filter { $0.kind == .tax }
        guard (taxes.map(\.amount) + [tax].compactMap(\.self)).allSatisfy({ $0.currency == currency && !$0.isNegative })
        else { return [] }
        let labelled = taxes.reduce(Int64(0)) { $0.addingSaturated($1.amount.value) }
        if let tax, tax.value > labelled {
            taxes.append(AmountPart(.tax, label: nil, amount: Money(tax.value - labelled, currency)))
        }
        return max(labelled, tax?.value ?? 0) <= total.value ? taxes.filter { $0.amount.value > 0 } : []
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
