package import Canonical
import Gateways
import Payments
import ReplayRules
import Vendors

/// The status of the reversal of a payment that the host approved and the terminal did not complete.
///
/// A reversal only undoes money that was moved by mistake, so it is sent until it is acknowledged. Once it is late, an
/// operator is shown it as well; a bounded number of attempts later it is the operator's.
package struct ReversalStatus: Sendable, Hashable {
    package enum Next: Sendable, Hashable {
        /// A call is in progress; no other reversal is sent until this time.
        case underWay(until: Timestamp)
        /// It is sent at this time, or as soon as possible.
        case send(at: Timestamp, rule: String)
        /// It is not sent, or no longer sent: by this rule.
        case person(rule: String)
        /// A gateway has acknowledged it, by this rule, in an answer that its adapter maps to no fact.
        case acknowledged(rule: String)
    }

    /// The position of the event that made the reversal due.
    package let position: Int64
    package let dueAt: Timestamp
    /// The time by which it should be acknowledged; nil without a rule.
    package let deadline: Timestamp?
    /// The reversals sent so far.
    package let sent: [GatewayQuery]
    package let next: Next
    /// Whether an operator should review it.
    package let isShown: Bool
    /// True when the schedule has ended: only an operator sends it again.
    package let isExhausted: Bool

    /// - Returns: Nil when no reversal is due.
    init?(
        _ state: TransactionState,
        _ facts: [RecordedFact],
        _ calls: [GatewayQuery],
        underWayUntil: Timestamp?,
        now: Timestamp,
        book: RuleBook
    ) {
        guard state.awaitsReversal else { return nil }
        let raised = facts.last { fact in
            guard case .anomalyRaised(let anomaly) = fact.event else { return false }
            return anomaly.kind == .reversalDue
        }
        guard let raised else { return nil }
        position = raised.position
        dueAt = raised.at
        sent = calls.filter(\.operation.takesBack)
        var evidence = PaymentEvidence(folding: facts, wanted: ReplayRequest(.reversal), codes: VendorAdapters.code)
        // A reversal that was held is none of those that the rules allow.
        let held = Set(sent.filter(Self.isHeld).map(\.position))
        evidence.attempts.removeAll { held.contains($0.position) }
        // Some gateways reverse a payment with a void.
        for index in evidence.attempts.indices where evidence.attempts[index].operation == .void {
            evidence.attempts[index].operation = .reversal
        }
        // A call that was never sent is no reason for an immediate retry: the intervals are meant for gateways that
        // are down.
        for index in evidence.attempts.indices where evidence.attempts[index].operation == .reversal {
            // A void that a till reports as refused is none of Daybook's.
            evidence.attempts[index].isSent = evidence.attempts[index].reference != nil
            // The intervals are measured by the later of the clocks of the sender and of the log.
            let position = evidence.attempts[index].position
            guard let sentAt = sent.first(where: { $0.position == position })?.sentAt else { continue }
            evidence.attempts[index].at = max(evidence.attempts[index].at, sentAt)
        }
        for index in evidence.answers.indices where evidence.answers[index].operation == .void {
            evidence.answers[index].operation = .reversal
        }
        let limit = book.limit("deadline.reversal", evidence.use?.rawValue)?.number
        let begun = evidence.balance.approvedAt ?? raised.at
        deadline = limit.map { begun.adding(microseconds: $0 * 1_000_000) }
        evidence.balance.approvedAt = begun
        let reversals = evidence.attempts.filter { $0.operation == .reversal }
        let times = reversals.filter(\.isSent).map(\.at)
        let schedule = ReversalSchedule(book, deadline: deadline)
        let ruling = classify(evidence, at: now, book: book)
        let isLate = deadline.map { now >= $0 } ?? false
        var isExhausted = false
        switch ruling.disposition {
        case .resubmit: next = underWayUntil.map { .underWay(until: $0) } ?? .send(at: now, rule: ruling.rule)
        case .waitUntil(let at): next = underWayUntil.map { .underWay(until: $0) } ?? .send(at: at, rule: ruling.rule)
        case .alreadyPosted: next = .acknowledged(rule: ruling.rule)
        case .never: next = .person(rule: ruling.rule)
        case .needsPerson where Self.canNeverBeSent(sent.filter { !Self.isHeld($0) }): next = .person(rule: ruling.rule)
        case .needsPerson where schedule == nil || !times.isEmpty && schedule?.next(after: times) == nil:
            next = underWayUntil.map { .underWay(until: $0) } ?? .person(rule: ruling.rule)
            isExhausted = true
        // A refusal may be temporary, and a refused reversal moves nothing, so the attempts continue.
        case .needsPerson:
            let last = reversals.map(\.at).max() ?? now
            let again = last.adding(microseconds: (schedule?.longest ?? 3_600) * 1_000_000)
            let at = max(again, schedule?.next(after: times)?.at ?? again)
            next = underWayUntil.map { .underWay(until: $0) } ?? .send(at: at, rule: ruling.rule)
        }
        self.isExhausted = isExhausted
        if case .person = next { isShown = true } else { isShown = isLate || ruling.isShown }
    }

    private static func isHeld(_ call: GatewayQuery) -> Bool {
        guard let end = call.end, let failure = end.failure else { return false }
        return failure == GatewayFailure.Code.held.rawValue
    }

    /// True when the last reversal could not be sent as it is, and never will be.
    private static func canNeverBeSent(_ sent: [GatewayQuery]) -> Bool {
        switch sent.last?.end?.failure.flatMap(GatewayFailureName.init) {
        case .incomplete?, .unsupported?: true
        case nil: false
        }
    }

    /// The codes of `GatewayFailure` that the next call would have too.
    private enum GatewayFailureName: String {
        case incomplete, unsupported
    }
}
