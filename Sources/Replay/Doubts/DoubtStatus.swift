package import Canonical
package import EventLog
import Gateways
import Intake
package import Payments
package import ReplayRules
import Vendors

/// The status of a payment in doubt, of itself or of a follow-up. Computed from the payment's events on demand.
package struct DoubtStatus: Sendable, Hashable {
    package enum Next: Sendable, Hashable {
        /// Nothing is in doubt.
        case nothing
        /// A call is in progress; no other call is made until this time.
        case underWay(until: Timestamp)
        /// The gateway is queried at this time, or as soon as possible.
        case query(at: Timestamp, rule: String)
        /// No gateway can be queried, or the answers resolve nothing: by this rule.
        case person(rule: String)
    }

    /// The assumed duration of a call whose event has no end time: longer than any call takes with its standard
    /// limits.
    package static let longestCallSeconds: Int64 = 180
    /// The most difference between the clocks of two servers.
    package static let clockSlackSeconds: Int64 = 5

    /// The state folded from the events.
    package let state: TransactionState
    /// The doubt; nil when nothing is in doubt.
    package let doubt: Doubt?
    /// The queries about it, in order.
    package let queries: [QueryEvidence]
    package let next: Next
    /// The time from which a gateway's report of no such payment counts as evidence.
    package let unpostedFrom: Timestamp?
    /// Queries that were interrupted.
    package let abandoned: [OpenCalls.Call]
    /// The version of the stream.
    package let version: Int64
    /// The event that caused the doubt; nil when nothing is in doubt.
    package let cause: DoubtCause?
    /// Every call to a gateway about the payment, in order.
    package let calls: [GatewayQuery]
    /// The status of the payment's reversal; nil when none is due.
    package let reversal: ReversalStatus?
    /// The end of the call in progress; no other call to a gateway is made before it.
    package let underWayUntil: Timestamp?

    /// The tenant whose payment it is.
    let tenant: String
    /// The merchant accounts at which the payment was made.
    let accounts: MerchantAccounts
    /// Daybook's last call with an unknown outcome, if Daybook made one.
    let sent: GatewayReport?
    /// Whether an operator should review it.
    package let isShown: Bool

    /// True while an operator or the schedule must act on it.
    package var isOpen: Bool { doubt != nil || reversal != nil }

    /// The time of the next action; nil when only a new event can lead to one.
    ///
    /// - Parameters:
    ///   - canQuery: Whether a gateway can be queried.
    ///   - reverses: Whether reversals are sent.
    package func nextAction(canQuery: Bool = true, reverses: Bool) -> Timestamp? {
        var times: [Timestamp] = []
        switch next {
        case .underWay(let until): times.append(until)
        case .query(let at, _) where canQuery: times.append(at)
        case .nothing, .query, .person: break
        }
        switch reversal?.next {
        case .underWay(let until)?: times.append(until)
        case .send(let at, _)? where reverses: times.append(at)
        // The next check records the acknowledgement.
        case .acknowledged?, .send?, .person?, nil: break
        }
        return times.min()
    }

    /// The time after which a call without an answer counts as interrupted, by the clock of the log: the event shows
    /// how long the call lasts, and the log when it was sent.
    private static func end(of call: OpenCalls.Call, recordedAt: Timestamp) -> Timestamp {
        guard let sentAt = call.sentAt, let overBy = call.overBy else {
            return recordedAt.adding(microseconds: longestCallSeconds * 1_000_000)
        }
        let lasts = max(0, overBy.microseconds(since: sentAt))
        return recordedAt.adding(microseconds: lasts).adding(microseconds: clockSlackSeconds * 1_000_000)
    }

    /// The times at which calls were recorded before they were sent, by their references.
    private static func sentTimes(_ facts: [RecordedFact]) -> [String: Timestamp] {
        var times: [String: Timestamp] = [:]
        for fact in facts {
            guard case .gateway(let event) = fact.event, event.name == .callSent else { continue }
            times[event.report.reference] = fact.at
        }
        return times
    }

    /// - Parameters:
    ///   - history: Every event of the payment's stream, in order.
    ///   - now: The time at which the next action is decided.
    /// - Throws: An error for an event that cannot be read.
    package init(_ history: [RecordedEvent], now: Timestamp, book: RuleBook) throws {
        self.init(try RecordedPayment(history), now: now, book: book)
    }

    /// - Parameter now: The time at which the next action is decided.
    init(_ payment: RecordedPayment, now: Timestamp, book: RuleBook) {
        let (facts, state) = (payment.facts, payment.state)
        self.state = state
        version = payment.version
        tenant = payment.tenant
        accounts = MerchantAccounts(facts)
        let calls = GatewayQuery.all(in: facts)
        self.calls = calls
        let sentTimes = Self.sentTimes(facts)
        var underWayUntil: Timestamp?
        // The end of every call that may have moved money and has no end yet.
        var overFrom = Timestamp.earliest
        var abandoned: [OpenCalls.Call] = []
        var cutShort: Set<String> = []
        for call in state.openCalls.calls where !call.isUnanswered {
            let until = Self.end(of: call, recordedAt: sentTimes[call.reference] ?? facts.last?.at ?? now)
            if call.operation.canMoveMoney { overFrom = max(overFrom, until) }
            if now < until {
                underWayUntil = max(underWayUntil ?? until, until)
            } else if !call.operation.canMoveMoney {
                abandoned.append(call)
            }
            cutShort.insert(call.reference)
        }
        self.abandoned = abandoned
        self.underWayUntil = underWayUntil
        let reversal = ReversalStatus(
            state,
            facts,
            calls,
            underWayUntil: underWayUntil,
            now: now,
            book: book
        )
        self.reversal = reversal
        let acting = state.openCalls.calls.last(where: \.operation.canMoveMoney)
        sent =
            facts.lazy.reversed().compactMap { fact -> GatewayReport? in
                guard case .gateway(let event) = fact.event, event.name == .callSent else { return nil }
                return event.report.reference == acting?.reference ? event.report : nil
            }.first
        let recorded = QueryEvidence.all(in: facts, open: cutShort)
        var doubts = PaymentEvidence(folding: facts, codes: VendorAdapters.code).doubts
        if doubts.isEmpty, let open = acting {
            // The call was sent, and the process ended before it recorded the outcome.
            doubts.append(
                Doubt(
                    operation: ReplayOperation(open.operation),
                    position: 0,
                    sentAt: sentTimes[open.reference] ?? facts.last?.at ?? now,
                    vendor: state.identity.vendor
                )
            )
        }
        let reported = doubts.map { (doubt: $0, cause: DoubtCause(at: $0.position, or: acting?.reference, in: facts)) }
        // A reversal is repeated until it is acknowledged, and is not queried.
        let first = reported.first { reversal == nil || $0.cause?.followUp?.takesBack != true }
        cause = first?.cause
        guard let doubt = first?.doubt else {
            self.doubt = nil
            queries = []
            next = .nothing
            unpostedFrom = nil
            isShown = false
            return
        }
        self.doubt = doubt
        // Queries before the follow-up was sent are no evidence about it.
        let queries =
            doubt.operation == nil ? recorded.filter { $0.position > doubt.position } : recorded
        self.queries = queries
        // For a follow-up the gateway does have the payment, so a report of no such payment is no evidence.
        let wait = book.limit("wait.unposted", doubt.vendor?.rawValue)?.number
        unpostedFrom =
            doubt.operation?.isPayment == true
            ? wait.map { max(overFrom, doubt.sentAt.adding(microseconds: $0 * 1_000_000)) } : nil
        switch nextQuery(doubt, queries: queries, now: now, book: book) {
        case .ended(_, let rule):
            // If the evidence were sufficient, it would have resolved the doubt already.
            next = .person(rule: rule)
            isShown = true
        // A query and its answer are two events.
        case .query where version + Int64(abandoned.count) + 2 > StreamName.eventLimit && underWayUntil == nil:
            next = .person(rule: FixedRule.streamFull.rawValue)
            isShown = true
        case .query(let at, let rule):
            isShown = false
            next = underWayUntil.map { .underWay(until: $0) } ?? .query(at: at, rule: rule)
        }
    }
}

