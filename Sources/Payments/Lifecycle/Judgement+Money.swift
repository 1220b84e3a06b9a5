import Canonical

// Checks of captures, tips, voids, refunds and settlements against the state before them.
extension Judgement {
    mutating func judge(_ increment: Increment) {
        check(increment.delta, isSigned: true)
        if judgeRepeated(increment.id, increment.delta, state.authorization.increments) { return }
        if state.isVoidedOrReversed || state.closing.isExpired {
            flag(.incrementNotAllowed, "the authorization is \(state.status.rawValue)")
        } else if state.isOriginalKnown && !state.hasApproval {
            flag(.incrementNotAllowed, "the payment was not approved")
        } else if state.hasApproval, increment.delta.isNegative, increment.delta.currency == state.currency,
            increment.delta.value.magnitude > state.authorized.magnitude
        {
            flag(.incrementNotAllowed, "\(increment.delta.value) where \(state.authorized) is held")
        }
    }

    /// Finds an earlier report of the same follow-up, and flags a different amount.
    ///
    /// - Returns: True if there is one.
    private mutating func judgeRepeated(_ id: String, _ amount: Money?, _ known: [NamedAmount]) -> Bool {
        guard let earlier = known.first(where: { $0.id.hasSameUTF8(as: id) }) else { return false }
        if amount != nil && amount != earlier.amount {
            flag(.conflictingAmount, "\(id) was reported before with another amount")
        }
        return true
    }

    mutating func judge(_ capture: Capture) {
        let amount = capture.amounts.total.value
        if let known = state.captures.first(where: { $0.id.hasSameUTF8(as: capture.id) && !$0.isInferred }) {
            let isSame = known.hasBase(of: capture.amounts) && capture.amounts.currency == state.currency
            if !isSame || isCorrected {
                flag(.conflictingAmount, "the capture was first reported as \(known.amount), now as \(amount)")
            }
            return
        }
        check(capture.amounts)
        if let outcome = state.outcome, outcome.isDecisive, !outcome.movesMoney {
            flag(.captureNotAllowed, "captured although the payment is \(outcome.rawValue)")
        } else if state.closing.isExpired {
            flag(.captureNotAllowed, "captured although the authorization has expired")
        } else if state.isVoidedOrReversed, !(state.closing.isEarly && next.captured == state.captured) {
            let ended = state.closing.isVoided ? "voided" : "reversed"
            flag(.captureNotAllowed, "captured although the payment is \(ended)")
        }
        if policy.capturesOnce, state.captures.contains(where: { $0.net > 0 && !$0.isInferred }) {
            flag(.repeatedCapture, "this vendor captures an authorization once")
        }
    }

    /// True if the amount or the tip of a recorded capture was replaced.
    var isCorrected: Bool {
        zip(state.captures, next.captures).contains { before, after in
            before.id == after.id && (before.amount != after.amount || before.tip != after.tip)
        }
    }

    mutating func judge(captureReversal: Return) {
        if let amount = captureReversal.amount { check(amount) }
        guard !state.closing.captureReversals.contains(where: { $0.hasSameUTF8(as: captureReversal.id) }) else {
            return
        }
        let doubt = FollowUpInDoubt(.partialVoid)
        if judge(outranked: .captureReversed(captureReversal), at: captureReversal.at, doubt) { return }
        judge(reopening: captureReversal)
        if let capture = state.captures.first(where: { $0.id.hasSameUTF8(as: captureReversal.id) })
            ?? state.captures.last
        {
            if capture.isSettled && next.captured == state.captured {
                flag(.voidAfterSettlement, "the capture is settled already; it cannot be voided")
            } else if next.captured == state.captured {
                flag(.voidNotAllowed, "no capture was open")
            }
        }
    }

    mutating func judge(_ adjustment: TipAdjustment) {
        check(adjustment.tip)
        if let amounts = adjustment.amounts { check(amounts) }
        guard let index = state.capture(of: adjustment) else {
            if state.captures.contains(where: \.isSettled) {
                let isChange = state.captures.last(where: \.isSettled)?.tip != adjustment.tip.value
                if isChange { flag(.tipNotAllowed, "the capture is settled already") }
            } else if state.isOriginalKnown || !state.captures.isEmpty {
                flag(.tipNotAllowed, "nothing is captured")
            }
            return
        }
        let capture = state.captures[index]
        guard let total = adjustment.amounts?.total, total.currency == state.currency else { return }
        let expected = (capture.amount - capture.tip).addingSaturated(adjustment.tip.value)
        if total.value != expected {
            flag(.conflictingAmount, "the reported total is \(total.value), base and tip add up to \(expected)")
        }
    }

    // MARK: Voids and reversals

