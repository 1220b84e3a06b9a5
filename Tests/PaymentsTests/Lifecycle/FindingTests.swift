import DaybookTestKit
import Payments
import TestFacts
import Testing

/// The findings about facts that are recorded as they were reported, compared with what `decide` records.
@Suite struct FindingTests {
    private static let lives = 400

    @Test func aFactRaisesWhatItRaisesInADocument() throws {
        for range in [FactGenerator.Range.plausible, .extreme] {
            var generator = FactGenerator(.forTest("\(#function) \(range)"), range)
            let seed = Comment("DAYBOOK_TEST_SEED=\(generator.random.seed)")
            for _ in 0..<Self.lives {
                let life = generator.life()
                let fact = generator.fact()
                let decided = Lifecycle.decide([fact], after: life.history, policy: life.policy)
                guard decided.first == fact else { continue }
                var history = PaymentHistory(life.history)
                let found = Lifecycle.findings(in: [fact], clearing: true, after: &history, policy: life.policy)
                try #require(found == Array(decided.dropFirst()), seed)
            }
        }
    }

    /// Whatever is reported, the history is that of the events as they are recorded, and a till clears nothing.
    @Test func theHistoryIsThatOfTheRecordedEvents() throws {
        for clears in [true, false] {
            var generator = FactGenerator(.forTest("\(#function) \(clears)"), .extreme)
            let seed = Comment("DAYBOOK_TEST_SEED=\(generator.random.seed)")
            for _ in 0..<Self.lives {
                let policy = generator.life().policy
                var history = PaymentHistory()
                var recorded: [TransactionEvent] = []
                for _ in 0..<6 {
                    var facts = (0..<3).map { _ in generator.fact() }
                    if generator.chance(20), let repeated = recorded.randomElement(using: &generator.random) {
                        facts.append(repeated)
                    }
                    let flags = generator.chance(20) ? [Anomaly(.implausibleTime, "early")] : []
                    let found = Lifecycle.findings(
                        in: facts,
                        flags: flags,
                        clearing: clears,
                        after: &history,
                        policy: policy
                    )
                    recorded += facts + found
                    try #require(history.state == TransactionState(folding: recorded), seed)
                    try #require(history.version == Int64(recorded.count), seed)
                    for event in found {
                        switch event {
                        case .anomalyRaised(let anomaly): try #require(!facts.contains(.anomalyRaised(anomaly)), seed)
                        case .anomalyCleared: try #require(clears, seed)
                        default: Issue.record("\(event.type) is no finding")
                        }
                    }
                    for flag in flags { try #require(history.state.anomalies.contains(flag), seed) }
                }
            }
        }
    }
}
