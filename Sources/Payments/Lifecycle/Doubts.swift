import Canonical

extension Anomaly {
    private static let doubtBeginning = "whether the "
    private static let doubtEnd = " took effect is not known"

    /// The outcome of a follow-up is unknown.
    ///
    /// - Parameter followUp: Its name, one or two words: `capture`, `void`, `refund`, `tipAdjust`. `Doubts` uses the
    ///   name to decide which later evidence settles the doubt.
    package static func followUpInDoubt(_ followUp: String) -> Anomaly {
        Anomaly(.followUpInDoubt, doubtBeginning + followUp + doubtEnd)
    }

    /// It is unknown whether a tender was taken beside the recorded ones.
    static let furtherTenderInDoubt = Anomaly(
        .followUpInDoubt,
        "whether a further tender was taken is not known"
    )

    /// The name of `evidenceWithdrawn` among the follow-ups.
    package static let withdrawnPayment = "payment of a withdrawn statement"

    /// The only evidence of the payment's outcome is a statement line, and the statement was withdrawn. The payment
    /// keeps its recorded outcome and is in doubt, until another source reports it or a valid line explains it.
    package static let evidenceWithdrawn = followUpInDoubt(withdrawnPayment)

    /// The name passed to `followUpInDoubt(_:)`; nil for other anomalies.
    package var followUpInDoubt: String? {
        if self == .furtherTenderInDoubt { return "further tender" }
        guard kind == .followUpInDoubt, explanation.hasPrefix(Self.doubtBeginning),
            explanation.hasSuffix(Self.doubtEnd)
        else { return nil }
        return String(explanation.dropFirst(Self.doubtBeginning.count).dropLast(Self.doubtEnd.count))
    }
}

extension Anomaly {
    /// True if clearing `cleared` also clears this anomaly. A follow-up in doubt is cleared only by its own clearing;
    /// for the other kinds, clearing one anomaly clears all of the same kind.
    func isCleared(by cleared: Anomaly) -> Bool { kind == .followUpInDoubt ? self == cleared : kind == cleared.kind }
}

extension TransactionEvent {
    /// The operator's testimony, if the event has one.
    fileprivate var testimony: Testimony? {
        if case .outcomeResolved(let resolution) = self { resolution.testimony } else { nil }
    }
}

/// The doubts that a fact ends.
///
/// A follow-up that is reported later took effect, and money in a closed batch was taken. Time never ends a doubt, and
/// a refusal never does: a refused second attempt proves nothing about the first. A refund can be made twice, so a
/// second refund proves nothing either; only settlement does. A further attempt to pay is known once it is reported, or
/// once a source that can see it was queried. A further tender is known once the balance equals what the other tenders
/// leave to pay.
enum Doubts {
    private enum FollowUp {
        case capture, tip, void, refund, increment
        /// The void of a refund, by the refund's id; nil means any refund.
        case refundVoid(String?)
        /// A part of the payment was voided, and the amount is not reported.
        case partialVoid
        /// A refund that the gateway has and that was not reported.
        case foundRefund
        /// Another attempt at the payment.
        case attempt
        case furtherTender
        /// The payment itself, after its evidence was withdrawn.
        case withdrawnPayment
        /// A follow-up of an unknown kind.
        case any

        private static let refundVoid = "void of the refund"

        init?(_ name: String) {
            if name.hasPrefix(Self.refundVoid) {
                let id = name.dropFirst(Self.refundVoid.count).drop { $0 == " " }
                self = .refundVoid(id.isEmpty ? nil : String(id))
                return
            }
            let letters = name.lowercased().filter(\.isLetter)
            switch letters {
            case "capture", "ticket", "completion": self = .capture
            case "tip", "tipadjust", "tipadjustment": self = .tip
            case "void", "reversal", "cancellation", "cancel", "capturereversal", "salereversal": self = .void
            case "refund", "return": self = .refund
            case "increment", "incrementalauthorization": self = .increment
            case "refundvoid", "voidrefund", "refundcancellation", "cancelrefund": self = .refundVoid(nil)
            case "partialvoid": self = .partialVoid
            case "refundfoundatthegateway": self = .foundRefund
            case "paymentattempt": self = .attempt
            case "furthertender", "earlierpaymentattempt": self = .furtherTender
            case "paymentofawithdrawnstatement": self = .withdrawnPayment
            case "followup": self = .any
            default: return nil
            }
        }
    }

    /// The anomalies in `state` that `fact` explains. `fact` is already folded into `state`.
    ///
    /// - Parameter previous: The state without the fact.
    static func explained(
        by fact: TransactionEvent,
        from previous: TransactionState,
        to state: TransactionState
    ) -> [Anomaly] {
        state.anomalies.filter { anomaly in
            switch anomaly.kind {
            case .followUpInDoubt where fact.testimony != nil: fact.testimony?.followUp == anomaly.followUpInDoubt
            case .followUpInDoubt:
                anomaly.followUpInDoubt.flatMap { FollowUp($0) }.map { ends($0, fact, previous, state) } ?? false
            case .reversalDue: isReversal(fact, state)
            default: false
            }
        }
    }

    /// True if the fact that ends a doubt was recorded before the doubt: documents do not arrive in order.
    static func isEnded(_ anomaly: Anomaly, in state: TransactionState, policy: LifecyclePolicy) -> Bool {
        if anomaly.kind == .reversalDue { return state.isTakenBack }
        return switch anomaly.followUpInDoubt.flatMap({ FollowUp($0) }) {
        case .capture?:
            policy.capturesOnce && state.captures.contains { $0.net > 0 && !$0.isInferred }
                || state.captures.contains(where: \.isSettled)
        case .void?, .any?: state.isTakenBack || state.captures.contains(where: \.isSettled)
        case .partialVoid?: !state.voids.isEmpty || state.isTakenBack || state.captures.contains(where: \.isSettled)
        case .tip?: state.captures.contains(where: \.isSettled)
        case .refundVoid(let id)?: isUndone(id, in: state) || isSettled(id, in: state)
        case .withdrawnPayment?: state.isTakenBack || state.isSettledAnywhere
        case .increment?, .refund?, .foundRefund?, .attempt?, .furtherTender?, nil: false
        }
    }

