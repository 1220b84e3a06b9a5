import Canonical
import Gateways
import Payments
import ReplayRules
import Vendors

/// Decides how one item of a plan is executed: the payment is judged, an earlier call of Daybook with the reference of
/// the next attempt is queried at the gateway, then the payment; it is judged again, and submitted at most once.
///
/// A value without I/O or clock. The caller performs each action and passes its result as the next event. The order of
/// the checks ensures that no card is charged twice: an attempt that may have acted ends the item before anything else
/// is decided; everything that permits the submission is read after the query; the status of the plan is read last.
struct ReplayItemMachine: Sendable {
    /// What a plan sets for all of its items.
    struct Terms: Sendable {
        /// Nil when this build's rules of the plan's day differ.
        var book: RuleBook?
        var expiresAt: Timestamp
    }

    /// An item with the data of its plan.
    struct Work: Sendable {
        var tenant: String
        var plan: UUID128
        var item: ReplayItem
        var terms: Terms
    }

    enum Event: Sendable {
        case begun
        case snapshot(ReplaySnapshot)
        case status(ReplayStatus)
        /// The outcome of a call; nil when another event changed the payment first, so that nothing was sent.
        case called(GatewayOutcome?)
        /// The names that the submission can claim.
        case claims([String])
        /// The ruling against another payment of the order; nil when there is none.
        case orderDuplicates(Ruling?)
        /// The search for duplicates has not read all events that were in the log.
        case readModelBehind
        case token(CardVault.Held?)
    }

    enum Action: Sendable {
        case takeSnapshot
        case readStatus
        case call(GatewayCall, at: GatewayAccount, GatewayCaller.Subject)
        case readClaims(of: TransactionState)
        case findOrderDuplicates(RuleBook)
        case readToken
        case finish(Result)
    }

    enum Result: Sendable, Hashable {
        case ended(ReplayItemEnd.End, rule: String?, detail: String?, version: Int64)
        /// No result yet.
        case later(Timestamp)
    }

    /// A payment that may be submitted, and what it was judged with.
    private struct Candidate {
        var snapshot: ReplaySnapshot
        let operation: GatewayOperation
        let gateway: GatewayAccount
        let book: RuleBook
        var claims: [String] = []
    }

    /// What the next event is about.
    private enum Step {
        case begin
        case findAttempt
        case permit(ReplaySnapshot)
        case recall(Candidate)
        case concludeRecall
        case queryNext(Candidate)
        case query(Candidate)
        case judgeAgain(Candidate)
        case claim(Candidate)
        case findOrderDuplicates(Candidate)
        case permitAgain(Candidate)
        case takeToken(Candidate)
        case submit(Candidate)
        case conclude
        case over
    }

    private static let pauseSeconds: Int64 = 30
    /// The longest pause between two unanswered queries.
    private static let longestPauseSeconds: Int64 = 300

    let work: Work
    let gateways: GatewayRegistry
    private var step = Step.begin

    init(_ work: Work, gateways: GatewayRegistry) {
        self.work = work
        self.gateways = gateways
    }

    mutating func handle(_ event: Event, at now: Timestamp) -> Action {
        let current = step
        step = .over
        switch (current, event) {
        case (.begin, .begun): return go(to: .findAttempt, after: .takeSnapshot)
        case (.findAttempt, .snapshot(let snapshot)):
            if let end = Self.end(snapshot) { return .finish(end) }
            return go(to: .permit(snapshot), after: .readStatus)
        case (.permit(let snapshot), .status(let status)):
            if let halt = halt(status, snapshot, now) { return .finish(halt) }
            return judge(snapshot, now)
        case (.recall(let candidate), .called(let outcome)): return conclude(recall: outcome, candidate, now)
        case (.concludeRecall, .snapshot(let snapshot)):
            // What was found is not the submission of this item.
            return .finish(Self.end(snapshot) ?? Self.end(.needsPerson, .lookupUnclear, snapshot))
        case (.queryNext(let candidate), .snapshot(let snapshot)):
            guard snapshot.isOurs, snapshot.attempt == candidate.snapshot.attempt else {
                return .finish(later(now, 1))
            }
            var candidate = candidate
            candidate.snapshot = snapshot
            return query(candidate, now)
        case (.query(let candidate), .called(let outcome)):
            if let result = obstacle(in: outcome, candidate.snapshot, now) { return .finish(result) }
            return go(to: .judgeAgain(candidate), after: .takeSnapshot)
        case (.judgeAgain(let candidate), .snapshot(let snapshot)): return judge(snapshot, after: candidate, now)
        case (.claim(var candidate), .claims(let claims)):
            candidate.claims = claims
            return go(to: .findOrderDuplicates(candidate), after: .findOrderDuplicates(candidate.book))
        case (.findOrderDuplicates(let candidate), .orderDuplicates(let ruling)):
            if let ruling { return .finish(Self.end(.needsPerson, ruling.rule, candidate.snapshot)) }
            return go(to: .permitAgain(candidate), after: .readStatus)
        case (.findOrderDuplicates, .readModelBehind): return .finish(later(now, 1))
        case (.permitAgain(let candidate), .status(let status)):
            // The query took time, and an operator may have stopped the plan meanwhile.
            if let halt = halt(status, candidate.snapshot, now) { return .finish(halt) }
            guard !work.item.operation.isPayment else { return go(to: .takeToken(candidate), after: .readToken) }
            let call = followUp(candidate.operation, candidate.snapshot, at: candidate.gateway, now)
            return submit(call, candidate)
        case (.takeToken(let candidate), .token(let held)): return charge(candidate, held)
        case (.submit(let candidate), .called(let outcome)): return conclude(outcome, candidate.snapshot, now)
        case (.conclude, .snapshot(let snapshot)): return .finish(Self.end(snapshot) ?? later(now, 1))
        default:
            // An event that does not follow from the last action permits nothing.
            return .finish(later(now))
        }
    }

