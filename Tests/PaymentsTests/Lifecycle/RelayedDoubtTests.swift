import Payments
import Testing

/// Documents of a till, against what the gateway itself left unknown or in doubt.
@Suite("Relayed answers and doubts")
struct RelayedDoubtTests {
    private static let requested = TransactionEvent.saleRequested(Reported.request(750))
    private static let unknown = TransactionEvent.outcomeUnknown(Reported.verdict(at: Reported.time(5)))
    private static let declined = TransactionEvent.declined(Reported.verdict(.relayed, at: Reported.time(10)))

    @Test(
        "What the gateway itself left unknown",
        arguments: [
            Story(
                "a till that was told of no payment",
                given: [requested, unknown],
                when: Reported.resolved(.notPosted, .statusQuery, by: .relayed),
                then: .inDoubt
            ),
            Story(
                "a till that found a decline",
                given: [requested, unknown],
                when: Reported.resolved(.declined, .find, by: .relayed),
                then: .inDoubt
            ),
            Story(
                "a till that found the payment",
                given: [requested, unknown],
                when: Reported.resolved(.approved, .find, 750, by: .relayed),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "what the till left unknown before it",
                given: [requested, unknown.limited(to: .relayed)],
                when: unknown,
                Reported.resolved(.notPosted, .statusQuery, by: .relayed),
                declined,
                then: .inDoubt
            ),
            Story("a till's decline before it", given: [requested, declined], when: unknown, then: .inDoubt),
            Story("a till's decline after it", given: [requested, unknown], when: declined, then: .inDoubt),
            Story(
                "what the till itself left unknown",
                given: [requested, unknown.limited(to: .relayed)],
                when: Reported.resolved(.notPosted, .statusQuery, by: .relayed),
                then: .notPosted
            ),
            Story(
                "the gateway's own answer",
                given: [requested, unknown],
                when: Reported.resolved(.notPosted, .statusQuery),
                then: .notPosted
            ),
        ]
    )
    func unknowns(story: Story) { story.check() }

    /// The anomalies after each of the facts.
    private func anomalies(_ given: [TransactionEvent], then facts: [TransactionEvent]) -> [[Anomaly]] {
        var history = Lifecycle.decide(given, after: [], policy: LifecyclePolicy())
        return facts.map { fact in
            history += Lifecycle.decide([fact], after: history, policy: LifecyclePolicy())
            return TransactionState(folding: history).anomalies
        }
    }

    @Test("A reversal that is due stays due until the gateway itself answers")
    func reversals() {
        var said = Reported.verdict()
        said.said = .approved
        let due = TransactionEvent.anomalyRaised(Anomaly(.reversalDue, "the terminal failed"))
        let cases: [(TransactionEvent, TransactionEvent)] = [
            (.outcomeUnknown(said), .declined(Reported.verdict())),
            (Reported.approved(750), Reported.resolved(.notPosted, .statusQuery)),
            (.outcomeUnknown(said), .reversed(Reported.part("r"))),
        ]
        for (answer, end) in cases {
            let found = anomalies(
                [.authorizationRequested(Reported.request(750)), answer, due],
                then: [end.limited(to: .relayed), end]
            )
            #expect(found[0].contains { $0.kind == .reversalDue }, "\(end)")
            #expect(!found[1].contains { $0.kind == .reversalDue }, "\(end)")
        }
    }

    @Test("A doubt about a refund ends by what the gateway itself or settlement reports")
    func refunds() {
        let refund = TransactionEvent.refunded(Reported.part("r", 200))
        let sale = Reported.sale(750) + [.settled(Reported.settlement(1))]
        let further = anomalies(
            sale + [refund, .anomalyRaised(.followUpInDoubt(.refund))],
            then: [
                .settled(Reported.settlement(2)).limited(to: .relayed),
                .settled(Reported.settlement(2, 200)),
            ]
        )
        #expect(further[0].map(\.inDoubt) == [FollowUpInDoubt(.refund)])
        #expect(further[1].allSatisfy { $0.inDoubt == nil })
        let found = anomalies(
            sale + [.anomalyRaised(.followUpInDoubt(.foundRefund))],
            then: [refund.limited(to: .relayed), refund]
        )
        #expect(found[0].contains { $0.inDoubt?.subject == .foundRefund })
        #expect(!found[1].contains { $0.inDoubt?.subject == .foundRefund })
    }

