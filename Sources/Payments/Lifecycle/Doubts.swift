import Canonical

extension Anomaly {
    /// The outcome of a follow-up is unknown.
    package static func followUpInDoubt(_ doubt: FollowUpInDoubt) -> Anomaly {
        Anomaly(.followUpInDoubt, doubt.explanation, inDoubt: doubt)
    }

    package static func followUpInDoubt(_ followUp: FollowUp, refund: String? = nil) -> Anomaly {
        followUpInDoubt(FollowUpInDoubt(followUp, refund: refund))
    }

    package static func followUpInDoubt(_ subject: FollowUpInDoubt.Subject) -> Anomaly {
        followUpInDoubt(FollowUpInDoubt(subject))
    }

    /// The only evidence of the payment's outcome is a statement line, and the statement was withdrawn. The payment
    /// keeps its recorded outcome and is in doubt, until another source reports it or a valid line explains it.
    package static let evidenceWithdrawn = followUpInDoubt(.withdrawnPayment)
}

extension FollowUpInDoubt {
    fileprivate var explanation: String {
        let followUp =
            switch subject {
            case .followUp(.capture): "capture"
            case .followUp(.tipAdjustment): "tip adjustment"
            case .followUp(.void): "void"
            case .followUp(.refund): "refund"
            case .followUp(.reversal): "reversal"
            case .followUp(.increment): "increment"
            case .followUp(.refundVoid): refund.map { "void of the refund \($0)" } ?? "void of a refund"
            case .anyFollowUp: "follow-up"
            case .partialVoid: "partial void"
            case .foundRefund: "refund found at the gateway"
            case .paymentAttempt: "payment attempt"
            case .furtherTender: "further tender"
            case .withdrawnPayment: "payment of a withdrawn statement"
            }
        return "whether the \(followUp) took effect is not known"
    }
}

extension Anomaly {
    /// True if clearing `cleared` also clears this anomaly. A follow-up in doubt is cleared only by its own clearing;
    /// for the other kinds, clearing one anomaly clears all of the same kind.
    func isCleared(by cleared: Anomaly) -> Bool {
        kind == cleared.kind && (kind != .followUpInDoubt || inDoubt == cleared.inDoubt)
    }

    /// True if this anomaly and `other` are the same finding. A follow-up in doubt is the same by its subject, whatever
    /// the explanation.
    func isRepeat(of other: Anomaly) -> Bool {
        guard kind == .followUpInDoubt, let inDoubt else { return self == other }
        return kind == other.kind && inDoubt == other.inDoubt
    }
}

/// What a fact can prove about a payment or follow-up in doubt.
private enum Proof {
    case approval(Approval)
    case denial(Verdict)
    case resolution(Resolution)
    case capture(Capture)
    case tip
    case increment
    case tender(Tender)
    /// The payment was voided or reversed, in whole or in part.
    case closing
    case captureReversal
    case refund(Return)
    case refundVoid(Return)
    case settlement(Settlement)
    case refusal(FollowUpRefusal)

    /// - Returns: Nil for a fact that ends no doubt.
    init?(_ fact: TransactionEvent) {
        switch fact {
        case .authorizationApproved(let reported), .partiallyApproved(let reported), .creditApproved(let reported):
            self = .approval(reported)
        case .declined(let reported), .failed(let reported): self = .denial(reported)
        case .outcomeResolved(let resolution): self = .resolution(resolution)
        case .captured(let reported): self = .capture(reported)
        case .tipAdjusted: self = .tip
        case .authorizationIncremented: self = .increment
        case .tenderApplied(let reported): self = .tender(reported)
        case .voided, .reversed: self = .closing
        case .captureReversed: self = .captureReversal
        case .refunded(let reported): self = .refund(reported)
        case .refundVoided(let reported): self = .refundVoid(reported)
        case .settled(let reported): self = .settlement(reported)
        case .followUpRefused(let reported): self = .refusal(reported)
        case .documentReceived, .saleRequested, .authorizationRequested, .creditRequested, .verificationRequested,
            .accountVerified, .cancelled, .outcomeUnknown, .tenderRefused, .cashDispensed, .expired,
            .settlementRejected, .funded, .chargedBack, .chargebackReversed, .device, .checkout, .value, .gateway,
            .cardToken, .dispute, .receiptIssued, .keysLinked, .batchAssigned, .anomalyRaised, .anomalyCleared:
            return nil
        }
    }

    /// The operator's testimony, if the fact has one.
    var testimony: Testimony? { if case .resolution(let resolution) = self { resolution.testimony } else { nil } }
}

