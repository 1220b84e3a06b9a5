import Payments
import Testing

/// Voids, closings and amounts that a till relays, beside what the gateway itself reports.
@Suite("Relayed ends, closings and amounts")
struct RelayedEndTests {
    private static let confirmed = Reported.sale(750)
    private static let sale = confirmed.map { $0.limited(to: .relayed) }
    private static let void = TransactionEvent.voided(Reported.part("void"))
    private static let closing = TransactionEvent.settled(Reported.settlement(1)).limited(to: .relayed)

    @Test(
        "Relayed closings",
        arguments: [
            Story(
                "the gateway's void, after a relayed one of the same name and a relayed closing",
                given: confirmed,
                when: closing,
                void.limited(to: .relayed),
                void,
                then: .voided,
                "A750",
                .settlementMismatch
            ),
            Story(
                "a relayed void of what a relayed closing settled",
                given: confirmed,
                when: closing,
                void.limited(to: .relayed),
                then: .settled,
                "A750 C750 S750",
                .followUpInDoubt
            ),
            Story(
                "a relayed void of what settlement itself reports",
                given: confirmed,
                when: .settled(Reported.settlement(1, 750)),
                void.limited(to: .relayed),
                then: .settled,
                "A750 C750 S750",
                .voidAfterSettlement
            ),
            Story(
                "a relayed void of a refund, after settlement of the sale",
                given: confirmed,
                when: .settled(Reported.settlement(1)),
                .refunded(Reported.part("r", 200)),
                .refundVoided(Reported.part("r")).limited(to: .relayed),
                then: .partiallyRefunded,
                "A750 C750 F200 S750",
                .followUpInDoubt
            ),
            Story(
                "the gateway's capture alone, after a relayed void",
                given: sale,
                when: void.limited(to: .relayed),
                Reported.captured(750, id: "other"),
                then: .captured,
                "A750 C1500",
                .followUpInDoubt,
                .captureExceedsAuthorization
            ),
            Story(
                "the gateway's reversal of what a relayed closing settled",
                given: confirmed,
                when: closing,
                .reversed(Reported.part("r")),
                then: .reversed,
                "",
                .settlementMismatch
            ),
            Story(
                "the gateway's reversal of a capture that a relayed closing settled",
                given: confirmed,
                when: closing,
                .captureReversed(Reported.part(Capture.saleID)),
                then: .authorized,
                "A750",
                .settlementMismatch
            ),
            Story(
                "a part of what a relayed closing settled",
                given: confirmed,
                when: closing,
                .voided(Reported.part("v", 100)),
                then: .settled,
                "A750 C650 S650",
                .settlementMismatch
            ),
            Story(
                "a rejection from below settlement's rank",
                given: confirmed,
                when: closing,
                .settlementRejected(Reported.settlement(1)).limited(to: .relayed),
                then: .settlementRejected,
                "A750 C750"
            ),
        ]
    )
    func closings(story: Story) { story.check() }

    @Test("Only settlement itself ends the doubt about an outranked end", arguments: [Evidence.relayed, .settlement])
    func doubts(evidence: Evidence) {
        let settled = TransactionEvent.settled(Reported.settlement(1, 750)).limited(to: evidence)
        let ends: [([TransactionEvent], TransactionEvent)] = [
            (Self.confirmed, Self.void),
            (Self.confirmed, .voided(Reported.part("v", 100))),
            (Self.confirmed, .reversed(Reported.part("r"))),
            (Self.confirmed, .captureReversed(Reported.part("c"))),
            (Self.confirmed + [.refunded(Reported.part("f", 100))], .refundVoided(Reported.part("f"))),
            (Reported.credit(750), .refundVoided(Reported.part("f"))),
        ]
        for (money, end) in ends {
            var history = Lifecycle.decide(money, after: [], policy: LifecyclePolicy())
            history += Lifecycle.decide([end.limited(to: .relayed)], after: history, policy: LifecyclePolicy())
            let doubt = TransactionState(folding: history).anomalies.first
            #expect(doubt?.kind == .followUpInDoubt, "\(end)")
            history += Lifecycle.decide([settled], after: history, policy: LifecyclePolicy())
            let isRefund = doubt?.inDoubt?.refund != nil && money.count > 3
            if isRefund {
                // The first closing takes the sale, the next one the refund.
                let next = TransactionEvent.settled(Reported.settlement(2, 100)).limited(to: evidence)
                history += Lifecycle.decide([next], after: history, policy: LifecyclePolicy())
            }
            let state = TransactionState(folding: history)
            #expect(state.isInDoubt == (evidence == .relayed), "\(end) \(state.anomalies)")
            // The same doubt, reported after the closing.
            guard let doubt else { continue }
            let again = history.filter { $0 != .anomalyRaised(doubt) && $0 != .anomalyCleared(doubt) }
            let raised = Lifecycle.decide([.anomalyRaised(doubt)], after: again, policy: LifecyclePolicy())
            #expect(raised.isEmpty == (evidence == .settlement), "\(end)")
        }
    }