    mutating func judge(void: Return, askedAs followUp: FollowUp = .void) {
        if let amount = void.amount { check(amount) }
        if judgeRepeated(void.id, void.amount, state.closing.voids) { return }
        judge(stated: void, askedAs: followUp, of: voidableAmounts)
        let openAmount = openAmount(for: void.evidence)
        let isPart = void.amount.map { $0.value < openAmount } ?? false
        let doubt = FollowUpInDoubt(isPart ? .partialVoid : .followUp(.void))
        if judge(outranked: .voided(void), at: void.at, doubt) { return }
        judge(reopening: void)
        let isInBatch =
            next.captures.contains { !$0.isVoidable(by: void.evidence) }
            || next.credit.map { !$0.isVoidable(by: void.evidence) } ?? false
        if isInBatch {
            flag(.voidAfterSettlement, "the payment is settled already")
        } else if state.isVoidedOrReversed {
            if void.amount != nil { flag(.voidNotAllowed, "nothing is open any more") }
        } else if state.isOriginalKnown && !state.hasApproval && state.captures.isEmpty {
            flag(.voidNotAllowed, "there was nothing open to void")
        } else if let amount = void.amount, state.isOriginalKnown, amount.value > openAmount {
            flag(.voidNotAllowed, "voided \(amount.value) where \(openAmount) was open")
        }
    }

    /// Flags a refused follow-up whose request names another original than this payment, although the app means this
    /// one: what it was to change is unchanged.
    mutating func judge(_ refusal: FollowUpRefusal, of state: TransactionState) {
        guard state.isOriginalKnown, let original = refusal.original else { return }
        // An id of a part of the payment may consist of several references.
        let ids =
            state.captures.map(\.id) + (state.refunds + state.chargebacks).map(\.id) + state.closing.captureReversals
            + (state.authorization.increments + state.closing.voids + state.closing.reversals).map(\.id)
        let parts = ids.flatMap { $0.split(separator: ":").map { Array($0.utf8) } }
        func isAnother(_ id: (References) -> String?) -> Bool {
            guard let named = id(original), id(state.references) != nil else { return false }
            let known =
                [state.references] + state.captures.compactMap(\.own) + [state.credit?.own].compactMap(\.self)
                + (state.refunds + state.chargebacks).map(\.references)
            return !known.contains { id($0).hasSameUTF8(as: named) } && !parts.contains(Array(named.utf8))
        }
        guard isAnother(\.gatewayTransaction) || isAnother(\.retrievalReference) else { return }
        let named = original.gatewayTransaction ?? original.retrievalReference ?? ""
        flag(
            refusal.followUp == .void ? .voidNotAllowed : .keysDisagree,
            "the refused request names another original: \(named)"
        )
    }

    /// The amount a void can reverse: the open captures and those whose closing it overrules, or else the
    /// authorization.
    private func openAmount(for evidence: Evidence) -> Int64 {
        if let credit = state.credit { return credit.net }
        let open = state.captures.reduce(Int64(0)) { $1.isVoidable(by: evidence) ? $0 + $1.net : $0 }
        return open > 0 ? open : state.authorized
    }

    /// Flags money that a void takes out of a closed batch, if void and closing are not from the same side: one of them
    /// is only relayed. The gateway's own void from before a relayed closing does not contradict it.
    private mutating func judge(reopening reported: Return) {
        func isContradicted(_ before: CaptureEntry, _ after: CaptureEntry) -> Bool {
            guard before.isSettled, !after.isSettled || after.net < before.net,
                before.settlement.isRelayed == reported.evidence.isConfirmation
            else { return false }
            guard reported.evidence.isConfirmation, let voidedAt = reported.at,
                let closedAt = before.settlement.closedAt?.reported
            else { return true }
            return !voidedAt.isBefore(closedAt)
        }
        let isOfCredit =
            if let before = state.credit, let after = next.credit { isContradicted(before, after) } else { false }
        if isOfCredit || zip(state.captures, next.captures).contains(where: isContradicted) {
            let explanation =
                reported.evidence.isConfirmation
                ? "a relayed closing contains what the gateway reports as voided"
                : "a closed batch contains what is relayed as voided before"
            flag(.settlementMismatch, explanation)
        }
    }

    mutating func judge(reversal: Return) {
        if let amount = reversal.amount { check(amount) }
        if judgeRepeated(reversal.id, reversal.amount, state.closing.reversals) { return }
        judge(stated: reversal, of: voidableAmounts)
        if judge(outranked: .reversed(reversal), at: reversal.at, FollowUpInDoubt(.reversal)) { return }
        judge(reopening: reversal)
        if next.closing.isReversed && next.captures.contains(where: \.isSettled) {
            flag(.voidAfterSettlement, "the payment is settled already")
        } else if state.hasApproval, let amount = reversal.amount, amount.value > state.authorized {
            flag(.voidNotAllowed, "released \(amount.value) where \(state.authorized) is held")
        }
    }

