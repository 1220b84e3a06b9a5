import Payments
import Testing

/// Voids and closings that a till relays, beside those of other rank.
@Suite("Relayed money in batches")
struct RelayedMoneyTests {
    private static let own = Reported.sale(750, in: 1)
    private static let sale = relayed(own)
    private static let wholeVoid = TransactionEvent.voided(Reported.part("void"))
    private static let lateVoid = TransactionEvent.voided(Reported.part("void", at: Reported.time(6)))
    private static let closing = TransactionEvent.settled(Reported.settlement(1, at: Reported.time(9)))
    private static let doubt = TransactionEvent.anomalyRaised(.followUpInDoubt(.void))

    /// Settlement rejects its batch, and then a relayed closing takes the money.
    private static let rejected = settled(1) + [.settlementRejected(Reported.settlement(1))] + relayed(settled(2))
    /// A is in batch 2, B in batch 1.
    private static let captures =
        Reported.authorization(800) + [Reported.captured(300, id: "A", in: 2), Reported.captured(500, id: "B", in: 1)]
    /// Settlement itself closes the batch of A. The closing of that of B is only relayed.
    private static let mixed = captures + settled(2) + relayed(settled(1))

    private static func settled(_ batch: Int) -> [TransactionEvent] { [.settled(Reported.settlement(batch))] }

    private static func relayed(_ facts: [TransactionEvent]) -> [TransactionEvent] {
        facts.map { $0.limited(to: .relayed) }
    }

    @Test(
        "The closing of a batch does not confirm the payment",
        arguments: [
            Story(
                "after a relayed void from before the closing",
                given: sale,
                when: lateVoid.limited(to: .relayed),
                closing,
                then: .voided,
                "A750",
                .settlementMismatch
            ),
            Story(
                "before a relayed void from before the closing",
                given: sale,
                when: closing,
                lateVoid.limited(to: .relayed),
                then: .voided,
                "A750",
                .settlementMismatch
            ),
            Story(
                "after a relayed void of a part",
                given: sale,
                when: .voided(Reported.part("void", 100, at: Reported.time(6))).limited(to: .relayed),
                closing,
                then: .settled,
                "A750 C650 S650"
            ),
            Story(
                "and later the gateway reports the payment",
                given: sale,
                when: lateVoid.limited(to: .relayed),
                closing,
                own[2],
                then: .settled,
                "A750 C750 S750",
                .settlementMismatch,
                .followUpInDoubt
            ),
            Story(
                "of a payment that the gateway reports, before a relayed void from before the closing",
                given: own,
                when: closing,
                lateVoid.limited(to: .relayed),
                then: .settled,
                "A750 C750 S750",
                .followUpInDoubt
            ),
            Story(
                "of a payment that the gateway reports, before a relayed void without a time",
                given: own,
                when: closing,
                wholeVoid.limited(to: .relayed),
                then: .settled,
                "A750 C750 S750",
                .followUpInDoubt
            ),
            Story(
                "of a payment that the gateway reports, before a relayed void from after the closing",
                given: own,
                when: closing,
                .voided(Reported.part("void", at: Reported.time(10))).limited(to: .relayed),
                then: .settled,
                "A750 C750 S750",
                .voidAfterSettlement
            ),
            Story(
                "but a settlement with the amount does",
                given: sale,
                when: lateVoid.limited(to: .relayed),
                .settled(Reported.settlement(1, 750, at: Reported.time(9))),
                then: .settled,
                "A750 C750 S750",
                .voidAfterSettlement
            ),
            Story(
                "but the gateway's answer that the payment is settled does",
                given: sale,
                when: lateVoid.limited(to: .relayed),
                .settled(Reported.settlement(nil, at: Reported.time(9))).limited(to: .gateway),
                then: .settled,
                "A750 C750 S750",
                .voidAfterSettlement
            ),
        ]
    )
    func closings(story: Story) { story.check() }

    @Test(
        "A part is taken from open money first",
        arguments: [
            Story(
                "as much as is open",
                given: captures + relayed(settled(1)),
                when: .voided(Reported.part("v", 300)),
                then: .settled,
                "A800 C500 S500"
            ),
            Story(
                "more than is open",
                given: captures + relayed(settled(1)),
                when: .voided(Reported.part("v", 400)),
                then: .settled,
                "A800 C400 S400",
                .settlementMismatch
            ),
            Story(
                "where nothing is open",
                given: own + relayed(settled(1)),
                when: .voided(Reported.part("v", 100)),
                then: .settled,
                "A750 C650 S650",
                .settlementMismatch
            ),
            Story(
                "from before a relayed closing",
                given: sale + relayed([closing]),
                when: .voided(Reported.part("v", 100, at: Reported.time(6))),
                then: .settled,
                "A750 C650 S650"
            ),
        ]
    )
    func parts(story: Story) { story.check() }

    @Test(
        "Whether a closing is relayed is known of each line",
        arguments: [
            Story(
                "the gateway's void after settlement rejected its own batch",
                given: own + rejected,
                when: wholeVoid,
                then: .voided,
                "A750",
                .settlementMismatch
            ),
            Story(
                "a doubt about the void after settlement rejected its own batch",
                given: own + rejected,
                when: doubt,
                then: .settled,
                "A750 C750 S750",
                .followUpInDoubt
            ),
            Story(
                "a relayed void after settlement rejected its own batch",
                given: own + rejected,
                when: wholeVoid.limited(to: .relayed),
                then: .settled,
                "A750 C750 S750",
                .followUpInDoubt
            ),
            Story(
                "the gateway's void of two captures",
                given: mixed,
                when: wholeVoid,
                then: .settled,
                "A800 C300 S300",
                .settlementMismatch,
                .voidAfterSettlement
            ),
            Story(
                "a doubt about the void of two captures",
                given: mixed,
                when: doubt,
                then: .settled,
                "A800 C800 S800",
                .followUpInDoubt
            ),
            Story(
                "a relayed void of two captures",
                given: mixed,
                when: wholeVoid.limited(to: .relayed),
                then: .settled,
                "A800 C800 S800",
                .followUpInDoubt
            ),
            Story(
                "a doubt about the void, before settlement takes one of two captures",
                given: captures + relayed(settled(1)) + [doubt],
                when: settled(2)[0],
                then: .settled,
                "A800 C800 S800",
                .followUpInDoubt
            ),
            Story(
                "a relayed rejection of the relayed batch",
                given: mixed,
                when: .settlementRejected(Reported.settlement(1)).limited(to: .relayed),
                then: .settlementRejected,
                "A800 C800 S300"
            ),
            Story(
                "a relayed rejection of settlement's own batch",
                given: mixed,
                when: .settlementRejected(Reported.settlement(2)).limited(to: .relayed),
                then: .settled,
                "A800 C800 S800",
                .settlementMismatch
            ),
            Story(
                "a capture in a batch whose closing is only relayed, and the gateway's void of it",
                given: Reported.authorization(800) + [Reported.captured(300, id: "A", in: 2)] + settled(2)
                    + relayed(settled(1)),
                when: Reported.captured(500, id: "B", in: 1),
                .captureReversed(Reported.part("B")),
                then: .settled,
                "A800 C300 S300",
                .settledTwice,
                .settlementMismatch
            ),
            Story(
                "settlement's own closing of the relayed batch",
                given: own + relayed(settled(1)) + settled(1),
                when: wholeVoid,
                then: .settled,
                "A750 C750 S750",
                .voidAfterSettlement
            ),
        ]
    )
    func lines(story: Story) { story.check() }
}
