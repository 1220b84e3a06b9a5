import Payments
import Testing

/// One row of a given-when-then table: observations in sequence and their result. Amounts are cents.
struct Story: Sendable, CustomTestStringConvertible {
    let name: String
    let policy: LifecyclePolicy
    let observations: [[TransactionEvent]]
    let status: TransactionStatus
    let amounts: String
    let anomalies: [Anomaly.Kind]

    var testDescription: String { name }

    /// - Parameters:
    ///   - facts: One observation each.
    ///   - amounts: The amounts that are not zero, in the order A C T F K S due funded: `A750 C950 T200`.
    init(
        _ name: String,
        given: [TransactionEvent] = [],
        when facts: TransactionEvent...,
        policy: LifecyclePolicy = LifecyclePolicy(),
        then status: TransactionStatus,
        _ amounts: String = "",
        _ anomalies: Anomaly.Kind...
    ) {
        self.name = name
        self.policy = policy
        observations = (given.isEmpty ? [] : [given]) + facts.map { [$0] }
        self.status = status
        self.amounts = amounts
        self.anomalies = anomalies
    }

    /// The events recorded from all observations.
    var history: [TransactionEvent] {
        observations.reduce(into: []) { history, facts in
            history += Lifecycle.decide(facts, after: history, policy: policy)
        }
    }

    func check() {
        let history = history
        let state = TransactionState(folding: history)
        #expect(state.status == status)
        #expect(state.amountsText == amounts)
        #expect(state.anomalies.map(\.kind) == anomalies)
        #expect(state.version == Int64(history.count))
        #expect(state.remaining == state.captured - state.refunded)
        // A repeated observation adds nothing, alone or together with others.
        for facts in observations {
            #expect(Lifecycle.decide(facts, after: history, policy: policy).isEmpty)
        }
    }
}

extension TransactionState {
    /// The amounts that are not zero: `A750 C950 T200`.
    var amountsText: String {
        let all = [
            ("A", authorized), ("C", captured), ("T", tips), ("F", refunded), ("K", chargedBack), ("S", settled),
            ("credit", credited), ("due", due), ("funded", settlement.funded),
        ]
        return all.filter { $0.1 != 0 }.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}