extension QueryEvidence {
    /// Every query about a payment that was not held, with its answer.
    ///
    /// - Parameter open: The references of calls without an end.
    static func all(in facts: [RecordedFact], open: Set<String>) -> [QueryEvidence] {
        var sent: [String: (at: Timestamp, sentAt: Timestamp?)] = [:]
        var queries: [QueryEvidence] = []
        for fact in facts {
            guard case .gateway(let event) = fact.event, event.report.operation == .find else { continue }
            let report = event.report
            guard event.name != .callSent else {
                sent[report.reference] = (fact.at, report.at)
                if open.contains(report.reference) {
                    queries.append(
                        QueryEvidence(position: fact.position, at: fact.at, sentAt: report.at, answer: .unanswered)
                    )
                }
                continue
            }
            // A query that was held says nothing, and is none of those that the rules allow.
            guard report.failure != GatewayFailure.Code.held.rawValue else { continue }
            let query = sent[report.reference] ?? (fact.at, report.at)
            queries.append(
                QueryEvidence(
                    position: fact.position,
                    at: query.at,
                    sentAt: query.sentAt,
                    answer: event.answer
                )
            )
        }
        return queries
    }
}

extension GatewayEvent {
    fileprivate var answer: QueryEvidence.Answer {
        switch name {
        case .callSent, .callTimedOut: .unanswered
        case .callFailed:
            // A query that cannot be made now cannot be made later either.
            switch report.failure.flatMap(GatewayFailure.Code.init) {
            case .incomplete?, .unsupported?: .refused
            default: .unanswered
            }
        case .callAnswered:
            switch report.verdict {
            case .approved?, .partiallyApproved?: .approved
            case .declined?: .declined
            case .notPosted?: .notPosted
            case .pending?: .pending
            case .ambiguous?: .ambiguous
            case .refused?: .refused
            case .unknown?, nil: .unknown
            }
        }
    }
}
