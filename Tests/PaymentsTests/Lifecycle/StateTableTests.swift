import Payments
import Testing

@Suite("The state table")
struct StateTableTests {
    private static let handpoint = LifecyclePolicy(capturesOnce: true)
    private static let bridgepay = LifecyclePolicy(tipExceedsAuthorization: true, capturesOnce: true)

    @Test(
        "Verdicts",
        arguments: [
            Story("requested", when: .saleRequested(Told.request(750)), then: .requested),
            Story("authorised", given: Told.authorization(750), then: .authorized, "A750"),
            Story("an approved sale is captured", given: Told.sale(750), then: .captured, "A750 C750"),
            Story(
                "partly approved, the rest is due",
                given: [
                    .saleRequested(Told.request(1000)), .partiallyApproved(Told.approval(600, of: 1000)),
                    Told.captured(600, id: Capture.saleID),
                ],
                then: .partiallyApproved,
                "A600 C600 due400"
            ),
            Story(
                "partly approved, told without what was asked",
                given: [.authorizationRequested(Told.request(1000)), .partiallyApproved(Told.approval(600))],
                then: .partiallyApproved,
                "A600 due400"
            ),
            Story("declined", given: [.saleRequested(Told.request(750)), .declined(Told.verdict())], then: .declined),
            Story(
                "cancelled",
                given: [.saleRequested(Told.request(750)), .cancelled(Told.verdict(.reader))],
                then: .cancelled
            ),
            Story("failed", given: [.saleRequested(Told.request(750)), .failed(Told.verdict(.reader))], then: .failed),
            Story(
                "in doubt",
                given: [.saleRequested(Told.request(750)), .outcomeUnknown(Told.verdict())],
                then: .inDoubt
            ),
            Story(
                "verified",
                given: [.verificationRequested(Told.request(0)), .accountVerified(Told.approval(0))],
                then: .verified
            ),
            Story("credited", given: Told.credit(750), then: .credited, "credit750"),
            Story(
                "a credit declined",
                given: [.creditRequested(Told.request(750)), .declined(Told.verdict())],
                then: .declined
            ),
        ]
    )
    func verdicts(_ story: Story) { story.check() }

    @Test(
        "From authorised",
        arguments: [
            Story("raised", given: Told.authorization(750), when: Told.incremented(250), then: .authorized, "A1000"),
            Story(
                "partly released",
                given: Told.authorization(750),
                when: Told.incremented(-250),
                then: .authorized,
                "A500"
            ),
            Story(
                "raised twice",
                given: Told.authorization(750),
                when: Told.incremented(250, id: "a"),
                Told.incremented(250, id: "b"),
                then: .authorized,
                "A1250"
            ),
            Story("captured", given: Told.authorization(750), when: Told.captured(750), then: .captured, "A750 C750"),
            Story(
                "partly captured",
                given: Told.authorization(750),
                when: Told.captured(500),
                then: .partiallyCaptured,
                "A750 C500"
            ),
            Story(
                "captured in parts",
                given: Told.authorization(750),
                when: Told.captured(500, id: "a"),
                Told.captured(250, id: "b"),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "captured over, within the tolerance",
                given: Told.authorization(1000),
                when: Told.captured(1200),
                policy: LifecyclePolicy(overcaptureBasisPoints: 2000),
                then: .captured,
                "A1000 C1200"
            ),
            Story(
                "the worked example: the tip comes on top",
                given: Told.authorization(750),
                when: Told.captured(950, tip: 200),
                policy: bridgepay,
                then: .captured,
                "A750 C950 T200"
            ),
            Story("voided whole", given: Told.authorization(750), when: .voided(Told.part("v")), then: .voided, "A750"),
            Story(
                "voided in part",
                given: Told.authorization(750),
                when: .voided(Told.part("v", 250)),
                then: .authorized,
                "A500"
            ),
            Story(
                "voided in parts until nothing is left",
                given: Told.authorization(750),
                when: .voided(Told.part("v", 250)),
                .voided(Told.part("w", 500)),
                then: .voided
            ),
            Story("reversed whole", given: Told.authorization(750), when: .reversed(Told.part("r")), then: .reversed),
            Story(
                "reversed by its amount",
                given: Told.authorization(750),
                when: .reversed(Told.part("r", 750)),
                then: .reversed
            ),
            Story(
                "reversed in part",
                given: Told.authorization(750),
                when: .reversed(Told.part("r", 250)),
                then: .authorized,
                "A500"
            ),
            Story(
                "the unused rest reversed",
                given: Told.authorization(750),
                when: Told.captured(500),
                .reversed(Told.part("r", 250)),
                then: .captured,
                "A500 C500"
            ),
            Story(
                "expired",
                given: Told.authorization(750),
                when: .expired(Told.settlement(nil)),
                then: .expired,
                "A750"
            ),
        ]
    )
    func fromAuthorized(_ story: Story) { story.check() }

