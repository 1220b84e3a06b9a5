/// What one fact means for a payment in a given state: whether it says anything new, and what does not fit.
struct Judgement {
    /// False when the state already says all of it.
    var isNews = true
    var anomalies: [Anomaly] = []
    /// An anomaly that this fact explains.
    var cleared: Anomaly?

    private let state: TransactionState
    private let policy: LifecyclePolicy

    init(of fact: TransactionEvent, in state: TransactionState, policy: LifecyclePolicy) {
        self.state = state
        self.policy = policy
        switch fact {
        case .saleRequested(let request): judge(request, as: .sale)
        case .authorizationRequested(let request): judge(request, as: .authorization)
        case .creditRequested(let request): judge(request, as: .credit)
        case .verificationRequested(let request): judge(request, as: .verification)
        case .authorizationApproved(let approval): judge(approval, as: .approved)
        case .partiallyApproved(let approval): judge(approval, as: .partiallyApproved)
        case .creditApproved(let approval): judge(credit: approval)
        case .accountVerified(let approval):
            judge(verdict: .verified, approval.evidence, approval.response, approval.references, approval.card)
        case .declined(let told): judge(verdict: .declined, told)
        case .cancelled(let told): judge(verdict: .cancelled, told)
        case .failed(let told): judge(verdict: .failed, told)
        case .outcomeUnknown(let told): judge(verdict: .unknown, told)
        case .outcomeResolved(let resolution): judge(resolution)
        case .authorizationIncremented(let increment): judge(increment)
        case .captured(let capture): judge(capture)
        case .tipAdjusted(let adjustment): judge(adjustment)
        case .voided(let void): judge(void: void)
        case .refunded(let refund): judge(taken: refund, state.refunds, of: state.remaining)
        case .chargedBack(let chargeback):
            judge(taken: chargeback, state.chargebacks, of: state.remaining.addingSaturated(-state.chargedBack))
        case .refundVoided(let refund): judge(undo: refund, state.refunds)
        case .chargebackReversed(let chargeback): judge(undo: chargeback, state.chargebacks)
        case .settled(let settlement): judge(settlement)
        case .captureReversed, .reversed: if state.operation == nil { orphan() }
        case .expired: isNews = !state.isExpired
        case .anomalyRaised(let anomaly): isNews = !state.anomalies.contains(anomaly)
        case .keysLinked(let link): isNews = !state.linked.contains(link.other)
        case .documentReceived, .settlementRejected, .funded, .anomalyCleared: break
        }
    }

    // MARK: Outcomes

    private mutating func judge(_ request: PaymentRequest, as operation: Operation) {
        if let amounts = request.amounts { check(amounts) }
        guard let known = state.operation else { return }
        guard let amounts = request.amounts, let requested = state.requested else {
            isNews = state.requested == nil && request.amounts != nil
            return
        }
        isNews = amounts.total.value != requested
        if isNews {
            flag(.conflictingAmount, "the request was first told as \(requested), now as \(amounts.total.value)")
        }
        if known != operation && !isFollowUp(known) {
            flag(.conflictingOutcome, "the payment was first told as \(known.rawValue), now as \(operation.rawValue)")
            isNews = true
        }
    }

    /// A payment first seen through a follow-up has a guessed operation.
    private func isFollowUp(_ known: Operation) -> Bool { known == .authorization && !state.hasApproval }

    private mutating func judge(_ approval: Approval, as verdict: Outcome) {
        check(approval.amounts)
        judge(verdict: verdict, approval.evidence, approval.response, approval.references, approval.card)
        let amount = approval.amounts.total.value
        if state.hasApproval, approval.amounts.currency == state.currency, amount != state.authorized, isFirstAuthorized
        {
            isNews = true
            flag(.conflictingAmount, "the approval was first told for \(state.authorized), now for \(amount)")
        }
        if !state.hasApproval { isNews = true }
        let asked = approval.requested.map(\.value) ?? state.requested
        if let asked, amount > asked {
            flag(.approvalExceedsRequest, "approved \(amount) of a requested \(asked)")
        }
        if let chip = approval.card?.chipAmounts { check(chip, approval.amounts) }
        if !state.hasApproval, let orphaned = state.anomalies.first(where: { $0.kind == .originalNotRecorded }) {
            cleared = orphaned
        }
    }

    /// True while no increment, release or reversal has changed what was first approved.
    private var isFirstAuthorized: Bool { state.increments.isEmpty && !state.isReversed }

    private mutating func judge(credit approval: Approval) {
        check(approval.amounts)
        judge(verdict: .approved, approval.evidence, approval.response, approval.references, approval.card)
        guard let credit = state.credit else {
            isNews = true
            return
        }
        if credit.amount != approval.amounts.total.value {
            isNews = true
            flag(.conflictingAmount, "the credit was first told as \(credit.amount)")
        }
    }

    private mutating func judge(verdict: Outcome, _ told: Verdict) {
        judge(verdict: verdict, told.evidence, told.response, told.references, told.card)
    }

