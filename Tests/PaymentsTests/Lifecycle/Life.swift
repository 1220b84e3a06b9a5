import Canonical
import DaybookTestKit
import Payments
import TestFacts

extension FactGenerator {
    mutating func policy() -> LifecyclePolicy {
        LifecyclePolicy(
            overcaptureBasisPoints: pick([0, 0, 2_000, 10_000]),
            tipExceedsAuthorization: chance(50),
            capturesOnce: chance(50)
        )
    }

    /// The life of a payment: observations of one to three facts each.
    mutating func life() -> Life {
        var life = Life(policy: policy())
        for _ in 0..<Int.random(in: 1...10, using: &random) {
            let facts = (0..<Int.random(in: 1...3, using: &random)).map { _ in fact() }
            life.observe(chance(10) ? facts + [.documentReceived(Reported.document)] : facts)
        }
        return life
    }
}

/// The observations of one payment and the events recorded from them, step by step.
struct Life {
    struct Step {
        var facts: [TransactionEvent]
        var events: [TransactionEvent]
        var before: TransactionState
        var after: TransactionState
    }

    let policy: LifecyclePolicy
    private(set) var steps: [Step] = []
    private(set) var history: [TransactionEvent] = []

    init(policy: LifecyclePolicy) { self.policy = policy }

    mutating func observe(_ facts: [TransactionEvent]) {
        let before = steps.last?.after ?? TransactionState()
        let events = Lifecycle.decide(facts, after: history, policy: policy)
        var after = before
        for event in events { Lifecycle.evolve(&after, event) }
        history += events
        steps.append(Step(facts: facts, events: events, before: before, after: after))
    }

    /// Every kind of anomaly ever raised.
    var raised: Set<Anomaly.Kind> {
        Set(history.compactMap { if case .anomalyRaised(let anomaly) = $0 { anomaly.kind } else { nil } })
    }
}

extension TransactionState {
    func has(_ kind: Anomaly.Kind) -> Bool { anomalies.contains { $0.kind == kind } }
}

extension Reported {
    static let document = DocumentReceived(vendor: .handpoint, kind: "TransactionResult", document: [:], redactions: [])
}