    // MARK: Refunds and disputes

    mutating func judge(returned: Return, _ known: [ReturnEntry]) {
        if let entry = known.first(where: { $0.id.hasSameUTF8(as: returned.id) }) {
            let isOther = returned.amount.map { $0.value != entry.amount || $0.currency != state.currency } ?? false
            if isOther { flag(.conflictingAmount, "\(returned.id) was first reported as \(entry.amount)") }
            return
        }
        if let amount = returned.amount { check(amount) }
    }

    mutating func judge(refundVoid: Return) {
        let known = state.refunds.first { $0.id.hasSameUTF8(as: refundVoid.id) }
        let isOfCredit = known == nil && state.credit != nil
        if state.outranks(.refundVoided(refundVoid)), !(isOfCredit && state.isVoidedOrReversed) {
            return flag(outranked: FollowUpInDoubt(.refundVoid, refund: refundVoid.id))
        }
        if isOfCredit { return judge(void: refundVoid, askedAs: .refundVoid) }
        if let known, !known.isUndone { judge(stated: refundVoid, askedAs: .refundVoid, of: [known.amount]) }
        if let known, known.isSettled {
            flag(.voidAfterSettlement, "the refund is settled already")
        }
    }

    // MARK: Settlement

    /// I7: a capture is in at most one closed batch.
    mutating func judge(_ reported: Settlement) {
        let settlement = reported.isInferred ? reported : next.inGeneration(reported)
        // Batches without a number are closed repeatedly. A closing that takes nothing of the payment is not about it.
        if settlement.isInferred, let batch = settlement.batch, batch.number == nil,
            next.settledLines.count == state.settledLines.count
        {
            isNews = false
            return
        }
        guard hasMoney else { return flag(.settlementMismatch, "nothing was captured") }
        if let outcome = state.outcome, outcome.isDecisive, !outcome.movesMoney {
            flag(.settlementMismatch, "settled although the payment is \(outcome.rawValue)")
        }
        // A report without a batch is about the payment itself, in any batch.
        let isTakenBefore = state.settledLines.contains { line in
            settlement.batch == nil || line.batch == nil || line.batch == settlement.batch
        }
        // Nothing was open. Lines of a relayed closing may have moved to this batch.
        let isTakenOver = settlement.batch.map { state.takesOver($0) } ?? false
        if next.settledLines.count == state.settledLines.count && !isTakenBefore && !isTakenOver {
            if let earlier = state.settledLines.first {
                flag(.settledTwice, "already settled in \(earlier.batch?.text ?? "an unnamed batch")")
            } else {
                flag(.settlementMismatch, "nothing was open to settle")
            }
        }
        guard let amount = settlement.amount else { return }
        let lines = next.settledLines.filter { settlement.batch == nil || $0.batch == settlement.batch }.map(\.amount)
        let taken = lines.reduce(0) { $0 + max(0, $1) }
        let net = lines.reduce(0, +)
        // Statements print outgoing money with or without a sign.
        let isExpected = amount.value == taken || amount.value.magnitude == net.magnitude
        if !isExpected || amount.currency != state.currency {
            flag(.settlementMismatch, "settled \(amount.value) where \(net) was open")
        }
    }

    mutating func judge(rejection: TransactionEvent) {
        if !hasMoney {
            flag(.settlementMismatch, "nothing was captured")
        } else if state.outranks(rejection) {
            flag(.settlementMismatch, "the settlement is reported as rejected, against higher-ranked evidence")
        }
    }

    mutating func judge(funding: Settlement) {
        if let amount = funding.amount { check(amount, isSigned: true) }
        if judgeRepeated(funding.id, funding.amount, state.settlement.fundings) { return }
        if !hasMoney && state.chargebacks.isEmpty { flag(.settlementMismatch, "nothing was captured") }
    }
}

extension TransactionState {
    fileprivate struct SettledLine: Equatable {
        var amount: Int64
        var batch: BatchReference?
    }

    /// The amounts in closed batches. Outgoing money is negative.
    fileprivate var settledLines: [SettledLine] {
        captures.filter(\.isSettled).map { SettledLine(amount: $0.net, batch: $0.settledIn) }
            + refunds.filter(\.isSettled).map { SettledLine(amount: -$0.amount, batch: $0.settledIn) }
            + (credit.map { $0.isSettled ? [SettledLine(amount: -$0.net, batch: $0.settledIn)] : [] } ?? [])
    }
}