    private mutating func judge(
        verdict: Outcome,
        _ evidence: Evidence,
        _ response: Response,
        _ references: References,
        _ card: CardPresentation?
    ) {
        let facet: Facet? =
            switch evidence {
            case .reader: state.reader
            case .gateway: state.gateway
            case .settlement: state.settlement
            }
        let knowsReferences = state.references.filled(from: references) == state.references
        let knowsCard = card == nil || state.card.map { $0.filled(from: card ?? $0) == $0 } ?? false
        isNews = facet?.outcome != verdict || !knowsReferences || !knowsCard
        guard verdict.isDecisive else { return }
        if let facet, facet.outcome.isDecisive, facet.outcome != verdict {
            flag(
                .conflictingOutcome,
                "the \(evidence.rawValue) said \(facet.outcome.rawValue) before and \(verdict.rawValue) now"
            )
        } else if let standing = state.outcome, standing.isDecisive, standing.movesMoney != verdict.movesMoney,
            standing != .verified, verdict != .verified, state.outcomeEvidence != evidence
        {
            let by = state.outcomeEvidence?.rawValue ?? "other side"
            flag(
                .conflictingOutcome,
                "the \(by) said \(standing.rawValue), the \(evidence.rawValue) says \(verdict.rawValue)"
            )
        }
    }

    private mutating func judge(_ resolution: Resolution) {
        guard let standing = state.outcome, standing.isDecisive else { return }
        let moves = resolution.outcome == .approved || resolution.outcome == .partiallyApproved
        if standing.movesMoney != moves {
            flag(
                .conflictingOutcome,
                "the outcome was \(standing.rawValue), and is resolved as \(resolution.outcome.rawValue)"
            )
        }
    }

    private mutating func judge(_ increment: Increment) {
        if state.increments.contains(increment.id) { isNews = false }
        if !state.hasApproval { orphan() }
        check(currencyOf: increment.delta)
    }

    // MARK: Money

    private mutating func judge(_ capture: Capture) {
        check(capture.amounts)
        let amount = capture.amounts.total.value
        if let known = state.captures.first(where: { $0.id == capture.id && !$0.isInferred }) {
            // A tip set since has changed the amount; the base is what the two must agree on.
            let tip = capture.amounts.tip?.value ?? 0
            isNews = known.amount - known.tip != amount - tip
            if isNews { flag(.conflictingAmount, "the capture was first told as \(known.amount), now as \(amount)") }
            return
        }
        if capture.id != Capture.saleID && !state.hasApproval {
            orphan()
        } else if let outcome = state.outcome, outcome.isDecisive, !outcome.movesMoney {
            flag(.captureNotAllowed, "captured although the payment is \(outcome.rawValue)")
        } else if state.isVoided || state.isExpired || state.isReversed {
            flag(.captureNotAllowed, "captured although the payment is \(state.status.rawValue)")
        }
        if policy.capturesOnce, state.captures.contains(where: { $0.net > 0 && !$0.isInferred }) {
            flag(.repeatedCapture, "this vendor captures an authorisation once")
        }
        checkLimit(capture)
    }

    /// I3: C <= A x (1 + tolerance); after a partial approval there is no tolerance.
    private mutating func checkLimit(_ capture: Capture) {
        guard state.hasApproval, capture.amounts.currency == state.currency else { return }
        let tolerance = state.isPartial ? 0 : policy.overcaptureBasisPoints
        let tip = policy.tipExceedsAuthorization ? capture.amounts.tip?.value ?? 0 : 0
        let tips = policy.tipExceedsAuthorization ? state.tips : 0
        let (base, overflow) = state.captured.addingSaturated(-tips)
            .addingReportingOverflow(capture.amounts.total.value.addingSaturated(-tip))
        let limit = Self.scaled(state.authorized, byBasisPoints: 10_000 + tolerance)
        guard overflow || base > limit else { return }
        flag(.captureExceedsAuthorization, "captured \(base) without tips where \(limit) is allowed")
    }

    private mutating func judge(_ adjustment: TipAdjustment) {
        check(currencyOf: adjustment.tip)
        guard let capture = state.captures.last(where: { $0.net > 0 || $0.amount == 0 }) else {
            if state.captures.isEmpty { orphan() } else { flag(.tipNotAllowed, "nothing is captured any more") }
            return
        }
        isNews = capture.tip != adjustment.tip.value
        if isNews && capture.isSettled { flag(.tipNotAllowed, "the capture is settled already") }
        if let total = adjustment.amounts?.total, total.currency == state.currency {
            let expected = (capture.amount - capture.tip).addingSaturated(adjustment.tip.value)
            if total.value != expected {
                isNews = true
                flag(.conflictingAmount, "the total told is \(total.value), base and tip make \(expected)")
            }
        }
    }