    private mutating func go(to next: Step, after action: Action) -> Action {
        step = next
        return action
    }

    // MARK: Judgement

    private mutating func judge(_ snapshot: ReplaySnapshot, _ now: Timestamp) -> Action {
        guard now < work.terms.expiresAt else { return .finish(Self.end(.needsPerson, .expired, snapshot)) }
        guard snapshot.isOurs else {
            let rule = snapshot.hasOtherCard ? ReplayRule.otherCard.rawValue : nil
            return .finish(Self.end(.movedOn, rule, snapshot))
        }
        guard let book = work.terms.book else { return .finish(Self.end(.needsPerson, .otherRules, snapshot)) }
        if let obstacle = obstacle(to: snapshot, book, now) { return .finish(obstacle) }
        let judge = ReplayJudge(gateways: gateways, book: book, time: now)
        let gateway: GatewayAccount
        switch judge.way(to: work.item.operation, snapshot.state, snapshot.facts, of: work.tenant) {
        case .success(let found): gateway = found
        case .failure(let rule): return .finish(Self.end(.needsPerson, rule, snapshot))
        }
        guard let operation = work.item.operation.call else {
            return .finish(Self.end(.needsPerson, .unsupported, snapshot))
        }
        let candidate = Candidate(snapshot: snapshot, operation: operation, gateway: gateway, book: book)
        guard gateway.findsByReference(operation) else { return query(candidate, now) }
        let (call, subject) = recall(operation, snapshot, at: gateway, now)
        return go(to: .recall(candidate), after: .call(call, at: gateway, subject))
    }

    private mutating func query(_ candidate: Candidate, _ now: Timestamp) -> Action {
        guard candidate.gateway.supports(.find) else {
            return go(to: .judgeAgain(candidate), after: .takeSnapshot)
        }
        let (call, subject) = query(candidate.snapshot, at: candidate.gateway, now)
        return go(to: .query(candidate), after: .call(call, at: candidate.gateway, subject))
    }

    private mutating func judge(_ snapshot: ReplaySnapshot, after judged: Candidate, _ now: Timestamp) -> Action {
        guard snapshot.isOurs, snapshot.attempt == judged.snapshot.attempt else { return .finish(later(now, 1)) }
        if let obstacle = obstacle(to: snapshot, judged.book, now) { return .finish(obstacle) }
        var candidate = judged
        candidate.snapshot = snapshot
        guard work.item.operation.isPayment else { return go(to: .permitAgain(candidate), after: .readStatus) }
        // The names are read before the search for duplicates. A payment that the search misses has then taken one of
        // them, and the append fails.
        return go(to: .claim(candidate), after: .readClaims(of: snapshot.state))
    }

    /// The result of an item without a call when its plan is not running.
    private func halt(_ status: ReplayStatus, _ snapshot: ReplaySnapshot, _ now: Timestamp) -> Result? {
        switch status {
        case .running: nil
        case .paused: later(now)
        default: Self.end(.needsPerson, .stopped, snapshot)
        }
    }

    /// The reason against submitting it now; nil when there is none.
    private func obstacle(to snapshot: ReplaySnapshot, _ book: RuleBook, _ now: Timestamp) -> Result? {
        let item = work.item
        let evidence = PaymentEvidence(
            folding: snapshot.facts,
            wanted: ReplayRequest(item.operation, amount: item.amount, tip: item.tip),
            codes: VendorAdapters.code
        )
        let ruling = classify(evidence, at: now, book: book)
        return switch ruling.disposition {
        case .resubmit: nil
        case .alreadyPosted: Self.end(.alreadyPosted, ruling.rule, snapshot)
        case .waitUntil(let time) where time < work.terms.expiresAt: .later(max(time, now))
        case .waitUntil, .never, .needsPerson: Self.end(.needsPerson, ruling.rule, snapshot)
        }
    }

