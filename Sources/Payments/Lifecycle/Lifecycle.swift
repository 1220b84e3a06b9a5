package import Canonical

/// The lifecycle of a payment: `decide` turns facts into events, and `evolve` folds events into a state. Pure
/// functions.
package enum Lifecycle {
    /// Folds one event into the state. Total: every event can follow every other, because a fact is recorded whether or
    /// not it is allowed.
    ///
    /// - Parameter at: The time of the event. It becomes the time of the money the event reports.
    package static func evolve(_ state: inout TransactionState, _ event: TransactionEvent, at: Timestamp? = nil) {
        if var kept = state.takeKept() { return fold(event, into: &state, beside: &kept, at) }
        switch state.ends {
        case .all where event.confirmsPayment: state.ends = .confirmed
        case .all where event.isUnconfirmedEnd:
            var kept = state
            return fold(event, into: &state, beside: &kept, at)
        case .all, .unconfirmed, .confirmed: break
        }
        fold(event, into: &state, at)
    }

    /// Folds an event into a payment with ends from below the gateway's rank, and into the payment without them. That
    /// one stays once the gateway itself or settlement reports the payment.
    private static func fold(
        _ event: TransactionEvent,
        into state: inout TransactionState,
        beside kept: inout TransactionState,
        _ at: Timestamp?
    ) {
        kept.ends = .confirmed
        fold(event, into: &kept, at)
        if event.confirmsPayment {
            state = kept
        } else {
            fold(event, into: &state, at)
            state.ends = .unconfirmed(without: kept)
        }
    }

    private static func fold(_ event: TransactionEvent, into state: inout TransactionState, _ at: Timestamp?) {
        state.version += 1
        state.times.event = at
        if !state.isKnownRefund(event) { state.steps.followUps.take(event, at: at) }
        if let at { state.times.begunAt = min(state.times.begunAt ?? at, at) }
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
        case .declined(let verdict): state.end(.declined, verdict)
        case .cancelled(let verdict): state.end(.cancelled, verdict)
        case .failed(let verdict): state.end(.failed, verdict)
        case .outcomeUnknown(let verdict): state.end(.unknown, verdict)
        case .outcomeResolved(let resolution):
            let isProof = state.provesAttempt(resolution)
            if resolution.means == .recoveredResult { state.steps.hasStoredResult = true }
            if resolution.testimony?.followUp == nil { state.resolve(resolution) }
            // Testimony about the payment's outcome also settles the effect of the calls about it.
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
            state.learn(References(), event.report.receipt?.card, event.report.at)
            state.identity.printed = state.identity.printed ?? event.report.receipt
            state.attempt(event.report.attempted)
            state.note(reader: event)
            state.note(event)
        case .checkout(let event): state.learn(event.report.references, nil, event.report.at)
        case .value(let event): state.note(event)
        case .gateway(let event):
            state.identity.vendor = state.identity.vendor ?? event.report.vendor
            state.openCalls.take(event)
            state.attempt(event)
        // The payment is unchanged: a refused follow-up had no effect, and a stored token only names the card for later
        // charges.
        case .followUpRefused(let refusal):
            if refusal.original != nil, !state.isOriginalKnown { state.pending.refusals.append(refusal) }
        case .cardToken: break
        case .dispute(let event): state.take(event)
        case .receiptIssued(let issue): state.receipts.count(issue.copy)
        case .keysLinked(let link): state.linked.append(link.other)
        case .batchAssigned(let assignment): state.assign(assignment)
        case .anomalyRaised(let anomaly): state.anomalies.append(anomaly)
        case .anomalyCleared(let anomaly):
            state.anomalies.removeAll { $0.isCleared(by: anomaly) }
            if anomaly.inDoubt?.subject == .paymentAttempt { state.endAttempt() }
        }
    }

    /// The events to append when `facts` are observed about a payment with this `history`.
    ///
    /// Facts are never refused. A fact already recorded in the same form is left out. A repeat in another form is kept
    /// as further evidence, and `evolve` counts it once. A fact that contradicts the lifecycle is kept and followed by
    /// an `AnomalyRaised` with the reason. A document is always kept: its content may be known already, but its arrival
    /// is new.
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

    /// Decides after a history that is already folded, and adds the events to the history.
    ///
    /// - Parameter at: The time of the events, by the clock of their sender; nil if it is not known.
    package static func decide(
        _ facts: [TransactionEvent],
        after history: inout PaymentHistory,
        policy: LifecyclePolicy,
        at: Timestamp? = nil
    ) -> [TransactionEvent] {
        var events: [TransactionEvent] = []
        var state = judge(facts, after: history, policy: policy, keepingAll: false, at: { _ in at }) { fact, findings in
            events.append(fact)
            events += findings
        }
        let changes = Contradictions.changes(from: history.state, to: state, policy: policy)
        for event in changes { evolve(&state, event, at: at) }
        events += changes
        history.append(events, folded: state)
        return events
    }

    /// Judges facts one after the other, each in the state that the facts before it and their findings lead to.
    ///
    /// A fact that was recorded or reported before in the same form is not judged.
    ///
    /// - Parameters:
    ///   - keepsAll: Whether facts that are no news are folded as well, without findings. Else they are left out.
    ///   - time: The time of the event with the fact of this index; nil if it is not known.
    ///   - visit: Called with each fact that is folded, and with what it raises and clears.
    /// - Returns: The state after the facts and the findings.
    private static func judge(
        _ facts: [TransactionEvent],
        after history: PaymentHistory,
        policy: LifecyclePolicy,
        keepingAll keepsAll: Bool,
        at time: (_ index: Int) -> Timestamp?,
        _ visit: (_ fact: TransactionEvent, _ findings: [TransactionEvent]) -> Void
    ) -> TransactionState {
        var state = history.state
        var reported: Set<TransactionEvent> = []
        let namesDoubt = facts.contains(where: \.isDoubt)
        let source = facts.compactMap(\.evidence).max { $0.rank < $1.rank }
        for (index, fact) in facts.enumerated() {
            let at = time(index)
            let isRepeat = history.facts.contains(fact) || reported.contains(fact)
            let isJudged = fact.isRepeatable || !isRepeat || state.isOfAnotherAttempt(fact)
            guard isJudged || keepsAll else { continue }
            var next = state
            evolve(&next, fact, at: at)
            var findings: [TransactionEvent] = []
            if isJudged {
                let judgement = Judgement(
                    of: fact,
                    from: state,
                    to: next,
                    policy: policy,
                    start: history.state,
                    isDoubtNamed: namesDoubt,
                    source: source
                )
                guard judgement.isNews || keepsAll else { continue }
                if !fact.isRepeatable { reported.insert(fact) }
                if judgement.isNews { findings = self.findings(about: fact, judgement, folding: &next, at: at) }
            }
            visit(fact, findings)
            state = next
        }
        return state
    }

    /// The anomalies that a fact raises, and those that it explains.
    private static func findings(
        about fact: TransactionEvent,
        _ judgement: Judgement,
        folding state: inout TransactionState,
        at: Timestamp?
    ) -> [TransactionEvent] {
        var findings: [TransactionEvent] = []
        for anomaly in judgement.anomalies where !state.anomalies.contains(where: { $0.isRepeat(of: anomaly) }) {
            findings.append(.anomalyRaised(anomaly))
            evolve(&state, .anomalyRaised(anomaly), at: at)
        }
        let explained = Doubts.explained(by: fact, from: judgement.state, to: state)
        for anomaly in explained { evolve(&state, .anomalyCleared(anomaly), at: at) }
        return findings + explained.map { .anomalyCleared($0) }
    }

    /// The findings to append after facts that are recorded as they were reported: what `decide` would raise and clear
    /// about them, without anomalies that the facts raise themselves. Nothing is left out of the facts. Adds the facts
    /// and the findings to the history.
    ///
    /// - Parameters:
    ///   - times: The times of the events with the facts, by the clock of their sender; empty if they are not known.
    ///   - flags: Anomalies of the report itself, which are raised as well.
    ///   - clears: Whether the facts may end what is in doubt or flagged.
    package static func findings(
        in facts: [TransactionEvent],
        at times: [Timestamp] = [],
        flags: [Anomaly] = [],
        clearing clears: Bool,
        after history: inout PaymentHistory,
        policy: LifecyclePolicy
    ) -> [TransactionEvent] {
        let before = history.state
        var findings: [TransactionEvent] = []
        func time(_ index: Int) -> Timestamp? { index < times.count ? times[index] : times.last }
        var state = judge(facts, after: history, policy: policy, keepingAll: true, at: time) { findings += $1 }
        findings += flags.filter { flag in !state.anomalies.contains { $0.isRepeat(of: flag) } }
            .map { .anomalyRaised($0) }
        let own = facts.compactMap(\.raised)
        func isLeftOut(_ event: TransactionEvent) -> Bool {
            if let raised = event.raised { return own.contains { $0.isRepeat(of: raised) } }
            return !clears
        }
        findings.removeAll(where: isLeftOut)
        // The findings follow all facts in the stream, and are folded in that order.
        state = before
        for (index, event) in (facts + findings).enumerated() { evolve(&state, event, at: time(index)) }
        var changes = Contradictions.changes(from: before, to: state, policy: policy)
        changes.removeAll(where: isLeftOut)
        for event in changes { evolve(&state, event, at: times.last) }
        findings += changes
        history.append(facts + findings, folded: state)
        return findings
    }
}

