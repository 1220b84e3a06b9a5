import Canonical

/// The recorded result of a failed payment, kept while the payment is attempted again.
package struct EarlierAttempt: Sendable, Hashable, Codable {
    /// The reference of the call that attempts it again.
    package var reference: String
    package var outcome: Outcome
    package var evidence: Evidence
    package var reader: Facet?
    package var gateway: Facet?
    /// The earlier attempt's references at the gateway, which differ from those of the new attempt.
    package var references: References
}

// The fold of a Daybook call that attempts a payment again.
extension TransactionState {
    /// The result of a failed attempt says nothing about another attempt: once the new call may have been sent, the
    /// outcome is unknown. A call that was never sent changes nothing.
    mutating func attempt(_ event: GatewayEvent) {
        let report = event.report
        let isCredit = report.operation == .refund && operation == .credit
        guard report.operation == .sale || report.operation == .authorization || isCredit else { return }
        switch event.name {
        case .callSent:
            guard let current = verdicts.current, current.outcome.isDecisive, !current.outcome.movesMoney,
                current.outcome != .verified, current.outcome != .reversed,
                !hasApproval, captures.isEmpty, refunds.isEmpty
            else { return }
            verdicts.earlierAttempt = EarlierAttempt(
                reference: report.reference,
                outcome: current.outcome,
                evidence: current.evidence,
                reader: verdicts.reader,
                gateway: verdicts.gateway,
                references: references
            )
            references.gatewayTransaction = nil
            references.authorizationCode = nil
            references.retrievalReference = nil
            references.hostTransaction = nil
            verdicts.current?.outcome = .unknown
            // The lowest rank, so that any answer displaces it.
            verdicts.current?.evidence = .reader
            verdicts.reader = nil
            verdicts.gateway = nil
        case .callFailed:
            guard let earlier = verdicts.earlierAttempt, earlier.reference.hasSameUTF8(as: report.reference) else {
                return
            }
            verdicts.current?.outcome = earlier.outcome
            verdicts.current?.evidence = earlier.evidence
            verdicts.reader = earlier.reader
            verdicts.gateway = earlier.gateway
            references = earlier.references.filled(from: references)
            verdicts.earlierAttempt = nil
        case .callAnswered, .callTimedOut:
            if verdicts.earlierAttempt?.reference.hasSameUTF8(as: report.reference) == true {
                verdicts.earlierAttempt = nil
            }
        }
    }

    /// True if a statement line, or a result kept by a reader, shows that the payment was made, whichever system
    /// requested it. Evidence that names an earlier attempt proves nothing about the current one.
    func provesAttempt(_ resolution: Resolution) -> Bool {
        guard resolution.testimony == nil, resolution.outcome.verdict.movesMoney,
            resolution.evidence == .settlement || resolution.means == .recoveredResult,
            resolution.operation != .credit || operation == .credit
        else { return false }
        guard let named = resolution.references.gatewayTransaction,
            let before = verdicts.earlierAttempt?.references.gatewayTransaction
        else { return true }
        return !named.hasSameUTF8(as: before)
    }
}
