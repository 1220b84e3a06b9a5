import Payments
import Testing

@Suite("Contradictions are recorded and flagged")
struct ContradictionTests {
    private static let declined: [TransactionEvent] = [
        .saleRequested(Reported.request(750)), .declined(Reported.verdict()),
    ]
    private static let settled = Reported.sale(1000, in: 1) + [.settled(Reported.settlement(1))]
    private static let settledLater =
        Reported.sale(1000, in: 1) + [.settled(Reported.settlement(1, at: Reported.time(90)))]

    @Test(
        "Never legal",
        arguments: [
            Story(
                "capture of declined",
                given: declined,
                when: Reported.captured(750),
                then: .declined,
                "",
                .captureNotAllowed
            ),
            Story(
                "capture of voided",
                given: Reported.authorization(750),
                when: .voided(Reported.part("v")),
                Reported.captured(750),
                then: .voided,
                "A750",
                .captureNotAllowed
            ),
            Story(
                "capture of reversed",
                given: Reported.authorization(750),
                when: .reversed(Reported.part("r")),
                Reported.captured(750),
                then: .reversed,
                "",
                .captureNotAllowed
            ),
            Story(
                "a settlement proves a capture that should not be",
                given: Reported.authorization(750),
                when: .voided(Reported.part("v")),
                Reported.captured(750, by: .settlement),
                then: .captured,
                "A750 C750",
                .captureNotAllowed
            ),
            Story(
                "late presentment of expired",
                given: Reported.authorization(750),
                when: .expired(Reported.settlement(nil)),
                Reported.captured(750),
                then: .captured,
                "A750 C750",
                .captureNotAllowed
            ),
            Story(
                "void after settlement",
                given: settled,
                when: .voided(Reported.part("v")),
                then: .settled,
                "A1000 C1000 S1000",
                .voidAfterSettlement
            ),
            Story(
                "void of a part after settlement",
                given: settled,
                when: .voided(Reported.part("v", 400)),
                then: .settled,
                "A1000 C1000 S1000",
                .voidAfterSettlement
            ),
            Story(
                "void reported after the batch that it came before",
                given: settledLater,
                when: .voided(Reported.part("v", at: Reported.time(89))),
                then: .voided,
                "A1000"
            ),
            Story(
                "void made after the batch was closed",
                given: settledLater,
                when: .voided(Reported.part("v", at: Reported.time(90))),
                then: .settled,
                "A1000 C1000 S1000",
                .voidAfterSettlement
            ),
            Story(
                "reversal after settlement",
                given: settled,
                when: .reversed(Reported.part("v")),
                then: .settled,
                "C1000 S1000",
                .voidAfterSettlement,
                .captureExceedsAuthorization
            ),
            Story(
                "capture voided after settlement",
                given: settled,
                when: .captureReversed(Reported.part("x")),
                then: .settled,
                "A1000 C1000 S1000",
                .voidAfterSettlement
            ),
            Story(
                "tip after settlement",
                given: settled,
                when: Reported.tip(200),
                then: .settled,
                "A1000 C1000 S1000",
                .tipNotAllowed
            ),
            Story(
                "tip without capture",
                given: Reported.authorization(750),
                when: Reported.tip(200),
                then: .authorized,
                "A750",
                .tipNotAllowed
            ),
            Story("tip on declined", given: declined, when: Reported.tip(200), then: .declined, "", .tipNotAllowed),
            Story(
                "tip on voided",
                given: Reported.sale(750),
                when: .voided(Reported.part("v")),
                Reported.tip(200),
                then: .voided,
                "A750",
                .tipNotAllowed
            ),
            Story(
                "refund of authorised only",
                given: Reported.authorization(750),
                when: .refunded(Reported.part("r", 750)),
                then: .refunded,
                "A750 F750",
                .refundNotAllowed
            ),
            Story(
                "refund of authorised only, without an amount",
                given: Reported.authorization(750),
                when: .refunded(Reported.part("r")),
                then: .authorized,
                "A750",
                .refundNotAllowed
            ),
            Story(
                "refund of declined",
                given: declined,
                when: .refunded(Reported.part("r", 750)),
                then: .refunded,
                "F750",
                .refundNotAllowed
            ),
            Story(
                "refund void after its settlement",
                given: settled,
                when: .refunded(Reported.part("r", 400, in: 2)),
                .settled(Reported.settlement(2)),
                .refundVoided(Reported.part("r")),
                then: .partiallyRefunded,
                "A1000 C1000 F400 S1000",
                .voidAfterSettlement
            ),
            Story(
                "void of declined",
                given: declined,
                when: .voided(Reported.part("v")),
                then: .declined,
                "",
                .voidNotAllowed
            ),
            Story(
                "void of more than is open",
                given: Reported.sale(750),
                when: .voided(Reported.part("v", 900)),
                then: .voided,
                "A750",
                .voidNotAllowed
            ),
            Story(
                "increment of expired",
                given: Reported.authorization(750),
                when: .expired(Reported.settlement(nil)),
                Reported.incremented(250),
                then: .expired,
                "A1000",
                .incrementNotAllowed
            ),
            Story(
                "release of more than is held",
                given: Reported.authorization(750),
                when: Reported.incremented(-800),
                then: .authorized,
                "",
                .incrementNotAllowed
            ),
            Story(
                "settlement of nothing",
                given: declined,
                when: .settled(Reported.settlement()),
                then: .declined,
                "",
                .settlementMismatch
            ),
            Story(
                "rejection of nothing",
                given: declined,
                when: .settlementRejected(Reported.settlement()),
                then: .declined,
                "",
                .settlementMismatch
            ),
            Story(
                "deposit of nothing",
                given: declined,
                when: .funded(Reported.settlement(1, 5)),
                then: .funded,
                "funded5",
                .settlementMismatch
            ),
            Story(
                "settlement of another amount",
                given: Reported.sale(750),
                when: .settled(Reported.settlement(1, 700)),
                then: .settled,
                "A750 C750 S750",
                .settlementMismatch
            ),
            Story(
                "settlement of a voided payment",
                given: Reported.sale(750),
                when: .voided(Reported.part("v")),
                .settled(Reported.settlement()),
                then: .voided,
                "A750",
                .settlementMismatch
            ),
            Story(
                "in two closed batches",
                given: settled,
                when: .settled(Reported.settlement(2)),
                then: .settled,
                "A1000 C1000 S1000",
                .settledTwice
            ),
        ]
    )
    func neverLegal(_ story: Story) { story.check() }
}