/// The parts of a payment's history that `decide` needs: the folded state and the recorded facts.
package struct PaymentHistory: Sendable {
    package private(set) var state = TransactionState()
    /// The facts that count only once. Documents and the ledger's own findings are not included.
    fileprivate private(set) var facts: Set<TransactionEvent> = []

    /// The history of an unknown payment.
    package init() {}

    /// - Parameter events: Every event of the stream, in order.
    package init(_ events: [TransactionEvent]) { fold(events) }

    /// - Parameters:
    ///   - events: The events of the stream after those of the history, in order.
    ///   - times: Their times, by the clocks of their senders; empty if they are not known.
    package mutating func fold(_ events: [TransactionEvent], at times: [Timestamp] = []) {
        for (index, event) in events.enumerated() {
            Lifecycle.evolve(&state, event, at: index < times.count ? times[index] : nil)
        }
        facts.formUnion(events.filter { !$0.isRepeatable })
    }

    /// The version of the stream.
    package var version: Int64 { state.version }

    fileprivate mutating func append(_ events: [TransactionEvent], folded state: TransactionState) {
        self.state = state
        facts.formUnion(events.filter { !$0.isRepeatable })
    }
}

extension TransactionEvent {
    /// True if the event reports a follow-up in doubt.
    fileprivate var isDoubt: Bool {
        if case .anomalyRaised(let anomaly) = self { anomaly.kind == .followUpInDoubt } else { false }
    }

    /// The anomaly that the event raises.
    fileprivate var raised: Anomaly? { if case .anomalyRaised(let anomaly) = self { anomaly } else { nil } }

    /// True if every report is new information: documents, and the ledger's own findings and records.
    fileprivate var isRepeatable: Bool {
        switch self {
        case .documentReceived, .receiptIssued, .cardToken, .batchAssigned, .anomalyRaised, .anomalyCleared: true
        default: false
        }
    }
}

extension TransactionState {
    /// True for another report of a recorded refund.
    fileprivate func isKnownRefund(_ event: TransactionEvent) -> Bool {
        guard case .refunded(let refund) = event else { return false }
        return refunds.contains { $0.id.hasSameUTF8(as: refund.id) }
    }
}
