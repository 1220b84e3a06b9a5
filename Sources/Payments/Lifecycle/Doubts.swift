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

    /// What `followUpInDoubt(_:)` was told.
    fileprivate var followUpInDoubt: String? {
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

/// Which doubts a fact ends.
///
/// A follow-up that is told after all took effect, and what a closed batch holds is what was taken. Never by time, and
/// never by a refusal: a second attempt that is refused says nothing about the first. A refund can be made twice, so
/// another one proves nothing either; only settlement knows.
enum Doubts {
    private enum FollowUp {
        case capture, tip, void, refund, increment

        init?(_ name: String) {
            let letters = name.lowercased().filter(\.isLetter)
            switch letters {
            case "capture", "ticket", "completion": self = .capture
            case "tip", "tipadjust", "tipadjustment": self = .tip
            case "void", "reversal", "cancellation", "cancel", "capturereversal", "salereversal": self = .void
            case "refund", "return": self = .refund
            case "increment", "incrementalauthorization": self = .increment
            default: return nil
            }
        }
    }

    /// The anomalies of `state` that `fact`, folded into it, explains.
    static func explained(by fact: TransactionEvent, in state: TransactionState) -> [Anomaly] {
        state.anomalies.filter { anomaly in
            switch anomaly.kind {
            case .followUpInDoubt:
                anomaly.followUpInDoubt.flatMap { FollowUp($0) }.map { ends($0, fact, state) } ?? false
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
        case .void?: state.isTakenBack || state.captures.contains(where: \.isSettled)
        case .tip?: state.captures.contains(where: \.isSettled)
        case .increment?, .refund?, nil: false
        }
    }

    private static func ends(_ followUp: FollowUp, _ fact: TransactionEvent, _ state: TransactionState) -> Bool {
        switch (fact, followUp) {
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

    private static func isReversal(_ fact: TransactionEvent, _ state: TransactionState) -> Bool {
        switch fact {
        case .voided, .reversed: state.isTakenBack
        case .declined(let verdict), .failed(let verdict): verdict.evidence != .reader && !state.hasApproval
        case .outcomeResolved(let resolution): !resolution.outcome.verdict.movesMoney && state.captured == 0
        default: false
        }
    }
}
