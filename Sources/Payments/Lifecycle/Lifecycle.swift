package import Canonical

/// The life of a payment: what facts mean (`decide`) and what they add up to (`evolve`). Pure functions.
package enum Lifecycle {
    /// Folds one event into the state. Total: every event can follow every other, because what happened is
    /// recorded whether or not it should have.
    ///
    /// - Parameter at: When it happened, which is then the time of the money it tells of.
    package static func evolve(_ state: inout TransactionState, _ event: TransactionEvent, at: Timestamp? = nil) {
        state.version += 1
        state.clock = at
        if let at { state.begunAt = min(state.begunAt ?? at, at) }
        switch event {
        case .documentReceived(let received): state.note(received)
        case .saleRequested(let request): state.request(.sale, request)
        case .authorizationRequested(let request): state.request(.authorization, request)
        case .creditRequested(let request): state.request(.credit, request)
        case .verificationRequested(let request): state.request(.verification, request)
        case .authorizationApproved(let approval): state.approve(approval, .approved)
        case .partiallyApproved(let approval): state.approve(approval, .partiallyApproved)
        case .creditApproved(let approval): state.credit(approval)
        case .accountVerified(let approval): state.verify(approval)
        case .declined(let verdict): state.rule(.declined, verdict)
        case .cancelled(let verdict): state.rule(.cancelled, verdict)
        case .failed(let verdict): state.rule(.failed, verdict)
        case .outcomeUnknown(let verdict): state.rule(.unknown, verdict)
        case .outcomeResolved(let resolution):
            let isProof = state.provesAttempt(resolution)
            if resolution.testimony?.followUp == nil { state.resolve(resolution) }
            // Who has seen what became of it has seen what the calls about it did.
            if resolution.testimony != nil { state.openCalls.end() }
            if isProof { state.openCalls.endOnlyPayment() }
        case .authorizationIncremented(let increment): state.increment(increment)
        case .captured(let capture): state.capture(capture)
        case .tenderApplied(let tender): state.apply(tender)
        case .tenderRefused(let refusal): state.refuse(refusal)
        case .cashDispensed(let dispense): state.dispense(dispense)
        case .captureReversed(let taken): state.reverseCapture(taken)
        case .tipAdjusted(let adjustment): state.adjustTip(adjustment)
        case .voided(let void): state.void(void)
        case .reversed(let reversal): state.reverse(reversal)
        case .expired(let expiry): state.expire(expiry)
        case .refunded(let refund): state.refund(refund)
        case .refundVoided(let refund): state.voidRefund(refund)
        case .settled(let settlement): state.settle(settlement)
        case .settlementRejected(let settlement): state.rejectSettlement(settlement)
        case .funded(let settlement): state.fund(settlement)
        case .chargedBack(let chargeback): state.chargeBack(chargeback)
        case .chargebackReversed(let chargeback): state.reverseChargeback(chargeback)
        case .device(let event):
            state.learn(References(), nil, event.report.at)
            state.cardReader = event.report.reader ?? state.cardReader
        case .checkout(let event): state.learn(event.report.references, nil, event.report.at)
        case .value(let event): state.note(event)
        case .gateway(let event):
            state.vendor = state.vendor ?? event.report.vendor
            state.openCalls.take(event)
            state.attempt(event)
        // The payment is what it was: nothing was done, and whichever card would be charged again.
        case .followUpRefused, .cardToken: break
        case .receiptIssued(let issue): state.receipts.count(issue.copy)
        case .keysLinked(let link): state.linked.append(link.other)
        case .anomalyRaised(let anomaly): state.anomalies.append(anomaly)
        case .anomalyCleared(let anomaly): state.anomalies.removeAll { $0.isCleared(by: anomaly) }
        }
    }

    /// What to append when `facts` are observed about a payment with this `history`.
    ///
    /// Facts are never refused. One already recorded, word for word, is left out; in other words it is kept as
    /// further evidence, and `evolve` counts it once. One that contradicts the lifecycle is kept and followed by an
    /// `AnomalyRaised` that says why. A document is always kept: what it says may be known, that it was sent is not.
    ///
    /// - Parameter history: Every event of the stream, in order.
    package static func decide(
        _ facts: [TransactionEvent],
        after history: [TransactionEvent],
        policy: LifecyclePolicy
    ) -> [TransactionEvent] {
        var history = PaymentHistory(history)
        return decide(facts, after: &history, policy: policy)
    }

    /// The same, after a history that was folded before; what is to be appended is added to it.
    package static func decide(
        _ facts: [TransactionEvent],
        after history: inout PaymentHistory,
        policy: LifecyclePolicy
    ) -> [TransactionEvent] {
        let before = history.state
        var state = before
        var events: [TransactionEvent] = []
        func append(_ event: TransactionEvent) {
            evolve(&state, event)
            events.append(event)
        }
        var reported: Set<TransactionEvent> = []
        let namesDoubt = facts.contains(where: \.isDoubt)
        for fact in facts where fact.isRepeatable || !(history.facts.contains(fact) || reported.contains(fact)) {
            var next = state
            evolve(&next, fact)
            let judgement = Judgement(
                of: fact,
                from: state,
                to: next,
                policy: policy,
                start: before,
                isDoubtNamed: namesDoubt
            )
            guard judgement.isNews else { continue }
            let previous = state
            append(fact)
            reported.insert(fact)
            for anomaly in judgement.anomalies where !state.anomalies.contains(anomaly) {
                append(.anomalyRaised(anomaly))
            }
            for anomaly in Doubts.explained(by: fact, from: previous, to: state) { append(.anomalyCleared(anomaly)) }
        }
        for event in Contradictions.changes(from: before, to: state, policy: policy) { append(event) }
        history.append(events, folded: state)
        return events
    }
}

/// What deciding needs to know of a payment's events: what they add up to, and which facts were told.
package struct PaymentHistory: Sendable {
    package private(set) var state = TransactionState()
    /// The facts that count once; documents and what the ledger found itself are not among them.
    fileprivate private(set) var facts: Set<TransactionEvent> = []

    /// The history of a payment nothing is known of.
    package init() {}

    /// - Parameter events: Every event of the stream, in order.
    package init(_ events: [TransactionEvent]) {
        for event in events { Lifecycle.evolve(&state, event) }
        facts = Set(events.filter { !$0.isRepeatable })
    }

    /// The version of the stream.
    package var version: Int64 { state.version }

    fileprivate mutating func append(_ events: [TransactionEvent], folded state: TransactionState) {
        self.state = state
        facts.formUnion(events.filter { !$0.isRepeatable })
    }
}

extension TransactionEvent {
    /// True for the word that a follow-up is in doubt.
    fileprivate var isDoubt: Bool {
        if case .anomalyRaised(let anomaly) = self { anomaly.kind == .followUpInDoubt } else { false }
    }

    /// True for what says something new each time it is told: that a document came, or what the ledger itself finds.
    fileprivate var isRepeatable: Bool {
        switch self {
        case .documentReceived, .receiptIssued, .cardToken, .anomalyRaised, .anomalyCleared: true
        default: false
        }
    }
}
