import Canonical

extension Anomaly {
    private static let doubtBeginning = "whether the "
    private static let doubtEnd = " took effect is not known"

    /// Nobody can say whether a follow-up took effect.
    ///
    /// - Parameter followUp: Its name, a word or two: `capture`, `void`, `refund`, `tipAdjust`. What later evidence
    ///   settles goes by it, see `Doubts`.
    package static func followUpInDoubt(_ followUp: String) -> Anomaly {
        Anomaly(.followUpInDoubt, doubtBeginning + followUp + doubtEnd)
    }

    /// Whether another tender was taken, beside those that were told.
    static let furtherTenderInDoubt = Anomaly(
        .followUpInDoubt,
        "whether a further tender was taken is not known"
    )

    /// What `evidenceWithdrawn` is called among follow-ups.
    package static let withdrawnPayment = "payment of a withdrawn statement"

    /// A line of a statement that was withdrawn since is all that says what became of the payment. It stays as it was told, and
    /// in doubt, until somebody else tells of it or a line that counts explains it.
    package static let evidenceWithdrawn = followUpInDoubt(withdrawnPayment)

    /// What `followUpInDoubt(_:)` was told; nil for other anomalies.
    package var followUpInDoubt: String? {
        if self == .furtherTenderInDoubt { return "further tender" }
        guard kind == .followUpInDoubt, explanation.hasPrefix(Self.doubtBeginning),
            explanation.hasSuffix(Self.doubtEnd)
        else { return nil }
        return String(explanation.dropFirst(Self.doubtBeginning.count).dropLast(Self.doubtEnd.count))
    }
}

extension Anomaly {
    /// True when clearing `cleared` clears this one. Every follow-up in doubt stands for itself; of the other kinds, what
    /// explains one explains all.
    func isCleared(by cleared: Anomaly) -> Bool { kind == .followUpInDoubt ? self == cleared : kind == cleared.kind }
}

extension TransactionEvent {
    /// The word of a person, where it is one.
    fileprivate var testimony: Testimony? {
        if case .outcomeResolved(let resolution) = self { resolution.testimony } else { nil }
    }
}

/// Which doubts a fact ends.
///
/// A follow-up that is told after all took effect, and what a closed batch holds is what was taken. Never by time, and
/// never by a refusal: a second attempt that is refused says nothing about the first. A refund can be made twice, so
/// another one proves nothing either; only settlement knows. A further attempt to pay is known once it is told, or once
/// somebody who can see it was asked; a further tender, once what is left to pay is what the others leave.
enum Doubts {
    private enum FollowUp {
        case capture, tip, void, refund, increment
        /// Of a refund, by its id; without one, of any.
        case refundVoid(String?)
        /// A part of the payment was voided, nobody says how much.
        case partialVoid
        /// A refund the gateway knows of, which was not told.
        case foundRefund
        /// Another attempt at the payment.
        case attempt
        case furtherTender
        /// The payment itself, after its evidence was withdrawn.
        case withdrawnPayment
        /// Something was done to the payment, nobody says what.
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

    /// The anomalies of `state` that `fact`, folded into it, explains.
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

    /// True when a doubt comes after the fact that ends it: documents do not arrive in order.
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

    /// True when the refund, or every one, is voided.
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
        // What says that it was not made does not take what was counted out of the sums: a person has to.
        case (.outcomeResolved(let resolution), .withdrawnPayment):
            resolution.means != .settlementLine && resolution.outcome.verdict.movesMoney
        case (.captured(let reported), .withdrawnPayment): reported.evidence == .gateway
        case (.refunded(let reported), .withdrawnPayment): reported.evidence == .gateway
        case (.authorizationApproved(let reported), .withdrawnPayment), (.partiallyApproved(let reported), .withdrawnPayment),
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
        // Nothing is left of what was captured.
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

    /// True when what the vendor says is left to pay is what the tenders that were told leave.
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
    /// True once a closed batch holds something of the payment.
    fileprivate var isSettledAnywhere: Bool { captures.contains(where: \.isSettled) || credit?.isSettled == true }

    /// True where a line of a statement is all that says that the payment was made.
    ///
    /// - Parameter history: Every event of the payment, in order.
    package static func restsOnStatementLine(_ history: [TransactionEvent]) -> Bool {
        var isReported = false
        for event in history {
            switch event {
            case .outcomeResolved(let reported) where reported.testimony?.followUp == nil || reported.outcome.verdict.movesMoney:
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