    // MARK: Query

    /// Goes on only if the gateway knows no call with the reference of the next attempt.
    private mutating func conclude(
        recall outcome: GatewayOutcome?,
        _ candidate: Candidate,
        _ now: Timestamp
    ) -> Action {
        let snapshot = candidate.snapshot
        let again = Action.finish(later(now, pause(after: snapshot.recalls.unanswered)))
        switch outcome {
        case nil: return .finish(later(now, 1))
        case .notSent(let failure):
            guard failure.code == .incomplete || failure.code == .unsupported else { return again }
            return .finish(Self.end(.needsPerson, .lookupUnclear, snapshot))
        case .unanswered: return again
        case .answered(let answer):
            if answer.isNotFound { return go(to: .queryNext(candidate), after: .takeSnapshot) }
            if case .pending = answer.verdict, answer.found == nil { return again }
            return go(to: .concludeRecall, after: .takeSnapshot)
        }
    }

    /// The reason in the outcome of a query against submitting the item now; nil when there is none.
    private func obstacle(in outcome: GatewayOutcome?, _ snapshot: ReplaySnapshot, _ now: Timestamp) -> Result? {
        let unclear = Self.end(.needsPerson, .lookupUnclear, snapshot)
        switch outcome {
        case nil: return later(now, 1)
        case .notSent(let failure):
            // Without a name the payment cannot be queried at any gateway, so it is impossible to determine whether
            // it was already made.
            guard failure.code == .incomplete || failure.code == .unsupported else { return unanswered(snapshot, now) }
            return snapshot.wasNeverSent ? nil : unclear
        case .unanswered: return unanswered(snapshot, now)
        case .answered(let answer):
            switch answer.verdict {
            case .approved, .partiallyApproved, .declined: return nil
            // A follow-up requires the original payment at the gateway.
            case .notPosted: return work.item.operation.isPayment ? nil : unclear
            case .pending: return unanswered(snapshot, now)
            case .ambiguous, .unknown, .refused: return unclear
            }
        }
    }

    /// The query was not answered. It is repeated until it is, or the plan expires.
    private func unanswered(_ snapshot: ReplaySnapshot, _ now: Timestamp) -> Result {
        later(now, pause(after: snapshot.finds.unanswered))
    }

    /// - Parameter queries: The number of unanswered ones in sequence before this one. Answered ones say nothing about
    ///   how long the gateway needs.
    private func pause(after queries: Int) -> Int64 { queries < 8 ? 1 << Int64(queries) : Self.longestPauseSeconds }

    // MARK: Submission

    private mutating func charge(_ candidate: Candidate, _ held: CardVault.Held?) -> Action {
        guard let held else { return .finish(Self.end(.needsPerson, .noToken, candidate.snapshot)) }
        // The approval is for the card at that time and for no other one.
        guard let approved = work.item.card, approved == held.digest else {
            return .finish(Self.end(.needsPerson, .otherCard, candidate.snapshot))
        }
        let call = payment(candidate.operation, with: held.token, candidate.snapshot, at: candidate.gateway)
        return submit(call, candidate)
    }

    private mutating func submit(_ call: GatewayCall, _ candidate: Candidate) -> Action {
        let subject = GatewayCaller.Subject(
            stream: StreamName.transaction(work.item.transaction),
            version: candidate.snapshot.version,
            accounts: candidate.snapshot.accounts(with: candidate.gateway.vendor),
            claims: candidate.claims
        )
        return go(to: .submit(candidate), after: .call(call, at: candidate.gateway, subject))
    }

    private mutating func conclude(_ outcome: GatewayOutcome?, _ submitted: ReplaySnapshot, _ now: Timestamp) -> Action
    {
        switch outcome {
        case nil: return .finish(later(now, 1))
        case .notSent(let failure):
            switch failure.code {
            case .unsupported, .incomplete, .addressRefused, .tlsFailed:
                // The sending and the failure are two events.
                let version = submitted.version + 2
                let rule = ReplayRule.incomplete.rawValue
                return .finish(.ended(.needsPerson, rule: rule, detail: failure.code.rawValue, version: version))
            default: return .finish(later(now))
            }
        case .unanswered, .answered: return go(to: .conclude, after: .takeSnapshot)
        }
    }

    private func later(_ now: Timestamp, _ seconds: Int64 = pauseSeconds) -> Result {
        .later(now.adding(microseconds: seconds * 1_000_000))
    }
}
