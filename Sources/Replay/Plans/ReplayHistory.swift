package import Canonical
package import EventLog
import Gateways
import Intake
package import Payments
package import ReplayRules

/// A payment event by event: the state after each, and what the rules of its day would have decided then.
package struct ReplayHistory: Sendable {
    /// After one event.
    package struct Step: Sendable {
        package var position: Int64
        package var version: Int64
        package var type: String
        package var at: Timestamp
        package var actor: String
        package var state: TransactionState
        package var ruling: Ruling
        /// By the other rules that were asked for.
        package var whatIf: Ruling?
    }

    /// The most events that are gone through; of more the last ones.
    package static let most = 200

    package var steps: [Step]
    /// How many events there are before the first step.
    package var earlier: Int
    package var operation: ReplayOperation?

    /// - Parameters:
    ///   - history: Every event of the payment's stream up to the moment that is asked for, in order.
    ///   - operation: What would be asked for again; nil for the payment itself, or for the reversal where one is due.
    ///   - configured: `rule=value`, of the service: what is decided now is decided by them.
    ///   - asksOnlyStandIns: What guards against charging twice may be shortened then.
    ///   - overrides: `rule=value`, what else is asked for; of a rule that is configured it is this one that counts.
    ///   - now: The last event is judged at this time, as nothing has been told since; nil for its own time.
    /// - Throws: `RuleBookError`, and for an event that cannot be read.
    package init(
        _ history: [RecordedEvent],
        operation: ReplayOperation? = nil,
        configured: [String] = [],
        asksOnlyStandIns: Bool = false,
        overrides: [String] = [],
        now: Timestamp? = nil
    ) throws {
        self.operation = operation
        let facts = try history.map {
            RecordedFact(position: $0.position, at: $0.recordedAt, event: try TransactionEvent($0))
        }
        let first = max(0, facts.count - Self.most)
        earlier = first
        func id(_ override: String) -> Substring { override.prefix { $0 != "=" } }
        let asked = Set(overrides.map(id))
        let others = configured.filter { !asked.contains(id($0)) } + overrides
        var books: [CivilDate: (plain: RuleBook, other: RuleBook?)] = [:]
        func book(_ time: Timestamp) throws -> (plain: RuleBook, other: RuleBook?) {
            if let known = books[time.civilDate] { return known }
            let made = (
                plain: try RuleBook(asOf: time, overriding: configured, asksOnlyStandIns: asksOnlyStandIns),
                other: overrides.isEmpty
                    ? nil : try RuleBook(asOf: time, overriding: others, asksOnlyStandIns: asksOnlyStandIns)
            )
            books[time.civilDate] = made
            return made
        }
        // What is wrong with the other rules shows even where there is nothing to judge.
        if let now, !overrides.isEmpty { _ = try book(now) }
        var state = TransactionState()
        for fact in facts[..<first] { Lifecycle.evolve(&state, fact.event) }
        var steps: [Step] = []
        for index in first..<facts.count {
            Lifecycle.evolve(&state, facts[index].event)
            let event = history[index]
            let time = index == facts.count - 1 ? now ?? event.recordedAt : event.recordedAt
            let so = Array(facts[...index])
            var evidence = PaymentEvidence(folding: so)
            if let operation {
                let own = evidence.wanted
                let whole = operation.isPayment ? own.amount : nil
                evidence = PaymentEvidence(folding: so, wanted: ReplayRequest(operation, amount: whole))
            }
            let rules = try book(time)
            steps.append(
                Step(
                    position: event.position,
                    version: event.version,
                    type: event.type,
                    at: event.recordedAt,
                    actor: event.actor,
                    state: state,
                    ruling: classify(evidence, at: time, book: rules.plain),
                    whatIf: rules.other.map { classify(evidence, at: time, book: $0) }
                )
            )
        }
        self.steps = steps
    }
}