    @Test(
        "From captured",
        arguments: [
            Story(
                "a tip",
                given: Told.sale(750),
                when: Told.tip(200),
                policy: handpoint,
                then: .captured,
                "A750 C950 T200"
            ),
            Story(
                "the last tip counts",
                given: Told.sale(750),
                when: Told.tip(200),
                Told.tip(100),
                then: .captured,
                "A750 C850 T100"
            ),
            Story(
                "a tip taken away",
                given: Told.sale(950, tip: 200),
                when: Told.tip(0),
                then: .captured,
                "A950 C750"
            ),
            Story("voided whole", given: Told.sale(750), when: .voided(Told.part("v")), then: .voided, "A750"),
            Story(
                "voided by its amount",
                given: Told.sale(750),
                when: .voided(Told.part("v", 750)),
                then: .voided,
                "A750"
            ),
            Story(
                "voided in part",
                given: Told.sale(750),
                when: .voided(Told.part("v", 250)),
                then: .captured,
                "A750 C500"
            ),
            Story(
                "voided in two parts",
                given: Told.sale(750),
                when: .voided(Told.part("v", 250)),
                .voided(Told.part("w", 100)),
                then: .captured,
                "A750 C400"
            ),
            Story(
                "a tip on what a void has left, the tip stays inside it",
                given: Told.sale(1000, tip: 500),
                when: .voided(Told.part("v", 800)),
                then: .captured,
                "A1000 C200 T200"
            ),
            Story(
                "a capture taken back: the authorisation stands again",
                given: Told.authorization(750),
                when: Told.captured(750),
                .captureReversed(Told.part("x")),
                policy: handpoint,
                then: .authorized,
                "A750"
            ),
            Story(
                "and is captured again",
                given: Told.authorization(750),
                when: Told.captured(750),
                .captureReversed(Told.part("x")),
                Told.captured(700, id: "again"),
                policy: handpoint,
                then: .partiallyCaptured,
                "A750 C700"
            ),
            Story(
                "settled",
                given: Told.sale(750, in: 1),
                when: .settled(Told.settlement(1, 750)),
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "settled under a number that was not known before",
                given: Told.sale(750),
                when: .settled(Told.settlement()),
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "settlement rejected",
                given: Told.sale(750, in: 1),
                when: .settlementRejected(Told.settlement()),
                then: .settlementRejected,
                "A750 C750"
            ),
            Story(
                "presented again in the next batch",
                given: Told.sale(750, in: 1),
                when: .settled(Told.settlement(1)),
                .settlementRejected(Told.settlement(1)),
                .settled(Told.settlement(2)),
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "rejected, then voided",
                given: Told.sale(750),
                when: .settlementRejected(Told.settlement()),
                .voided(Told.part("v")),
                then: .voided,
                "A750"
            ),
            Story(
                "each capture in the batch that names it",
                given: Told.authorization(750),
                when: Told.captured(500, id: "a", in: 1),
                Told.captured(250, id: "b", in: 2),
                .settled(Told.settlement(1, 500)),
                then: .settled,
                "A750 C750 S500"
            ),
            Story(
                "a capture told after its batch was closed",
                given: Told.authorization(750),
                when: Told.captured(500, id: "a", in: 1),
                .settled(Told.settlement(1, 500)),
                Told.captured(250, id: "b", in: 1),
                then: .settled,
                "A750 C750 S750"
            ),
        ]
    )
    func fromCaptured(_ story: Story) { story.check() }
}