    private static let otherBatch = [
        TransactionEvent.settled(Reported.settlement(1)).limited(to: .relayed), .settled(Reported.settlement(2, 750)),
    ]

    @Test(
        "Settlement in another batch than a relayed closing names",
        arguments: [
            Story(
                "and the gateway's void",
                given: Reported.sale(750),
                when: otherBatch[0],
                otherBatch[1],
                .voided(Reported.part("v")),
                then: .settled,
                "A750 C750 S750",
                .settledTwice,
                .voidAfterSettlement
            ),
            Story(
                "and its rejection",
                given: Reported.sale(750),
                when: otherBatch[0],
                otherBatch[1],
                .settlementRejected(Reported.settlement(2)),
                then: .settlementRejected,
                "A750 C750",
                .settledTwice
            ),
            Story(
                "and a part that is open, with a relayed void",
                given: Reported.authorization(750) + [
                    Reported.captured(300, id: "a", in: 1), Reported.captured(450, id: "b", in: 2),
                ],
                when: .settled(Reported.settlement(1, 300)),
                .voided(Reported.part("v")).limited(to: .relayed),
                then: .settled,
                "A750 C750 S300",
                .followUpInDoubt
            ),
        ]
    )
    func settlements(story: Story) { story.check() }

    @Test("A batch that closes gives no rank to an amount that is only relayed")
    func inferredClosings() {
        let relayed = Reported.sale(7500, in: 1).map { $0.limited(to: .relayed) }
        let closing = TransactionEvent.settled(Reported.settlement(1))
        var history: [TransactionEvent] = []
        for facts in [relayed, [closing], Array(Reported.sale(750, in: 1).dropFirst())] {
            history += Lifecycle.decide(facts, after: history, policy: LifecyclePolicy())
        }
        let corrected = TransactionState(folding: history)
        #expect(corrected.amountsText == "A750 C750 S750")
        #expect(corrected.anomalies.contains { $0.kind == .conflictingAmount })
        history = []
        for facts in [relayed, [closing], [.declined(Reported.verdict())]] {
            history += Lifecycle.decide(facts, after: history, policy: LifecyclePolicy())
        }
        let declined = TransactionState(folding: history)
        #expect(declined.captured == 0)
        #expect(declined.anomalies.contains { $0.kind == .conflictingOutcome })
    }

    @Test("A relayed closing of a batch is no evidence beside a statement line")
    func statementLines() {
        let line = Reported.resolved(.approved, .settlementLine, 750, by: .settlement)
        let closing = TransactionEvent.settled(Reported.settlement(1))
        #expect(TransactionState.restsOnStatementLine([line, closing.limited(to: .relayed)]))
        #expect(!TransactionState.restsOnStatementLine([line, closing]))
    }

    @Test("The gateway's own closing of a batch takes nothing over from a relayed one")
    func closings() {
        let relayed = BatchClosing(
            batch: Reported.batch(1),
            settlement: "s-1",
            response: Response(code: "0"),
            totals: HostTotals(net: Reported.usd(500)),
            evidence: .relayed,
            at: Reported.time(1)
        )
        let own = BatchClosing(batch: Reported.batch(1), response: Response(), at: Reported.time(9))
        for facts in [[relayed, own], [own, relayed]] {
            let events = facts.reduce(into: [BatchEvent]()) { history, closing in
                history += BatchState.decide([.batchClosed(closing)], after: history)
            }
            #expect(BatchState(folding: events).closing == own)
        }
    }
}
