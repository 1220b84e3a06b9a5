// Facts with evidence of at most a given rank: what the sender of a document cannot know better.
extension Evidence {
    /// This evidence, or the limit if it is lower.
    package func limited(to limit: Evidence) -> Evidence { rank > limit.rank ? limit : self }
}

extension TransactionEvent {
    /// The event with evidence of at most this rank. Requests, reports of readers and checkouts, and the ledger's own
    /// events have no evidence and stay as they are.
    package func limited(to limit: Evidence) -> TransactionEvent {
        switch self {
        case .authorizationApproved(let fact): .authorizationApproved(fact.limited(to: limit))
        case .partiallyApproved(let fact): .partiallyApproved(fact.limited(to: limit))
        case .creditApproved(let fact): .creditApproved(fact.limited(to: limit))
        case .accountVerified(let fact): .accountVerified(fact.limited(to: limit))
        case .declined(let fact): .declined(fact.limited(to: limit))
        case .cancelled(let fact): .cancelled(fact.limited(to: limit))
        case .failed(let fact): .failed(fact.limited(to: limit))
        case .outcomeUnknown(let fact): .outcomeUnknown(fact.limited(to: limit))
        case .outcomeResolved(let fact): .outcomeResolved(fact.withoutOthers().limited(to: limit))
        case .authorizationIncremented(let fact): .authorizationIncremented(fact.limited(to: limit))
        case .captured(let fact): .captured(fact.limited(to: limit))
        case .tenderApplied(let fact): .tenderApplied(fact.limited(to: limit))
        case .tenderRefused(let fact): .tenderRefused(fact.limited(to: limit))
        case .cashDispensed(let fact): .cashDispensed(fact.limited(to: limit))
        case .captureReversed(let fact): .captureReversed(fact.limited(to: limit))
        case .tipAdjusted(let fact): .tipAdjusted(fact.limited(to: limit))
        case .voided(let fact): .voided(fact.limited(to: limit))
        case .reversed(let fact): .reversed(fact.limited(to: limit))
        case .expired(let fact): .expired(fact.limited(to: limit))
        case .refunded(let fact): .refunded(fact.limited(to: limit))
        case .refundVoided(let fact): .refundVoided(fact.limited(to: limit))
        case .settled(let fact): .settled(fact.limited(to: limit))
        case .settlementRejected(let fact): .settlementRejected(fact.limited(to: limit))
        case .funded(let fact): .funded(fact.limited(to: limit))
        case .chargedBack(let fact): .chargedBack(fact.limited(to: limit))
        case .chargebackReversed(let fact): .chargebackReversed(fact.limited(to: limit))
        case .followUpRefused(let fact): .followUpRefused(fact.limited(to: limit))
        case .documentReceived, .saleRequested, .authorizationRequested, .creditRequested, .verificationRequested,
            .device, .checkout, .value, .gateway, .cardToken, .dispute, .receiptIssued, .keysLinked, .batchAssigned,
            .anomalyRaised, .anomalyCleared:
            self
        }
    }

    /// The evidence of the fact; nil for an event without any.
    package var evidence: Evidence? {
        switch self {
        case .authorizationApproved(let fact), .partiallyApproved(let fact), .creditApproved(let fact),
            .accountVerified(let fact):
            fact.evidence
        case .declined(let fact), .cancelled(let fact), .failed(let fact), .outcomeUnknown(let fact): fact.evidence
        case .outcomeResolved(let fact): fact.evidence
        case .authorizationIncremented(let fact): fact.evidence
        case .captured(let fact): fact.evidence
        case .tenderApplied(let fact): fact.evidence
        case .tenderRefused(let fact): fact.evidence
        case .cashDispensed(let fact): fact.evidence
        case .tipAdjusted(let fact): fact.evidence
        case .captureReversed(let fact), .voided(let fact), .reversed(let fact), .refunded(let fact),
            .refundVoided(let fact), .chargedBack(let fact), .chargebackReversed(let fact):
            fact.evidence
        case .expired(let fact), .settled(let fact), .settlementRejected(let fact), .funded(let fact): fact.evidence
        case .followUpRefused(let fact): fact.evidence
        case .documentReceived, .saleRequested, .authorizationRequested, .creditRequested, .verificationRequested,
            .device, .checkout, .value, .gateway, .cardToken, .dispute, .receiptIssued, .keysLinked, .batchAssigned,
            .anomalyRaised, .anomalyCleared:
            nil
        }
    }
}

extension BatchEvent {
    /// The event with evidence of at most this rank.
    package func limited(to limit: Evidence) -> BatchEvent {
        switch self {
        case .batchCloseRequested(let closing): .batchCloseRequested(closing.limited(to: limit))
        case .batchClosed(let closing): .batchClosed(closing.limited(to: limit))
        case .batchCloseFailed(let closing): .batchCloseFailed(closing.limited(to: limit))
        case .documentReceived, .batchOutOfBalance, .batchLinked, .anomalyRaised: self
        }
    }
}

extension BatchClosing {
    fileprivate func limited(to limit: Evidence) -> BatchClosing {
        var limited = self
        if rankedEvidence.rank > limit.rank { limited.evidence = limit }
        return limited
    }
}

extension Resolution {
    /// Without an operator's testimony and the statement line: the sender of a document has neither.
    fileprivate func withoutOthers() -> Resolution {
        var resolution = self
        resolution.testimony = nil
        resolution.statementLine = nil
        return resolution
    }
}

/// A fact that states its evidence.
private protocol Attested {
    var evidence: Evidence { get set }
}

extension Attested {
    fileprivate func limited(to limit: Evidence) -> Self {
        var fact = self
        fact.evidence = evidence.limited(to: limit)
        return fact
    }
}

extension Approval: Attested {}
extension Verdict: Attested {}
extension Resolution: Attested {}
extension Increment: Attested {}
extension Capture: Attested {}
extension Tender: Attested {}
extension TenderRefusal: Attested {}
extension Dispense: Attested {}
extension TipAdjustment: Attested {}
extension Return: Attested {}
extension Settlement: Attested {}
extension FollowUpRefusal: Attested {}
