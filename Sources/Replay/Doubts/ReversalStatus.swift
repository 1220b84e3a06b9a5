package import Canonical
import Payments
import ReplayRules

/// How it stands with a payment that the host approved and the terminal did not carry out: it is to be taken back.
///
/// What takes it back moves no money that was not moved wrongly, so it is sent until it is acknowledged, however often that
/// takes; a person sees it as well once it is late.
package struct ReversalStatus: Sendable, Hashable {
    package enum Next: Sendable, Hashable {
        /// A call is under way; until this time nobody else sends one.
        case underWay(until: Timestamp)
        /// It is sent at this time, or as soon as can be.
        case send(at: Timestamp, rule: String)
        /// It is not sent, or not any more: by this rule.
        case person(rule: String)
        /// A gateway has acknowledged it, by this rule, in words that its adapter has no fact for.
        case acknowledged(rule: String)
    }

    /// The event that says that it is due.
    package let position: Int64
    package let dueAt: Timestamp
    /// By when it should be acknowledged; nil where no rule says.
    package let deadline: Timestamp?
    /// What was sent so far.
    package let sent: [GatewayQuestion]
    package let next: Next
    /// Whether a person should see it.
    package let isShown: Bool

    /// - Returns: Nil where nothing is to be taken back.
    init?(
        _ state: TransactionState,
        _ facts: [RecordedFact],
        _ calls: [GatewayQuestion],
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
        var evidence = PaymentEvidence(folding: facts, wanted: ReplayRequest(.reversal))
        // A void is how some gateways take a payment back.
        for index in evidence.attempts.indices where evidence.attempts[index].operation == .void {
            evidence.attempts[index].operation = .reversal
        }
        // What never got there is no reason to try again at once: the intervals are there for gateways that are down.
        for index in evidence.attempts.indices where evidence.attempts[index].operation == .reversal {
            evidence.attempts[index].isSent = true
        }
        for index in evidence.answers.indices where evidence.answers[index].operation == .void {
            evidence.answers[index].operation = .reversal
        }
        let limit = book.limit("deadline.reversal", evidence.use?.rawValue)?.number
        let begun = evidence.balance.approvedAt ?? raised.at
        deadline = limit.map { begun.adding(microseconds: $0 * 1_000_000) }
        let ruling = classify(evidence, at: now, book: book)
        let isLate = deadline.map { now >= $0 } ?? false
        switch ruling.disposition {
        case .resubmit: next = underWayUntil.map { .underWay(until: $0) } ?? .send(at: now, rule: ruling.rule)
        case .waitUntil(let at): next = underWayUntil.map { .underWay(until: $0) } ?? .send(at: at, rule: ruling.rule)
        case .alreadyPosted: next = .acknowledged(rule: ruling.rule)
        case .never: next = .person(rule: ruling.rule)
        case .needsPerson where Self.canNeverBeSent(sent): next = .person(rule: ruling.rule)
        // A refusal may be the host's mood of a moment, and what is refused moves nothing: it goes on.
        case .needsPerson:
            let intervals = book.limit("reversal.intervals")
            let last = sent.last?.sentAt ?? now
            let again = last.adding(microseconds: (intervals?.list?.last ?? 3_600) * 1_000_000)
            next = underWayUntil.map { .underWay(until: $0) } ?? .send(at: again, rule: ruling.rule)
        }
        if case .person = next { isShown = true } else { isShown = isLate || ruling.isShown }
    }

    /// True where the last one could not be sent as it is, and could not be the next time.
    private static func canNeverBeSent(_ sent: [GatewayQuestion]) -> Bool {
        switch sent.last?.end?.failure.flatMap(GatewayFailureName.init) {
        case .incomplete?, .unsupported?: true
        case nil: false
        }
    }

    /// The codes of `GatewayFailure` that the next call would have as well.
    private enum GatewayFailureName: String {
        case incomplete, unsupported
    }
}
