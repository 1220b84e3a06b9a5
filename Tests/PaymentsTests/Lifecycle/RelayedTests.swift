import Payments
import Testing

@Suite("Relayed answers and the gateway's own")
struct RelayedTests {
    private static let confirmed = Reported.sale(750)
    private static let relayed = Reported.sale(750).map { $0.limited(to: .relayed) }
    private static let void = TransactionEvent.voided(Reported.part("v"))
    private static let relayedVoid = void.limited(to: .relayed)
    private static let relayedDecline = TransactionEvent.declined(Reported.verdict(.relayed))

    @Test(
        "Ends of money",
        arguments: [
            Story("a relayed void of a relayed sale", given: relayed, when: relayedVoid, then: .voided, "A750"),
            Story(
                "a relayed void of what the gateway reports",
                given: confirmed,
                when: relayedVoid,
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
            Story(
                "the reader's void of what the gateway reports",
                given: confirmed,
                when: void.limited(to: .reader),
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
            Story(
                "a relayed void, then the gateway's void of the same name",
                given: confirmed,
                when: relayedVoid,
                void,
                then: .voided,
                "A750"
            ),
            Story(
                "a relayed void, then the gateway's report of the sale, then its void of the same name",
                given: [relayedVoid],
                when: confirmed[0],
                confirmed[1],
                confirmed[2],
                void,
                then: .voided,
                "A750"
            ),
            Story(
                "a relayed part of a void",
                given: confirmed,
                when: TransactionEvent.voided(Reported.part("v", 100)).limited(to: .relayed),
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
            Story(
                "a relayed reversal of what the gateway holds",
                given: Reported.authorization(750),
                when: TransactionEvent.reversed(Reported.part("r")).limited(to: .relayed),
                then: .authorized,
                "A750",
                .followUpInDoubt
            ),
            Story(
                "a relayed reversal of a capture",
                given: confirmed,
                when: TransactionEvent.captureReversed(Reported.part(Capture.saleID)).limited(to: .relayed),
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
            Story(
                "a relayed void of a refund",
                given: confirmed + [.refunded(Reported.part("r", 200))],
                when: TransactionEvent.refundVoided(Reported.part("r")).limited(to: .relayed),
                then: .partiallyRefunded,
                "A750 C750 F200",
                .followUpInDoubt
            ),
            Story(
                "a relayed void of a credit",
                given: Reported.credit(750),
                when: relayedVoid,
                then: .credited,
                "credit750",
                .followUpInDoubt
            ),
            Story(
                "a relayed expiry",
                given: Reported.authorization(750),
                when: TransactionEvent.expired(Reported.settlement(nil)).limited(to: .relayed),
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "a relayed rejection of a settlement",
                given: confirmed,
                when: .settled(Reported.settlement(1)),
                TransactionEvent.settlementRejected(Reported.settlement(1)).limited(to: .relayed),
                then: .settled,
                "A750 C750 S750",
                .settlementMismatch
            ),
            Story(
                "a relayed void from before the closing of the batch",
                given: confirmed,
                when: .settled(Reported.settlement(1, at: Reported.time(9))),
                TransactionEvent.voided(Reported.part("v", at: Reported.time(5))).limited(to: .relayed),
                then: .settled,
                "A750 C750 S750",
                .followUpInDoubt
            ),
            Story(
                "a sale that the gateway confirmed later",
                given: relayed,
                when: confirmed[1],
                relayedVoid,
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
        ]
    )
    func ends(story: Story) { story.check() }

    @Test(
        "Verdicts",
        arguments: [
            Story(
                "a relayed decline of what the gateway approved",
                given: confirmed,
                when: relayedDecline,
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
            Story(
                "a relayed approval of what the gateway declined",
                given: [confirmed[0], .declined(Reported.verdict())],
                when: relayed[1],
                relayed[2],
                then: .declined,
                "A750",
                .conflictingOutcome,
                .captureNotAllowed
            ),
            Story(
                "a relayed approval, declined by the gateway",
                given: relayed,
                when: .declined(Reported.verdict()),
                then: .declined,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "two relayed verdicts: as with one gateway, money counts",
                given: relayed,
                when: relayedDecline,
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
            Story(
                "a relayed decline, and a gateway that does not know",
                given: [confirmed[0], relayedDecline],
                when: .outcomeUnknown(Reported.verdict()),
                then: .inDoubt
            ),
            Story(
                "the reader's decline of a relayed approval",
                given: relayed,
                when: .declined(Reported.verdict(.reader)),
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
        ]
    )
    func verdicts(story: Story) { story.check() }

    @Test("The host's side keeps the gateway's own answer, whichever came first")
    func facets() {
        let approved = TransactionEvent.authorizationApproved(Reported.approval(750, by: .relayed))
        let declined = TransactionEvent.declined(Reported.verdict())
        for facts in [[approved, declined], [declined, approved]] {
            let state = TransactionState(folding: facts)
            #expect(state.verdicts.gateway?.outcome == .declined && state.verdicts.gateway?.isRelayed == false)
            #expect(state.verdicts.current?.outcome == .declined && state.verdicts.current?.evidence == .gateway)
        }
        let relayed = TransactionState(folding: [approved]).verdicts
        #expect(relayed[.gateway]?.isRelayed == true && relayed.reader == nil)
        #expect(relayed[.relayed] == relayed[.gateway])
    }

    @Test("The anomaly names who reported what")
    func texts() {
        let events = Lifecycle.decide(
            [Self.relayedDecline],
            after: [Reported.approved(750)],
            policy: LifecyclePolicy()
        )
        #expect(
            events.contains(
                .anomalyRaised(
                    Anomaly(
                        .conflictingOutcome,
                        "the gateway reported approved, the relayed answer reports declined"
                    )
                )
            )
        )
    }

    @Test("The same batch from settlement, with its amount, raises the evidence of what a relayed closing settled")
    func settledTwice() {
        var settlement = Reported.settlement(1)
        settlement.evidence = .relayed
        var history = Lifecycle.decide(Self.relayed, after: [], policy: LifecyclePolicy())
        history += Lifecycle.decide([.settled(settlement)], after: history, policy: LifecyclePolicy())
        #expect(TransactionState(folding: history).captures.map(\.evidence) == [.relayed])
        history += Lifecycle.decide([.settled(Reported.settlement(1, 750))], after: history, policy: LifecyclePolicy())
        let state = TransactionState(folding: history)
        #expect(state.captures.map(\.evidence) == [.settlement] && state.settled == 750 && state.anomalies.isEmpty)
        // The relayed report again does not replace it.
        settlement.response = Response(code: "other")
        history += Lifecycle.decide([.settled(settlement)], after: history, policy: LifecyclePolicy())
        let last = TransactionState(folding: history)
        #expect(last.captures == state.captures && last.verdicts.settlement == state.verdicts.settlement)
    }

    @Test("A batch has the evidence of its strongest closing")
    func batches() {
        let own = BatchClosing(batch: Reported.batch(1), response: Response())
        var relayed = own
        relayed.evidence = .relayed
        #expect(BatchEvent.batchClosed(own).limited(to: .relayed) == .batchClosed(relayed))
        for closings in [[relayed, own], [own, relayed], [own]] {
            let events = BatchState.decide(closings.map { .batchClosed($0) }, after: [])
            let state = BatchState(folding: events)
            #expect(state.closing?.rankedEvidence == .settlement && state.anomalies.isEmpty)
        }
        #expect(BatchState(folding: [.batchClosed(relayed)]).closing?.rankedEvidence == .relayed)
    }

    @Test("Ranks")
    func ranks() {
        #expect(Evidence.allCases.sorted { $0.rank < $1.rank } == [.reader, .relayed, .gateway, .settlement])
        #expect(Evidence.allCases.filter(\.isOfHost) == [.relayed, .gateway])
        for evidence in Evidence.allCases {
            for limit in Evidence.allCases {
                #expect(evidence.limited(to: limit).rank == min(evidence.rank, limit.rank))
            }
        }
    }
}
