package import Canonical
package import Payments
package import Replay
package import ReplayRules

/// A payment event by event, with the ruling after each event.
package struct ReplayHistoryJSON: Codable, Sendable, Hashable {
    package struct State: Codable, Sendable, Hashable {
        package var status: TransactionStatus
        package var operation: Operation?
        package var requested: Money?
        package var authorized: Money?
        package var captured: Money?
        package var refunded: Money?
        package var inDoubt: Bool
        package var anomalies: [Anomaly.Kind]
    }

    package struct Step: Codable, Sendable, Hashable {
        package var position: Int64
        package var version: Int64
        package var type: String
        package var at: Timestamp
        package var actor: String
        package var state: State
        package var ruling: RulingJSON
        package var whatIf: RulingJSON?
    }

    package var transaction: UUID128
    package var operation: ReplayOperation?
    package var earlier: Int64
    package var steps: [Step]

    package init(_ history: ReplayHistory, of transaction: UUID128) {
        self.transaction = transaction
        operation = history.operation
        earlier = Int64(history.earlier)
        steps = history.steps.map(Step.init)
    }
}

extension ReplayHistoryJSON.Step {
    fileprivate init(_ step: ReplayHistory.Step) {
        position = step.position
        version = step.version
        type = step.type
        at = step.at
        actor = step.actor
        state = ReplayHistoryJSON.State(step.state)
        ruling = RulingJSON(step.ruling)
        whatIf = step.whatIf.map(RulingJSON.init)
    }
}

extension ReplayHistoryJSON.State {
    fileprivate init(_ state: TransactionState) {
        func money(_ value: Int64?) -> Money? {
            guard let value, value != 0, let currency = state.currency else { return nil }
            return Money(value, currency)
        }
        status = state.status
        operation = state.operation
        requested = money(state.authorization.requested)
        authorized = money(state.authorized)
        captured = money(state.captured)
        refunded = money(state.refunded)
        inDoubt = state.isInDoubt
        anomalies = state.anomalies.map(\.kind)
    }
}

/// The disposition of a payment or follow-up, and its reason.
package struct RulingJSON: Codable, Sendable, Hashable {
    package var disposition: Disposition.Name
    package var rule: String
    package var evidence: [Int64]
    package var explanation: String?
    package var until: Timestamp?
    package var instead: ReplayOperation?

    package init(_ ruling: Ruling) {
        disposition = ruling.disposition.name
        rule = ruling.rule
        evidence = ruling.evidence
        explanation = ReplayRule.meaning(of: ruling.rule)
        until = ruling.disposition.until
        instead = ruling.instead
    }
}
