extension TransactionState {
    /// The payment's status. Host evidence outranks the terminal's, and money that moved outranks a verdict that no
    /// money moved.
    package var status: TransactionStatus {
        // A payment first reported as a credit and later as a payment gets the status of the one that moved money.
        if let credit, credited > 0 || !hasMovedMoney { return creditStatus(credit) }
        guard let outcome else { return hasMovedMoney ? moneyStatus : withoutOutcome }
        switch outcome {
        case .approved, .partiallyApproved: return moneyStatus
        case _ where hasMovedMoney: return moneyStatus
        case .unknown: return isVoidedOrReversed ? moneyStatus : .inDoubt
        default: return deniedStatus(outcome)
        }
    }

    private var hasMovedMoney: Bool {
        !countedCaptures.isEmpty || refunded > 0 || chargedBack > 0 || settlement.funded != 0
    }

    private var withoutOutcome: TransactionStatus {
        if closing.isVoided { return .voided }
        if closing.isReversed { return .reversed }
        if closing.isExpired { return .expired }
        return valueOperation == nil ? .requested : .completed
    }

    private func deniedStatus(_ outcome: Outcome) -> TransactionStatus {
        switch outcome {
        case .declined: .declined
        case .cancelled: .cancelled
        case .failed: .failed
        case .notPosted: .notPosted
        case .reversed: .reversed
        case .verified: .verified
        case .unknown, .approved, .partiallyApproved: .inDoubt
        }
    }

    private var moneyStatus: TransactionStatus {
        if chargedBack > 0 { return .chargedBack }
        if refunded > 0 { return refunded >= captured ? .refunded : .partiallyRefunded }
        if captured > 0 {
            if settlement.isRejected { return .settlementRejected }
            if settlement.funded > 0 { return .funded }
            if settled > 0 { return .settled }
            if authorization.isPartial { return .partiallyApproved }
            let isPart =
                operation == .authorization && hasApproval && captured - tips < authorized
                || !tenders.entries.allSatisfy(\.isCaptured)
            return isPart ? .partiallyCaptured : .captured
        }
        if settlement.funded != 0 { return .funded }
        if closing.isReversed { return .reversed }
        if closing.isVoided { return .voided }
        if closing.isExpired { return .expired }
        if !captures.isEmpty && captures.allSatisfy({ $0.amount == 0 }) { return .captured }
        return authorization.isPartial ? .partiallyApproved : .authorized
    }

    private func creditStatus(_ credit: CaptureEntry) -> TransactionStatus {
        if countedCredit == nil, let outcome { return deniedStatus(outcome) }
        if credit.net == 0 && credit.amount > 0 { return .voided }
        if settlement.isRejected { return .settlementRejected }
        if settlement.funded != 0 { return .funded }
        return credit.isSettled ? .settled : .credited
    }
}

extension TransactionState {
    /// True while the host's approval is open for a payment the terminal did not execute, so that it must be reversed.
    package var awaitsReversal: Bool {
        let isGivenBack = captured > 0 && refunded >= captured
        return !isVoidedOrReversed && !isGivenBack && anomalies.contains { $0.kind == .reversalDue }
    }

    /// True while the request is known to have been sent to the host and no outcome is known, for the first time or
    /// again, or while a follow-up was asked for and not answered. After a time that outcome is in doubt.
    package var awaitsAnswer: Bool {
        times.isSent && status == .requested || awaitsAttempt || !unansweredFollowUps.isEmpty
    }

    /// The follow-ups of an approved payment that the app asked for and that were not answered, without those whose
    /// outcome is in doubt already.
    package var unansweredFollowUps: [FollowUp] {
        guard hasApproval else { return [] }
        return steps.followUps.open.filter { asked in
            let isCaptured = asked == .capture && !captures.isEmpty
            return !isCaptured && !Doubts.isEnded(.followUpInDoubt(asked), in: self, policy: LifecyclePolicy())
                && !anomalies.contains { $0.inDoubt?.isAbout(asked) ?? false }
        }
    }

    /// True while the outcome of the payment, or of a follow-up on it, is unknown.
    package var isInDoubt: Bool {
        status == .inDoubt || anomalies.contains { $0.kind == .followUpInDoubt } || openCalls.mayHaveActed
    }
}