    @Test("A relayed document ends no doubt about the end of what the gateway reports", arguments: [true, false])
    func clearing(isRelayed: Bool) {
        let limit: Evidence = isRelayed ? .relayed : .settlement
        let cleared = [FollowUpInDoubt(.void), FollowUpInDoubt(.paymentAttempt), FollowUpInDoubt(.anyFollowUp)]
            .map { TransactionEvent.anomalyCleared(.followUpInDoubt($0)) }
        let recovered = ([Self.void] + cleared).map { $0.limited(to: limit) }
        let refused = ([.followUpRefused(FollowUpRefusal(.void, outcome: .declined, evidence: .gateway))] + cleared)
            .map { $0.limited(to: limit) }
        for document in [recovered, refused] {
            for doubts in [[], [TransactionEvent.anomalyRaised(.followUpInDoubt(.void))]] {
                var history = Lifecycle.decide(Self.confirmed + doubts, after: [], policy: LifecyclePolicy())
                history += Lifecycle.decide(document, after: history, policy: LifecyclePolicy())
                let state = TransactionState(folding: history)
                let isVoid = document == recovered
                #expect(state.isInDoubt == (isRelayed && (isVoid || !doubts.isEmpty)))
                #expect(state.captured == (isVoid && !isRelayed ? 0 : 750))
            }
        }
        // About its own payment, a till does.
        let own = Self.sale + [.anomalyRaised(.followUpInDoubt(.void))]
        let history = Lifecycle.decide(own, after: [], policy: LifecyclePolicy())
        #expect(Lifecycle.decide(refused, after: history, policy: LifecyclePolicy()).contains(cleared[0]))
    }

