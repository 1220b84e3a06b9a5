import Payments
import Testing

/// A closing that names no amount reports that a batch was closed, and not what was in it.
@Suite("Closings without an amount")
struct InferredClosingTests {
    private static let subjects: [FollowUpInDoubt.Subject] = [
        .followUp(.void), .followUp(.reversal), .partialVoid, .anyFollowUp,
    ]

    /// The subjects in doubt after each of the facts.
    private func doubts(_ facts: [TransactionEvent]) -> [[FollowUpInDoubt.Subject]] {
        var history = Lifecycle.decide(Reported.sale(750, in: 1), after: [], policy: LifecyclePolicy())
        return facts.map { fact in
            history += Lifecycle.decide([fact], after: history, policy: LifecyclePolicy())
            return TransactionState(folding: history).anomalies.compactMap { $0.inDoubt?.subject }
        }
    }

    @Test("The order of a closing and of a doubt about an end makes no difference", arguments: subjects)
    func orders(subject: FollowUpInDoubt.Subject) {
        let doubt = TransactionEvent.anomalyRaised(.followUpInDoubt(subject))
        let closing = TransactionEvent.settled(Reported.settlement(1, at: Reported.time(9)))
        let amount = TransactionEvent.settled(Reported.settlement(1, 750, at: Reported.time(10)))
        #expect(doubts([doubt, closing, amount]) == [[subject], [subject], []])
        #expect(doubts([closing, doubt, amount]) == [[], [subject], []])
        #expect(doubts([doubt, amount]) == [[subject], []])
        #expect(doubts([closing, amount, doubt]) == [[], [], []])
        #expect(doubts([amount, closing, doubt]) == [[], [], []])
    }

    @Test("A relayed void of a payment in a closed batch is in doubt in each order")
    func relayedVoids() {
        let void = TransactionEvent.voided(Reported.part("v", at: Reported.time(5))).limited(to: .relayed)
        let closing = TransactionEvent.settled(Reported.settlement(1, at: Reported.time(9)))
        #expect(doubts([void, closing]).last == [.followUp(.void)])
        #expect(doubts([closing, void]).last == [.followUp(.void)])
    }

    @Test(
        "A void from before the closing does not take out what settlement itself reports",
        arguments: [
            Story(
                "the payment itself",
                given: Reported.sale(750, in: 1),
                when: .settled(Reported.settlement(1, at: Reported.time(9))).limited(to: .relayed),
                .settled(Reported.settlement(nil, at: Reported.time(10))),
                .voided(Reported.part("v", at: Reported.time(5))),
                then: .settled,
                "A750 C750 S750",
                .voidAfterSettlement
            ),
            Story(
                "its amount, after the closing",
                given: Reported.sale(750, in: 1),
                when: .settled(Reported.settlement(1, at: Reported.time(9))),
                .settled(Reported.settlement(1, 750, at: Reported.time(10))),
                .voided(Reported.part("v", at: Reported.time(5))),
                then: .settled,
                "A750 C750 S750",
                .voidAfterSettlement
            ),
            Story(
                "nothing but the closing",
                given: Reported.sale(750, in: 1),
                when: .settled(Reported.settlement(1, at: Reported.time(9))),
                .voided(Reported.part("v", at: Reported.time(5))),
                then: .voided,
                "A750"
            ),
        ]
    )
    func earlierVoids(story: Story) { story.check() }
}
