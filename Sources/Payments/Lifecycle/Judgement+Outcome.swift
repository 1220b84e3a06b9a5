import Canonical

// Checks of requests, verdicts and resolutions against earlier reports.
extension Judgement {
    mutating func judge(_ request: PaymentRequest, as operation: Operation) {
        if let amounts = request.amounts {
            check(amounts)
            if let requested = state.authorization.requested,
                !policy.requestIsFloor || amounts.total.currency != state.currency,
                amounts.total.currency != state.currency || amounts.total.value != requested
            {
                flag(
                    .conflictingAmount,
                    "the request was first reported as \(requested), now as \(amounts.total.value)"
                )
            }
        }
        if case .reported(let known) = state.identity.operation, known != operation {
            flag(
                .conflictingOutcome,
                "the payment was first reported as \(known.rawValue), now as \(operation.rawValue)"
            )
        } else if operation == .credit, !state.tenders.entries.isEmpty {
            flag(.conflictingOutcome, "the payment is reported as a credit although a tender was taken")
        } else if operation == .credit, next.authorization.approved != nil, state.operation != .credit {
            flag(.conflictingOutcome, "the payment is reported as a credit although it was reported as approved")
        } else if operation != .credit, state.credit != nil {
            flag(
                .conflictingOutcome,
                "the payment is reported as \(operation.rawValue) although it was reported as a credit"
            )
        }
    }

    mutating func judge(_ approval: Approval, as verdict: Outcome) {
        judge(verdict: verdict, approval.evidence)
        judgeSignature()
        check(approval.amounts)
        judge(approved: approval.amounts, of: approval.requested)
        if let chip = approval.card?.chipAmounts { check(chip, approval) }
        if let receipt = state.identity.printed { judge(receipt, approval.amounts.total) }
        if state.credit != nil || state.operation == .credit {
            flag(.conflictingOutcome, "the payment was first reported as a credit, now as approved")
        }
    }

    /// Flags an approved amount that differs from the recorded one or exceeds the request in the same document.
    private mutating func judge(approved amounts: Amounts, of requested: Money?) {
        if let approved = state.authorization.approved, amounts.currency == state.currency,
            amounts.total.value != approved
        {
            flag(.conflictingAmount, "the approval was first reported for \(approved), now for \(amounts.total.value)")
        }
        if let requested, requested.currency == amounts.currency, amounts.total.value > requested.value,
            !policy.requestIsFloor
        {
            flag(.approvalExceedsRequest, "approved \(amounts.total.value) of a requested \(requested.value)")
        }
    }

    mutating func judge(credit approval: Approval) {
        judge(verdict: .approved, approval.evidence)
        judgeSignature()
        check(approval.amounts)
        if state.authorization.approved != nil {
            flag(.conflictingOutcome, "the payment was first reported as approved, now as a credit")
        }
        if let credit = state.credit, credit.amount != approval.amounts.total.value {
            flag(.conflictingAmount, "the credit was first reported as \(credit.amount)")
        }
    }

    /// Judges a verdict that counts.
    mutating func judge(_ fact: TransactionEvent, _ reported: Verdict) {
        guard state.counts(reported) else { return }
        switch fact {
        case .declined: judge(verdict: .declined, reported.evidence)
        case .cancelled: judge(verdict: .cancelled, reported.evidence)
        case .failed: judge(verdict: .failed, reported.evidence)
        default: judge(unknown: reported)
        }
    }

    mutating func judge(verdict: Outcome, _ evidence: Evidence) {
        let facet = state.verdicts[evidence]
        // With tenders, a payment goes step by step from no approval over partial to full approval. Single attempts are
        // not verdicts.
        let isStep = !state.tenders.entries.isEmpty && verdict.movesMoney && state.outcome?.movesMoney == true
        guard facet?.outcome != verdict, !isStep, state.verdicts.current?.isOfTender != true else { return }
        if let facet, facet.outcome.isDecisive {
            let earlier = facet.isRelayed ? .relayed : evidence == .relayed ? .gateway : evidence
            flag(
                .conflictingOutcome,
                earlier == evidence
                    ? "the \(evidence.source) reported \(facet.outcome.rawValue) before and \(verdict.rawValue) now"
                    : "the \(earlier.source) reported \(facet.outcome.rawValue), the \(evidence.source) reports "
                        + verdict.rawValue
            )
        } else if let current = state.outcome, current.isDecisive, current.movesMoney != verdict.movesMoney,
            current != .verified, verdict != .verified,
            state.verdicts.current?.evidence.isSameSide(as: evidence) != true
        {
            let by = state.verdicts.current?.evidence.source ?? "other side"
            flag(
                .conflictingOutcome,
                "the \(by) reported \(current.rawValue), the \(evidence.source) reports \(verdict.rawValue)"
            )
        } else {
            checkCaptures(against: verdict)
        }
    }

