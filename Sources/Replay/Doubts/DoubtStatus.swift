package import Canonical
package import EventLog
import Gateways
import Intake
package import Payments
package import ReplayRules

/// How it stands with a payment of which nobody can say whether it, or a follow-up on it, took effect. Computed from its
/// events, whenever it is wanted.
package struct DoubtStatus: Sendable, Hashable {
    package enum Next: Sendable, Hashable {
        /// Nothing is in doubt.
        case nothing
        /// A call is under way; until this time nobody else asks.
        case underWay(until: Timestamp)
        /// It is asked about at this time, or as soon as can be.
        case ask(at: Timestamp, rule: String)
        /// Nobody can be asked, or what was answered ends nothing: by this rule.
        case person(rule: String)
    }

    /// How long a call is taken to be under way whose event does not say when it is over: longer than any lasts by its standard
    /// limits. Events of earlier builds.
    package static let longestCallSeconds: Int64 = 180
    /// By so much the clocks of two servers may differ.
    package static let clockSlackSeconds: Int64 = 5

    /// What the events add up to.
    package let state: TransactionState
    /// What is in doubt; nil where nothing is.
    package let doubt: Doubt?
    /// What was asked about it, in order.
    package let asked: [QueryEvidence]
    package let next: Next
    /// From when on a gateway that has nothing of it is believed.
    package let unpostedFrom: Timestamp?
    /// Questions that were cut short.
    package let abandoned: [OpenCalls.Call]
    /// Of the stream.
    package let version: Int64
    /// Which event leaves it in doubt; nil where nothing is.
    package let cause: DoubtCause?
    /// Every call to a gateway about the payment, in order.
    package let calls: [GatewayQuestion]
    /// How it stands with taking the payment back; nil where that is not to be done.
    package let reversal: ReversalStatus?
    /// Until when nobody else calls a gateway about it, because a call is under way.
    package let underWayUntil: Timestamp?

    /// The accounts it was made at.
    let accounts: MerchantAccounts
    /// When what is known of it first happened, by the clock of whoever told it.
    let begunAt: Timestamp?
    /// What was sent last that nobody knows the outcome of, where Daybook sent it.
    let sent: GatewayReport?
    /// Whether a person should see it.
    package let isShown: Bool

    /// True while somebody, or the schedule, has something to do about it.
    package var isOpen: Bool { doubt != nil || reversal != nil }

    /// When something is to be done next; nil for not before something is told about it.
    ///
    /// - Parameters:
    ///   - asks: Whether there is somebody who can be asked.
    ///   - reverses: Whether reversals are sent.
    package func nextLook(asks: Bool = true, reverses: Bool) -> Timestamp? {
        var times: [Timestamp] = []
        switch next {
        case .underWay(let until): times.append(until)
        case .ask(let at, _) where asks: times.append(at)
        case .nothing, .ask, .person: break
        }
        switch reversal?.next {
        case .underWay(let until)?: times.append(until)
        case .send(let at, _)? where reverses: times.append(at)
        // Whoever looks at it next records that.
        case .acknowledged?, .send?, .person?, nil: break
        }
        return times.min()
    }

    /// From when on a call without an answer is taken to have been cut short.
    private static func end(of call: OpenCalls.Call) -> Timestamp {
        if let overBy = call.overBy { return overBy.adding(microseconds: clockSlackSeconds * 1_000_000) }
        return (call.sentAt ?? .earliest).adding(microseconds: longestCallSeconds * 1_000_000)
    }

    /// - Parameters:
    ///   - history: Every event of the payment's stream, in order.
    ///   - now: What is asked next is decided at this time.
    /// - Throws: For an event that cannot be read.
    package init(_ history: [RecordedEvent], now: Timestamp, book: RuleBook) throws {
        let facts = try history.map {
            RecordedFact(position: $0.position, at: $0.recordedAt, event: try TransactionEvent($0))
        }
        let state = TransactionState(folding: facts.lazy.map(\.event))
        self.state = state
        version = history.last?.version ?? 0
        accounts = MerchantAccounts(facts)
        begunAt = history.lazy.map(\.occurredAt).min()
        let calls = GatewayQuestion.all(in: facts)
        self.calls = calls
        var underWayUntil: Timestamp?
        var abandoned: [OpenCalls.Call] = []
        var cutShort: Set<String> = []
        for call in state.openCalls.calls where !call.isUnanswered {
            let until = Self.end(of: call)
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
            facts.lazy.compactMap { fact -> GatewayReport? in
                guard case .gateway(let event) = fact.event, event.name == .callSent else { return nil }
                return event.report.reference == acting?.reference ? event.report : nil
            }.first
        let asks = QueryEvidence.all(in: facts, open: cutShort)
        var doubts = PaymentEvidence(folding: facts).doubts
        if doubts.isEmpty, let open = acting {
            // It was sent, and the process ended before it could say what came of it.
            doubts.append(
                Doubt(
                    operation: ReplayOperation(open.operation),
                    position: 0,
                    sentAt: open.sentAt ?? facts.last?.at ?? now,
                    vendor: state.vendor
                )
            )
        }
        let reported = doubts.map { (doubt: $0, cause: DoubtCause(at: $0.position, or: acting?.reference, in: facts)) }
        // What takes a payment back is repeated until it is acknowledged, and not asked about.
        let first = reported.first { reversal == nil || !["void", "reversal"].contains($0.cause?.followUp ?? "") }
        cause = first?.cause
        guard let doubt = first?.doubt else {
            self.doubt = nil
            asked = []
            next = .nothing
            unpostedFrom = nil
            isShown = false
            return
        }
        self.doubt = doubt
        // What was asked before a follow-up was sent says nothing about it.
        let asked = doubt.operation == nil ? asks.filter { $0.position > doubt.position } : asks
        self.asked = asked
        // Of a follow-up the gateway has the payment; that it has nothing of it says nothing.
        let wait = book.limit("wait.unposted", doubt.vendor?.rawValue)?.number
        unpostedFrom =
            doubt.operation?.isPayment == true ? wait.map { doubt.sentAt.adding(microseconds: $0 * 1_000_000) } : nil
        switch nextAsk(doubt, asked: asked, now: now, book: book) {
        case .ended(_, let rule):
            // Had it ended by evidence, the evidence would have ended it.
            next = .person(rule: rule)
            isShown = true
        case .ask(let at, let rule, let isShown):
            self.isShown = isShown
            next = underWayUntil.map { .underWay(until: $0) } ?? .ask(at: at, rule: rule)
        }
    }
}

extension QueryEvidence {
    /// Every question about a payment, with what came of it.
    ///
    /// - Parameter open: The references of calls that have no end.
    static func all(in facts: [RecordedFact], open: Set<String>) -> [QueryEvidence] {
        var sent: [String: Timestamp] = [:]
        var asks: [QueryEvidence] = []
        for fact in facts {
            guard case .gateway(let event) = fact.event, event.report.operation == .find else { continue }
            let report = event.report
            guard event.name != .callSent else {
                let at = report.at ?? fact.at
                sent[report.reference] = at
                if open.contains(report.reference) {
                    asks.append(QueryEvidence(position: fact.position, at: at, answer: .unanswered))
                }
                continue
            }
            asks.append(
                QueryEvidence(
                    position: fact.position,
                    at: sent[report.reference] ?? report.at ?? fact.at,
                    answer: event.answer
                )
            )
        }
        return asks
    }
}

extension GatewayEvent {
    fileprivate var answer: QueryEvidence.Answer {
        switch name {
        case .callSent, .callTimedOut: .unanswered
        case .callFailed:
            // What cannot be asked at all will not be the next time either.
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
