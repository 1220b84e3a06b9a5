// Checks of tenders and dispensed cash against the state before them.
extension Judgement {
    mutating func judge(_ tender: Tender) {
        if case .reported(.credit)? = state.identity.operation, state.tenders.entries.isEmpty {
            check(tender.amounts)
            if let credit = state.credit, credit.amount != tender.amounts.total.value {
                flag(.conflictingAmount, "the credit was first reported as \(credit.amount)")
            }
            return
        }
        if judgeRepeated(TenderEntry(tender), tender.amounts.total) { return }
        check(tender.amounts)
        for case let discount? in (tender.offers ?? []).map(\.amount) { check(discount) }
        judge(taken: "a tender was taken")
        if state.hasApproval, state.tenders.entries.isEmpty, !state.authorization.isPartial {
            flag(.conflictingOutcome, "the payment was first reported as approved in full, now by a tender")
        }
    }

    mutating func judge(_ dispense: Dispense) {
        if judgeRepeated(TenderEntry(dispense), dispense.dispensed) { return }
        check(dispense.dispensed)
        if let asked = dispense.requested {
            check(asked)
            if let requested = state.authorization.requested, asked.currency == state.currency, asked.value != requested
            {
                flag(.conflictingAmount, "the request was first reported as \(requested), now as \(asked.value)")
            }
        }
        judge(taken: "cash was handed out")
    }

    /// A refusal changes nothing about the tenders that were taken and contradicts none of them.
    mutating func judge(_ refusal: TenderRefusal) {
        if let amount = refusal.amount, let currency = state.currency, amount.currency != currency {
            flag(.currencyMismatch, "the payment is in \(currency.alpha), this is in \(amount.currency.alpha)")
        }
    }

    /// - Returns: True if the same tender was recorded before.
    private mutating func judgeRepeated(_ entry: TenderEntry, _ amount: Money) -> Bool {
        guard let known = state.tenderIndex(of: entry).map({ state.tenders.entries[$0] }) else { return false }
        // The captured amount may be less than the held amount.
        if known.isCaptured == entry.isCaptured, known.amount != entry.amount || amount.currency != state.currency {
            flag(.conflictingAmount, "\(entry.id) was first reported as \(known.amount), now as \(entry.amount)")
        } else if known.isCaptured != entry.isCaptured {
            check(amount)
        }
        return true
    }

    private mutating func judge(taken: String) {
        if state.credit != nil || state.operation == .credit {
            flag(.conflictingOutcome, "\(taken) although the payment was reported as a credit")
        }
        if let outcome = state.outcome, outcome.isDecisive, !outcome.movesMoney,
            state.verdicts.current?.isOfTender != true
        {
            flag(.conflictingOutcome, "\(taken) although the payment is \(outcome.rawValue)")
        } else if state.closing.isExpired {
            flag(.captureNotAllowed, "\(taken) although the authorization has expired")
        } else if state.isVoidedOrReversed, !(state.closing.isEarly && next.captured == state.captured) {
            let ended = state.closing.isVoided ? "voided" : "reversed"
            flag(.captureNotAllowed, "\(taken) although the payment is \(ended)")
        }
    }
}
