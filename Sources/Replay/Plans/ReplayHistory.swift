package import Canonical
package import EventLog
import Gateways
import Intake
package import Payments
package import ReplayRules
import Vendors

/// A payment event by event: the state after each event, and the ruling of that day's rules.
package struct ReplayHistory: Sendable {
    /// The state and ruling after one event.
    package struct Step: Sendable {
        package var position: Int64
        package var version: Int64
        package var type: String
        package var at: Timestamp
        package var actor: String
        package var state: TransactionState
        package var ruling: Ruling
        /// The ruling by the requested other rules.
        package var whatIf: Ruling?
    }

    /// The most events in `steps`; of a longer history, the last ones.
    package static let most = 200

    package var steps: [Step]
    /// The number of events before the first step.
    package var earlier: Int
    package var operation: ReplayOperation?

    /// - Parameters:
    ///   - history: Every event of the payment's stream up to the requested time, in order.
    ///   - operation: The operation to resubmit; nil for the payment itself, or for the reversal if one is due.
    ///   - configured: The service's overrides, as `rule=value`, which current decisions use.
    ///   - queriesOnlyStandIns: True when all gateways are stand-ins: then the rules against charging twice may be
    ///     shortened.
    ///   - overrides: The requested overrides, as `rule=value`; they take precedence over the configured ones.
    ///   - now: The time at which the last event is judged, because nothing was recorded since; nil for the event's
    ///     own time.
    /// - Throws: `RuleBookError`, and an error for an event that cannot be read.
    package init(
        _ history: [RecordedEvent],
        operation: ReplayOperation? = nil,
        configured: [String] = [],
        queriesOnlyStandIns: Bool = false,
        overrides: [String] = [],
        now: Timestamp? = nil
    ) throws {
        self.operation = operation
        let facts = try history.map(RecordedFact.init)
        let first = max(0, facts.count - Self.most)
        earlier = first
        func id(_ override: String) -> Substring { override.prefix { $0 != "=" } }
        let asked = Set(overrides.map(id))
        let others = configured.filter { !asked.contains(id($0)) } + overrides
        var books: [CivilDate: (plain: RuleBook, other: RuleBook?)] = [:]
        func book(_ time: Timestamp) throws -> (plain: RuleBook, other: RuleBook?) {
            if let known = books[time.civilDate] { return known }
            let made = (
                plain: try RuleBook(asOf: time, overriding: configured, queriesOnlyStandIns: queriesOnlyStandIns),
                other: overrides.isEmpty
                    ? nil : try RuleBook(asOf: time, overriding: others, queriesOnlyStandIns: queriesOnlyStandIns)
            )
            books[time.civilDate] = made
            return made
        }
        // Errors in the requested rules are thrown even if there is nothing to judge.
        if let now, !overrides.isEmpty { _ = try book(now) }
        var state = TransactionState(recorded: facts[..<first])
        var steps: [Step] = []
        for index in first..<facts.count {
            state.fold(facts[index])
            let event = history[index]
            let time = index == facts.count - 1 ? now ?? event.recordedAt : event.recordedAt
            let so = Array(facts[...index])
            var evidence = PaymentEvidence(folding: so, codes: VendorAdapters.code)
            if let operation {
                let own = evidence.wanted
                let whole = operation.isPayment ? own.amount : nil
                evidence = PaymentEvidence(
                    folding: so,
                    wanted: ReplayRequest(operation, amount: whole),
                    codes: VendorAdapters.code
                )
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