/// The doubts that a fact ends.
///
/// A follow-up that is reported later took effect, and a capture in a closed batch was taken. What ends money, or
/// gives it back, is disproved only by a report of settlement, and not by the closing of a batch. Time never ends a
/// doubt, and a refusal only if it answers the one attempt, or the one request for a follow-up, that was sent and not
/// answered: a refused second one proves nothing about the first. A refund can be made twice, so a second refund proves
/// nothing either, unless it is the outcome of the only refund that was asked for; settlement does. A further attempt
/// to pay is known once it is reported, or once a source that can see it was queried, or once the times or the gateway's
/// ids of refusals show that each attempt was refused. A further tender is known once the balance equals what the other
/// tenders leave to pay.
enum Doubts {
    /// The anomalies in `state` that `fact` explains. `fact` is already folded into `state`.
    ///
    /// - Parameter previous: The state without the fact.
    static func explained(
        by fact: TransactionEvent,
        from previous: TransactionState,
        to state: TransactionState
    ) -> [Anomaly] {
        guard let proof = Proof(fact), !previous.outranks(fact) else { return [] }
        return state.anomalies.filter { anomaly in
            switch anomaly.kind {
            case .followUpInDoubt where proof.testimony != nil: proof.testimony?.followUp == anomaly.inDoubt
            case .followUpInDoubt:
                anomaly.inDoubt.map { state.lets(fact.evidence, end: $0) && ends($0, proof, previous, state) } ?? false
            case .reversalDue: fact.evidence.map(state.letsEndReversal) ?? true && isReversal(proof, state)
            default: false
            }
        }
    }

    /// True if the fact that ends a doubt was recorded before the doubt: documents do not arrive in order.
    static func isEnded(_ anomaly: Anomaly, in state: TransactionState, policy: LifecyclePolicy) -> Bool {
        if anomaly.kind == .reversalDue { return state.isVoidedOrReversed || state.wasDeniedSince }
        guard let doubt = anomaly.inDoubt else { return false }
        let isSettled = state.captures.contains(where: \.isSettled)
        // The closing of a batch proves nothing about what ends money.
        let isProven = state.isSettlementReported(of: doubt)
        return switch doubt.subject {
        case .followUp(.capture):
            policy.capturesOnce && state.captures.contains { $0.net > 0 && !$0.isInferred } || isSettled
        case .followUp(.void), .followUp(.reversal), .anyFollowUp:
            state.isVoidedOrReversed || isSettled && isProven
        case .partialVoid: !state.closing.voids.isEmpty || state.isVoidedOrReversed || isSettled && isProven
        case .followUp(.tipAdjustment): isSettled
        case .followUp(.refundVoid):
            isUndone(doubt.refund, in: state) || isProven && Self.isSettled(doubt.refund, in: state)
        case .withdrawnPayment: state.isVoidedOrReversed || state.isSettledAnywhere
        case .followUp(.increment), .followUp(.refund), .foundRefund, .paymentAttempt, .furtherTender: false
        }
    }

    /// True if the refund is voided or its void is pending. Without an id: if every refund is voided or any void is
    /// pending.
    private static func isUndone(_ id: String?, in state: TransactionState) -> Bool {
        let isPending = state.pending.refundVoids.contains { void in
            (id == nil || void.id.hasSameUTF8(as: id ?? "")) && (!state.isConfirmed || void.evidence.isConfirmation)
        }
        let named = state.refunds.filter { id == nil || $0.id.hasSameUTF8(as: id ?? "") }
        if state.refunds.isEmpty && state.credit != nil { return state.isVoidedOrReversed }
        return isPending || !named.isEmpty && named.allSatisfy(\.isUndone)
    }

    private static func isSettled(_ id: String?, in state: TransactionState) -> Bool {
        if state.refunds.isEmpty, let credit = state.credit { return credit.isSettled }
        let named = state.refunds.filter { id == nil || $0.id.hasSameUTF8(as: id ?? "") }
        return !named.isEmpty && named.allSatisfy(\.isSettled)
    }

    private static func ends(
        _ doubt: FollowUpInDoubt,
        _ proof: Proof,
        _ previous: TransactionState,
        _ state: TransactionState
    ) -> Bool {
        // The closing of a batch proves nothing about what ends money or gives it back, and neither does a till.
        if case .settlement(let reported) = proof, doubt.isAboutEnd,
            !(EntrySettlement(reported).isReported && state.isSettlementReported(of: doubt))
        {
            return false
        }
        return switch doubt.subject {
        case .followUp(let followUp):
            if case .refusal(let refused) = proof {
                refused.followUp == followUp && doubt.refund == nil && state.steps.followUps.isSilenceOver(followUp)
            } else {
                ends(followUp, of: doubt.refund, proof, state)
            }
        case .anyFollowUp: endsAny(proof, state)
        case .partialVoid:
            switch proof {
            case .closing, .captureReversal: true
            case .settlement: state.captures.contains(where: \.isSettled)
            default: false
            }
        case .foundRefund:
            switch proof {
            case .refund(let refund): refund.evidence != .reader
            case .settlement: state.refunds.contains(where: \.isSettled)
            default: false
            }
        case .paymentAttempt:
            switch proof {
            case .resolution(let resolution): previous.isNewEvidence(resolution)
            case .approval:
                state.hasApproval && !previous.hasApproval
            // The host's answer to the only attempt that was sent and not answered.
            case .denial(let verdict):
                verdict.evidence != .reader && !state.leavesAttemptUnanswered
                    && (previous.leavesAttemptUnanswered || previous.steps.isSentAgain && !state.steps.isSentAgain)
            default: false
            }
        case .furtherTender:
            if case .tender(let tender) = proof {
                state.tenders.entries.count > previous.tenders.entries.count && isWhole(tender, state)
            } else {
                false
            }
        case .withdrawnPayment: endsWithdrawal(proof, state)
        }
    }