    /// Judges an unknown outcome reported for a payment that may already be settled. It does not change the settled
    /// outcome; it leaves open whether another attempt or follow-up took effect. If the report is not newer than the
    /// settled outcome, that outcome answers it: a vendor that is queried again prints the time of the payment, not the
    /// time of the answer.
    mutating func judge(unknown reported: Verdict) {
        guard !isDoubtNamed, reported.means == nil else { return }
        if let at = reported.at, start.precedesOutcome(at, next.times.event) { return }
        // A reported outcome that agrees with the settled one raises no doubt.
        if let said = reported.said, let current = start.outcome, current.isDecisive,
            said.movesMoney == current.movesMoney
        {
            return
        }
        // A tender with an unknown outcome changes nothing about the tenders that were taken.
        if !state.tenders.entries.isEmpty { return anomalies.append(.followUpInDoubt(.furtherTender)) }
        // If the unknown outcome replaces the settled one, the payment itself is in doubt.
        guard start.outcome?.isDecisive == true, next.outcome != .unknown, start.verdicts.current?.isOfTender != true,
            !isOtherSide(reported)
        else { return }
        let isSame = reported.references.gatewayTransaction.map { id in
            start.references.gatewayTransaction?.hasSameUTF8(as: id) ?? false
        }
        // Another attempt would have another id.
        let doubt = Anomaly.followUpInDoubt(isSame == true ? .anyFollowUp : .paymentAttempt)
        if !Doubts.isEnded(doubt, in: state, policy: policy) { anomalies.append(doubt) }
    }

    /// True if one side has reported a result and the other has not: the host before the terminal, or the terminal
    /// before the host.
    private func isOtherSide(_ reported: Verdict) -> Bool {
        guard policy.terminalCompletes, start.countedCaptures.isEmpty else { return false }
        return start.verdicts[reported.evidence]?.outcome.isDecisive != true
    }

    /// A capture that was recorded before its payment contradicts a failed payment.
    private mutating func checkCaptures(against verdict: Outcome) {
        guard !verdict.movesMoney, !state.isOriginalKnown, state.captures.contains(where: { $0.net > 0 }) else {
            return
        }
        flag(.conflictingOutcome, "money was captured although the payment is \(verdict.rawValue)")
    }

    mutating func judge(_ resolution: Resolution) {
        // A testimony about a follow-up says nothing about the payment.
        guard resolution.testimony?.followUp == nil else { return }
        let verdict = resolution.outcome.verdict
        if resolution.operation == .credit, !state.isCreditExpected { return judge(foundRefund: resolution) }
        if let current = state.outcome, current.isDecisive, current.movesMoney != verdict.movesMoney {
            flag(
                .conflictingOutcome,
                "the outcome was \(current.rawValue), and is resolved as \(resolution.outcome.rawValue)"
            )
        } else {
            checkCaptures(against: verdict)
        }
        guard verdict.movesMoney else { return }
        if let amounts = resolution.amounts {
            check(amounts)
            judge(approved: amounts, of: nil)
            if isCorrected, !anomalies.contains(where: { $0.kind == .conflictingAmount }) {
                flag(.conflictingAmount, "the sale was captured with another amount than \(amounts.total.value)")
            }
            if let credit = state.credit, amounts.currency == state.currency, amounts.total.value != credit.amount {
                flag(
                    .conflictingAmount,
                    "the credit was first reported as \(credit.amount), now as \(amounts.total.value)"
                )
            }
        } else if !state.hasApproval {
            flag(.amountUnreadable, "the resolution has no approved amount")
        }
    }

    /// Judges a refund that was found beside a payment. The refund may already be recorded under another name, so it is
    /// not counted.
    private mutating func judge(foundRefund resolution: Resolution) {
        guard resolution.outcome.verdict.movesMoney else { return }
        let found = resolution.amounts?.total
        let isKnown = state.refunds.contains { !$0.isUndone && $0.amount == found?.value ?? $0.amount }
        if !isKnown { anomalies.append(.followUpInDoubt(.foundRefund)) }
    }

    /// I11: the chip signs base + tip + cashback, before the host can approve less.
    private mutating func check(_ chip: ChipAmounts, _ approval: Approval) {
        let amounts = approval.amounts
        var expected = [amounts.total.value]
        if let base = amounts.base {
            expected.append([amounts.tip, amounts.cashback].reduce(base.value) { $0.addingSaturated($1?.value ?? 0) })
        }
        if let asked = approval.requested?.value ?? state.authorization.requested { expected.append(asked) }
        if !expected.contains(chip.authorized), let last = expected.last {
            flag(.chipAmountMismatch, "the chip signed \(chip.authorized), the payment is for \(last)")
        }
        if chip.other != amounts.cashback?.value ?? 0 {
            flag(.chipAmountMismatch, "the chip signed a cashback of \(chip.other)")
        }
        if let numeric = chip.currencyNumeric, numeric != amounts.currency.numeric {
            flag(.chipAmountMismatch, "the chip signed currency \(numeric)")
        }
    }
}
