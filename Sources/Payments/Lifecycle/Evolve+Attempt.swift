import Canonical

/// What was said of a payment that came to nothing, before it was asked for again.
package struct EarlierAttempt: Sendable, Hashable, Codable {
    /// Of the call that asks for it again.
    package var reference: String
    package var outcome: Outcome
    package var evidence: Evidence?
    package var reader: Facet?
    package var gateway: Facet?
    /// The names it had at the gateway, which are not those of the new attempt.
    package var references: References?
}

// How a call of Daybook's own that asks for a payment again changes the state.
extension TransactionState {
    /// What was said of an attempt that came to nothing says nothing about another one: from the moment that it may have
    /// been sent nobody knows the outcome. One that never left changes nothing.
    mutating func attempt(_ event: GatewayEvent) {
        let report = event.report
        let isCredit = report.operation == .refund && operation == .credit
        guard report.operation == .sale || report.operation == .authorization || isCredit else { return }
        switch event.name {
        case .callSent:
            guard let outcome, outcome.isDecisive, !outcome.movesMoney, outcome != .verified, outcome != .reversed,
                !hasApproval, captures.isEmpty, refunds.isEmpty
            else { return }
            earlierAttempt = EarlierAttempt(
                reference: report.reference,
                outcome: outcome,
                evidence: outcomeEvidence,
                reader: reader,
                gateway: gateway,
                references: references
            )
            references.gatewayTransaction = nil
            references.authorizationCode = nil
            references.retrievalReference = nil
            references.hostTransaction = nil
            self.outcome = .unknown
            // Whoever answers it knows better.
            outcomeEvidence = .reader
            reader = nil
            gateway = nil
        case .callFailed:
            guard let earlier = earlierAttempt, earlier.reference.hasSameUTF8(as: report.reference) else { return }
            outcome = earlier.outcome
            outcomeEvidence = earlier.evidence
            reader = earlier.reader
            gateway = earlier.gateway
            if let before = earlier.references { references = before.filled(from: references) }
            earlierAttempt = nil
        case .callAnswered, .callTimedOut:
            if earlierAttempt?.reference.hasSameUTF8(as: report.reference) == true { earlierAttempt = nil }
        }
    }

    /// True for a line of a statement, or what a reader kept, that shows the payment to have been made: whoever asked for it,
    /// it was done. What names an attempt before this one says nothing about it.
    func provesAttempt(_ resolution: Resolution) -> Bool {
        guard resolution.testimony == nil, resolution.outcome.verdict.movesMoney,
            resolution.evidence == .settlement || resolution.means == .recoveredResult,
            resolution.operation != .credit || operation == .credit
        else { return false }
        guard let named = resolution.references.gatewayTransaction,
            let before = earlierAttempt?.references?.gatewayTransaction
        else { return true }
        return !named.hasSameUTF8(as: before)
    }
}
