import Canonical

/// The anomalies that a fact raises for a payment in a given state.
///
/// `Contradictions` checks the sums as a whole.
struct Judgement {
    /// False for an anomaly, a clearing or a link that the state already reflects.
    var isNews = true
    var anomalies: [Anomaly] = []

    /// The state without the fact, and without the ends that the fact outranks.
    let state: TransactionState
    /// The state with the ends that the fact outranks; nil if there are none.
    let counted: TransactionState?
    /// The state with the fact folded in.
    let next: TransactionState
    let policy: LifecyclePolicy
    /// The state before the document that reports the fact.
    let start: TransactionState
    /// True if the document itself names what is in doubt.
    let isDoubtNamed: Bool
    /// The highest-ranked evidence in the document; nil if it has none.
    let source: Evidence?

    init(
        of fact: TransactionEvent,
        from previous: TransactionState,
        to next: TransactionState,
        policy: LifecyclePolicy,
        start: TransactionState,
        isDoubtNamed: Bool,
        source: Evidence?
    ) {
        if case .unconfirmed(let kept) = previous.ends, fact.confirmsPayment {
            (state, counted) = (kept, previous)
        } else {
            (state, counted) = (previous, nil)
        }
        self.source = source
        self.start = start
        self.isDoubtNamed = isDoubtNamed
        self.next = next
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
            judge(verdict: .verified, approval.evidence)
        case .declined(let reported), .cancelled(let reported), .failed(let reported), .outcomeUnknown(let reported):
            judge(fact, reported)
        case .outcomeResolved(let resolution): judge(resolution)
        case .authorizationIncremented(let increment): judge(increment)
        case .captured(let capture): judge(capture)
        case .tenderApplied(let tender): judge(tender)
        case .tenderRefused(let refusal): judge(refusal)
        case .cashDispensed(let dispense): judge(dispense)
        case .captureReversed(let taken): judge(captureReversal: taken)
        case .tipAdjusted(let adjustment): judge(adjustment)
        case .voided(let void): judge(void: void)
        case .reversed(let reversal): judge(reversal: reversal)
        case .refunded(let refund): judge(returned: refund, state.refunds)
        case .chargedBack(let chargeback): judge(returned: chargeback, state.chargebacks)
        case .chargebackReversed(let reversal):
            if state.outranks(fact) { flag(.conflictingOutcome, Self.outrankedReversal) }
            judge(chargebackReversal: reversal)
        case .dispute(let event): judge(event)
        case .refundVoided(let refund): judge(refundVoid: refund)
        case .settled(let settlement): judge(settlement)
        case .settlementRejected: judge(rejection: fact)
        case .expired:
            if state.outranks(fact), state.isHeld { flag(.conflictingOutcome, Self.outrankedExpiry) }
        case .funded(let settlement): judge(funding: settlement)
        case .anomalyRaised(let anomaly):
            let isKnown = state.anomalies.contains { $0.isRepeat(of: anomaly) }
            isNews = !isKnown && !Doubts.isEnded(anomaly, in: state, policy: policy)
        case .anomalyCleared(let anomaly):
            isNews =
                state.anomalies.contains { $0.isCleared(by: anomaly) }
                && anomaly.inDoubt.map { state.lets(source, end: $0) } ?? true
        case .keysLinked(let link): isNews = !state.linked.contains(link.other)
        case .batchAssigned:
            isNews = state.captures != next.captures || state.refunds != next.refunds || state.credit != next.credit
        case .documentReceived(let received):
            if let known = state.identity.isTest, let reported = received.isTest, known != reported {
                let (first, now) = known ? ("test", "live") : ("live", "test")
                flag(.conflictingOutcome, "the payment was first reported as a \(first) payment, now as a \(now) one")
            }
        case .device(let event):
            if let receipt = event.report.receipt { judge(receipt, state.authorization.breakdown?.total) }
            judgeSignature()
            judge(lateRequest: event)
        case .followUpRefused(let refusal): judge(refusal, of: state)
        case .checkout, .value, .gateway, .receiptIssued, .cardToken: break
        }
        if next.leavesAttemptUnanswered, !state.leavesAttemptUnanswered {
            anomalies.append(.followUpInDoubt(.paymentAttempt))
        }
        if !state.isOriginalKnown, next.isOriginalKnown {
            for refusal in state.pending.refusals { judge(refusal, of: next) }
        }
        judgeOutrankedEnds()
    }

    /// True if money was taken or returned that a batch can settle.
    var hasMoney: Bool { !state.captures.isEmpty || state.credit != nil || !state.refunds.isEmpty }

    // MARK: Checks

    mutating func check(_ amounts: Amounts) {
        check(amounts.total)
        guard amounts.isSingleCurrency else {
            flag(.currencyMismatch, "the parts of the amount are in different currencies")
            return
        }
        do {
            if let difference = try amounts.discrepancy() {
                if difference != 0 {
                    flag(.amountsDoNotAddUp, "the total differs from the sum of its parts by \(difference)")
                }
            } else if let tip = amounts.tip, tip.value > amounts.total.value {
                flag(.amountsDoNotAddUp, "the tip alone is more than the total")
            }
        } catch {
            flag(.amountOverflow, "the parts of the amount do not fit into 64 bits")
        }
        let parts = [amounts.base, amounts.tip, amounts.tax, amounts.fee, amounts.cashback]
        if parts.contains(where: { $0?.isNegative ?? false }) {
            flag(.negativeAmount, "a part of the amount is below zero")
        }
    }

    /// Flags the reason why an amount cannot be summed.
    mutating func check(_ money: Money, isSigned: Bool = false) {
        switch state.objection(to: money, isSigned: isSigned) {
        case nil: break
        case .currencyMismatch:
            let currency = state.currency?.alpha ?? "another currency"
            flag(.currencyMismatch, "the payment is in \(currency), this is in \(money.currency.alpha)")
        case .negativeAmount?: flag(.negativeAmount, "\(money.value) is below zero and is not counted")
        case let kind?: flag(kind, "\(money.value) is too large to be counted")
        }
    }

    /// Compares a printed receipt with the recorded answer.
    ///
    /// - Parameter total: The last total that the answer reports; nil before one is approved.
    mutating func judge(_ receipt: PrintedReceipt, _ total: Money?) {
        // A receipt of a follow-up has another amount and code.
        let hasFollowUp = next.captures.count > 1 || !next.refunds.isEmpty || next.isVoidedOrReversed
        guard next.hasApproval, !hasFollowUp else { return }
        let code = next.references.authorizationCode
        if let printed = receipt.authorizationCode, let code, !printed.hasSameUTF8(as: code) {
            flag(.conflictingOutcome, "the receipt prints another authorization code than the answer")
        }
        if let printed = receipt.total, let total, printed.currency == total.currency, printed != total {
            flag(.conflictingAmount, "the receipt prints \(printed), the answer \(total)")
        }
    }

    mutating func flag(_ kind: Anomaly.Kind, _ explanation: String) {
        anomalies.append(Anomaly(kind, explanation))
    }
}