    /// - Parameter refund: The id of the refund whose void is in doubt; nil means any refund.
    private static func ends(
        _ followUp: FollowUp,
        of refund: String?,
        _ proof: Proof,
        _ state: TransactionState
    ) -> Bool {
        switch followUp {
        case .capture:
            if case .capture(let capture) = proof { capture.id != Capture.saleID } else { endsHeld(proof, state) }
        case .tipAdjustment: if case .tip = proof { true } else { endsHeld(proof, state) }
        case .void, .reversal:
            switch proof {
            case .closing, .captureReversal: true
            default: endsHeld(proof, state)
            }
        case .refund:
            switch proof {
            case .settlement: state.refunds.contains(where: \.isSettled)
            // Once every refund that was asked for has its outcome, none is in doubt.
            case .refund(let refund):
                refund.evidence == .settlement || state.steps.followUps.areAllAnswered(.refund)
            default: false
            }
        case .increment: if case .increment = proof { true } else { false }
        case .refundVoid:
            switch proof {
            case .refundVoid(let void):
                refund.map { $0.hasSameUTF8(as: void.id) || state.refunds.isEmpty && state.isVoidedOrReversed } ?? true
            // The void of a standalone refund.
            case .closing: state.credit != nil && state.isVoidedOrReversed
            case .settlement: isSettled(refund, in: state)
            default: false
            }
        }
    }

    /// True if the proof leaves nothing of the money that a capture, tip or void in doubt is about, or proves that it
    /// was taken.
    private static func endsHeld(_ proof: Proof, _ state: TransactionState) -> Bool {
        switch proof {
        case .closing: state.isVoidedOrReversed
        case .settlement: state.captures.contains(where: \.isSettled)
        case .resolution(let resolution): !resolution.outcome.verdict.movesMoney && state.captured == 0
        default: false
        }
    }

    private static func endsAny(_ proof: Proof, _ state: TransactionState) -> Bool {
        if case .resolution(let resolution) = proof, resolution.means == .recoveredResult { return true }
        return endsHeld(proof, state)
    }

    /// Evidence that the payment was not made does not remove the counted money from the sums. An operator must review
    /// it.
    private static func endsWithdrawal(_ proof: Proof, _ state: TransactionState) -> Bool {
        switch proof {
        case .resolution(let resolution):
            resolution.means != .settlementLine && resolution.outcome.verdict.movesMoney
        case .capture(let reported): reported.evidence.isOfHost
        case .refund(let reported): reported.evidence.isOfHost
        case .approval(let reported):
            reported.evidence != .reader
        case .closing: state.isVoidedOrReversed
        case .settlement: state.isSettledAnywhere
        default: false
        }
    }

    /// True if the vendor's balance equals what the recorded tenders leave to pay.
    private static func isWhole(_ tender: Tender, _ state: TransactionState) -> Bool {
        guard let requested = state.authorization.requested, let balance = tender.balance,
            balance.currency == state.currency
        else { return false }
        return balance.value == max(0, requested - state.tendered)
    }

    private static func isReversal(_ proof: Proof, _ state: TransactionState) -> Bool {
        switch proof {
        case .closing: state.isVoidedOrReversed
        case .denial(let verdict): verdict.evidence != .reader && !state.hasApproval
        case .resolution(let resolution): !resolution.outcome.verdict.movesMoney && state.captured == 0
        default: false
        }
    }
}

extension TransactionState {
    /// True if the host's side has denied the payment later than the last event was sent.
    fileprivate var wasDeniedSince: Bool {
        guard !hasApproval, let denial = verdicts.gateway?.outcome, [.declined, .failed].contains(denial) else {
            return false
        }
        guard let event = times.event, let denied = verdicts.deniedAtEvent else { return false }
        return event < denied
    }

    /// True if a closed batch contains money of the payment.
    fileprivate var isSettledAnywhere: Bool { captures.contains(where: \.isSettled) || credit?.isSettled == true }

    /// True if a statement line is the only evidence that the payment was made.
    ///
    /// - Parameter history: Every event of the payment, in order.
    package static func restsOnStatementLine(_ history: [TransactionEvent]) -> Bool {
        var isReported = false
        for event in history {
            switch event {
            case .outcomeResolved(let reported)
            where reported.testimony?.followUp == nil || reported.outcome.verdict.movesMoney:
                guard reported.means == .settlementLine else { return false }
                isReported = true
            case .authorizationApproved(let reported), .partiallyApproved(let reported), .creditApproved(let reported):
                guard reported.evidence == .reader else { return false }
            case .captured(let reported) where reported.evidence.isOfHost: return false
            case .refunded(let reported) where reported.evidence.isOfHost: return false
            case .settled(let reported) where reported.evidence.isConfirmation: return false
            default: continue
            }
        }
        return isReported
    }
}