    @Test(
        "What came before its payment, by rank",
        arguments: [
            Story(
                "a relayed reversal of a capture, before the gateway's sale",
                given: [.captureReversed(Reported.part(Capture.saleID)).limited(to: .relayed)],
                when: confirmed[1],
                confirmed[2],
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
            Story(
                "a relayed reversal of a capture, before a relayed sale",
                given: [.captureReversed(Reported.part(Capture.saleID)).limited(to: .relayed)],
                when: sale[1],
                sale[2],
                then: .authorized,
                "A750"
            ),
            Story(
                "a relayed void of a refund, before the gateway's refund",
                given: confirmed,
                when: .refundVoided(Reported.part("r")).limited(to: .relayed),
                .refunded(Reported.part("r", 200)),
                then: .partiallyRefunded,
                "A750 C750 F200",
                .followUpInDoubt
            ),
            Story(
                "a relayed void of a relayed refund, before the gateway's report of it",
                given: confirmed + [.refunded(Reported.part("r", 200)).limited(to: .relayed)],
                when: .refundVoided(Reported.part("r")).limited(to: .relayed),
                .refunded(Reported.part("r", 250)),
                then: .partiallyRefunded,
                "A750 C750 F250",
                .conflictingAmount,
                .followUpInDoubt
            ),
            Story(
                "a relayed void of a relayed refund",
                given: confirmed,
                when: .refundVoided(Reported.part("r")).limited(to: .relayed),
                .refunded(Reported.part("r", 200)).limited(to: .relayed),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "a relayed reversal of a chargeback that the gateway reports",
                given: confirmed,
                when: .chargedBack(Reported.part("k", 750)),
                .chargebackReversed(Reported.part("k")).limited(to: .relayed),
                then: .chargedBack,
                "A750 C750 K750",
                .conflictingOutcome
            ),
            Story(
                "the same, before the chargeback, and then the gateway's own",
                given: confirmed,
                when: .chargebackReversed(Reported.part("k")).limited(to: .relayed),
                .chargedBack(Reported.part("k", 750)),
                .chargebackReversed(Reported.part("k")),
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
            Story(
                "a relayed void of a credit, before the gateway's credit",
                given: [.refundVoided(Reported.part("r")).limited(to: .relayed)],
                when: Reported.credit(750)[0],
                Reported.credit(750)[1],
                then: .credited,
                "credit750",
                .followUpInDoubt
            ),
            Story(
                "a relayed void of a relayed credit, before the gateway's report of it",
                given: [.refundVoided(Reported.part("r")).limited(to: .relayed)],
                when: Reported.credit(700)[1].limited(to: .relayed),
                Reported.credit(750)[1],
                then: .credited,
                "credit750",
                .conflictingAmount,
                .followUpInDoubt
            ),
            Story(
                "a relayed expiry, before the gateway's approval",
                given: [.expired(Reported.settlement(nil)).limited(to: .relayed)],
                when: confirmed[1],
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
        ]
    )
    func early(story: Story) { story.check() }

    @Test(
        "The gateway's amount replaces a relayed one",
        arguments: [
            Story(
                "of a sale",
                given: sale,
                when: Reported.approved(500),
                Reported.captured(500, id: Capture.saleID),
                then: .captured,
                "A500 C500",
                .conflictingAmount,
                .conflictingAmount
            ),
            Story(
                "and not the other way round",
                given: Reported.sale(500),
                when: sale[1],
                sale[2],
                then: .captured,
                "A500 C500",
                .conflictingAmount,
                .conflictingAmount
            ),
            Story(
                "of a sale with an adjusted tip",
                given: sale + [Reported.tip(100).limited(to: .relayed)],
                when: Reported.captured(500, id: Capture.saleID),
                then: .captured,
                "A750 C600 T100",
                .conflictingAmount
            ),
            Story(
                "with a tip",
                given: sale,
                when: Reported.captured(850, tip: 100, id: Capture.saleID),
                then: .captured,
                "A750 C850 T100",
                .conflictingAmount,
                .captureExceedsAuthorization
            ),
            Story(
                "of a tender",
                given: [Reported.tender(700).limited(to: .relayed)],
                when: Reported.tender(500),
                then: .captured,
                "A500 C500",
                .conflictingAmount
            ),
        ]
    )
    func amounts(story: Story) { story.check() }

    @Test("Of two different closings the gateway's own stands, and a relayed one does not end a failure silently")
    func batches() {
        var own = BatchClosing(batch: Reported.batch(1), settlement: "s-2", response: Response())
        var relayed = own
        relayed.settlement = "s-1"
        relayed.evidence = .relayed
        for closings in [[relayed, own], [own, relayed]] {
            let state = BatchState(folding: BatchState.decide(closings.map { .batchClosed($0) }, after: []))
            #expect(state.closing == own && state.anomalies.map(\.kind) == [.batchMismatch])
        }
        own.settlement = nil
        let failed = BatchState.decide([.batchCloseFailed(own), .batchClosed(relayed)], after: [])
        #expect(BatchState(folding: failed).anomalies.map(\.kind) == [.batchMismatch])
        var failure = relayed
        failure.settlement = nil
        for closing in [own, relayed] {
            let retried = BatchState.decide([.batchCloseFailed(failure), .batchClosed(closing)], after: [])
            #expect(BatchState(folding: retried).anomalies.isEmpty)
        }
    }
}