    private mutating func judge(void: Return) {
        if let amount = void.amount { check(currencyOf: amount) }
        if state.captures.contains(where: \.isSettled) {
            flag(.voidAfterSettlement, "the capture is settled already; nothing was taken back")
        } else if state.isVoided {
            if void.amount == nil { isNews = false }
        } else if state.operation == nil || !(state.hasApproval || !state.captures.isEmpty) {
            if state.outcome?.isDecisive == true {
                flag(.voidNotAllowed, "there was nothing open to void")
            } else {
                orphan()
            }
        } else if let amount = void.amount, amount.currency == state.currency, state.credit == nil,
            amount.value > max(state.captured, state.authorized)
        {
            flag(.voidNotAllowed, "voided \(amount.value) where \(state.captured) was open")
        }
    }

    /// I4: F + K <= C; an excess is kept and flagged.
    private mutating func judge(taken: Return, _ known: [ReturnEntry], of open: Int64) {
        if let amount = taken.amount { check(currencyOf: amount) }
        if let entry = known.first(where: { $0.id == taken.id }) {
            isNews = taken.amount.map { $0.value != entry.amount } ?? false
            if isNews { flag(.conflictingAmount, "\(taken.id) was first told as \(entry.amount)") }
            return
        }
        if state.captures.isEmpty {
            if state.hasApproval {
                flag(.refundNotAllowed, "refunded although nothing was captured")
            } else {
                orphan()
            }
        }
        if let amount = taken.amount, amount.currency == state.currency, amount.value > open, !state.captures.isEmpty {
            flag(.refundExceedsCapture, "\(amount.value) is given back where \(open) is left")
        }
    }

    private mutating func judge(undo: Return, _ known: [ReturnEntry]) {
        guard let entry = known.first(where: { $0.id == undo.id }) else { return orphan() }
        isNews = !entry.isUndone
    }

    /// I7: a capture is in at most one closed batch.
    private mutating func judge(_ settlement: Settlement) {
        let taken = state.captures.filter(\.isSettled)
        if let earlier = taken.first(where: { $0.settledIn != settlement.batch }) {
            let open = state.captures.contains { !$0.isSettled && $0.net > 0 }
            if !open {
                let batch = earlier.settledIn?.text ?? "an unnamed batch"
                flag(.settledTwice, "already settled in \(batch)")
            }
        } else if !taken.isEmpty && taken.count == state.captures.count {
            isNews = false
        }
        if state.captures.isEmpty && state.credit == nil { flag(.settlementMismatch, "nothing was captured") }
        if let amount = settlement.amount, state.credit == nil, !state.captures.isEmpty,
            amount.currency != state.currency || amount.value != state.captured
        {
            flag(.settlementMismatch, "settled \(amount.value) where \(state.captured) was captured")
        }
    }

    // MARK: Amount checks

    private mutating func orphan() {
        guard !state.anomalies.contains(where: { $0.kind == .originalNotRecorded }) else { return }
        flag(.originalNotRecorded, "the payment this belongs to has not been recorded yet")
    }

    private mutating func check(_ amounts: Amounts) {
        check(currencyOf: amounts.total)
        guard amounts.isSingleCurrency else {
            flag(.currencyMismatch, "the parts of the amount are in different currencies")
            return
        }
        do {
            if let difference = try amounts.discrepancy(), difference != 0 {
                flag(.amountsDoNotAddUp, "the total differs from the sum of its parts by \(difference)")
            }
        } catch {
            flag(.amountOverflow, "the parts of the amount do not fit into 64 bits")
        }
    }

    private mutating func check(currencyOf money: Money) {
        guard let currency = state.currency, currency != money.currency else { return }
        flag(.currencyMismatch, "the payment is in \(currency.alpha), this is in \(money.currency.alpha)")
    }

    /// I11: the chip signs base + tip + cashback.
    private mutating func check(_ chip: ChipAmounts, _ amounts: Amounts) {
        let parts = [amounts.base ?? amounts.total, amounts.base == nil ? nil : amounts.tip, amounts.cashback]
        let expected = parts.reduce(Int64(0)) { $0.addingSaturated($1?.value ?? 0) }
        if chip.authorized != expected && chip.authorized != amounts.total.value {
            flag(.chipAmountMismatch, "the chip signed \(chip.authorized), the payment is for \(expected)")
        }
        if chip.other != amounts.cashback?.value ?? 0 {
            flag(.chipAmountMismatch, "the chip signed a cashback of \(chip.other)")
        }
        if let numeric = chip.currencyNumeric, numeric != amounts.currency.numeric {
            flag(.chipAmountMismatch, "the chip signed currency \(numeric)")
        }
    }

    private mutating func flag(_ kind: Anomaly.Kind, _ explanation: String) {
        anomalies.append(Anomaly(kind, explanation))
    }

    /// `value` x `points` / 10 000, rounded down, stopped at the end of the range.
    private static func scaled(_ value: Int64, byBasisPoints points: Int64) -> Int64 {
        let (high, low) = value.multipliedFullWidth(by: points)
        // The quotient fits into 64 bits exactly when the high word is below half the divisor.
        guard value >= 0, high < 5_000 else { return .max }
        return Int64(10_000).dividingFullWidth((high, low)).quotient
    }
}