    /// True if the refund is voided or its void is pending. Without an id: if every refund is voided or any void is
    /// pending.
    private static func isUndone(_ id: String?, in state: TransactionState) -> Bool {
        let isPending = state.pendingRefundVoids.contains { id == nil || $0.hasSameUTF8(as: id ?? "") }
        let named = state.refunds.filter { id == nil || $0.id.hasSameUTF8(as: id ?? "") }
        if state.refunds.isEmpty && state.credit != nil { return state.isTakenBack }
        return isPending || !named.isEmpty && named.allSatisfy(\.isUndone)
    }

    private static func isSettled(_ id: String?, in state: TransactionState) -> Bool {
        if state.refunds.isEmpty, let credit = state.credit { return credit.isSettled }
        let named = state.refunds.filter { id == nil || $0.id.hasSameUTF8(as: id ?? "") }
        return !named.isEmpty && named.allSatisfy(\.isSettled)
    }

    private static func ends(
        _ followUp: FollowUp,
        _ fact: TransactionEvent,
        _ previous: TransactionState,
        _ state: TransactionState
    ) -> Bool {
        switch (fact, followUp) {
        case (.refundVoided(let void), .refundVoid(let id)):
            id.map { $0.hasSameUTF8(as: void.id) || state.refunds.isEmpty && state.isTakenBack } ?? true
        // The void of a standalone refund.
        case (.voided, .refundVoid), (.reversed, .refundVoid): state.credit != nil && state.isTakenBack
        case (.settled, .refundVoid(let id)): isSettled(id, in: state)
        case (.voided, .partialVoid), (.reversed, .partialVoid), (.captureReversed, .partialVoid): true
        case (.settled, .partialVoid): state.captures.contains(where: \.isSettled)
        case (.refunded(let refund), .foundRefund): refund.evidence != .reader
        case (.settled, .foundRefund): state.refunds.contains(where: \.isSettled)
        case (.outcomeResolved(let resolution), .attempt): previous.isNewEvidence(resolution)
        case (.authorizationApproved, .attempt), (.partiallyApproved, .attempt), (.creditApproved, .attempt):
            state.hasApproval && !previous.hasApproval
        case (.tenderApplied(let tender), .furtherTender):
            state.tenders.count > previous.tenders.count && isWhole(tender, state)
        // Evidence that the payment was not made does not remove the counted money from the sums. An operator must
        // review it.
        case (.outcomeResolved(let resolution), .withdrawnPayment):
            resolution.means != .settlementLine && resolution.outcome.verdict.movesMoney
        case (.captured(let reported), .withdrawnPayment): reported.evidence == .gateway
        case (.refunded(let reported), .withdrawnPayment): reported.evidence == .gateway
        case (.authorizationApproved(let reported), .withdrawnPayment),
            (.partiallyApproved(let reported), .withdrawnPayment),
            (.creditApproved(let reported), .withdrawnPayment):
            reported.evidence != .reader
        case (.voided, .withdrawnPayment), (.reversed, .withdrawnPayment): state.isTakenBack
        case (.settled, .withdrawnPayment): state.isSettledAnywhere
        case (.voided, .any), (.reversed, .any): state.isTakenBack
        case (.settled, .any): state.captures.contains(where: \.isSettled)
        case (.outcomeResolved(let resolution), .any):
            resolution.means == .recoveredResult || !resolution.outcome.verdict.movesMoney && state.captured == 0
        case (.captured(let capture), .capture): capture.id != Capture.saleID
        case (.tipAdjusted, .tip), (.authorizationIncremented, .increment): true
        case (.voided, .void), (.reversed, .void), (.captureReversed, .void): true
        // Nothing is left of the captured money.
        case (.voided, .capture), (.voided, .tip), (.reversed, .capture), (.reversed, .tip):
            state.isTakenBack
        case (.settled, .capture), (.settled, .tip), (.settled, .void): state.captures.contains(where: \.isSettled)
        case (.settled, .refund): state.refunds.contains(where: \.isSettled)
        case (.refunded(let refund), .refund): refund.evidence == .settlement
        case (.outcomeResolved(let resolution), .capture), (.outcomeResolved(let resolution), .tip),
            (.outcomeResolved(let resolution), .void):
            !resolution.outcome.verdict.movesMoney && state.captured == 0
        default: false
        }
    }

    /// True if the vendor's balance equals what the recorded tenders leave to pay.
    private static func isWhole(_ tender: Tender, _ state: TransactionState) -> Bool {
        guard let requested = state.requested, let balance = tender.balance, balance.currency == state.currency else {
            return false
        }
        return balance.value == max(0, requested - state.tendered)
    }

    private static func isReversal(_ fact: TransactionEvent, _ state: TransactionState) -> Bool {
        switch fact {
        case .voided, .reversed: state.isTakenBack
        case .declined(let verdict), .failed(let verdict): verdict.evidence != .reader && !state.hasApproval
        case .outcomeResolved(let resolution): !resolution.outcome.verdict.movesMoney && state.captured == 0
        default: false
        }
    }
}

extension TransactionState {
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
            case .captured(let reported) where reported.evidence == .gateway: return false
            case .refunded(let reported) where reported.evidence == .gateway: return false
            case .settled: return false
            default: continue
            }
        }
        return isReported
    }
}
