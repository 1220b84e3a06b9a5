import Payments
import Testing

@Suite("The state table")
struct StateTableTests {
    private static let handpoint = LifecyclePolicy(capturesOnce: true)
    private static let bridgepay = LifecyclePolicy(tipExceedsAuthorization: true, capturesOnce: true)

    @Test(
        "Verdicts",
        arguments: [
            Story("requested", when: .saleRequested(Reported.request(750)), then: .requested),
            Story("authorised", given: Reported.authorization(750), then: .authorized, "A750"),
            Story("an approved sale is captured", given: Reported.sale(750), then: .captured, "A750 C750"),
            Story(
                "partly approved, the rest is due",
                given: [
                    .saleRequested(Reported.request(1000)), .partiallyApproved(Reported.approval(600, of: 1000)),
                    Reported.captured(600, id: Capture.saleID),
                ],
                then: .partiallyApproved,
                "A600 C600 due400"
            ),
            Story(
                "partly approved, without a reported request",
                given: [.authorizationRequested(Reported.request(1000)), .partiallyApproved(Reported.approval(600))],
                then: .partiallyApproved,
                "A600 due400"
            ),
            Story(
                "declined",
                given: [.saleRequested(Reported.request(750)), .declined(Reported.verdict())],
                then: .declined
            ),
            Story(
                "cancelled",
                given: [.saleRequested(Reported.request(750)), .cancelled(Reported.verdict(.reader))],
                then: .cancelled
            ),
            Story(
                "failed",
                given: [.saleRequested(Reported.request(750)), .failed(Reported.verdict(.reader))],
                then: .failed
            ),
            Story(
                "in doubt",
                given: [.saleRequested(Reported.request(750)), .outcomeUnknown(Reported.verdict())],
                then: .inDoubt
            ),
            Story(
                "verified",
                given: [.verificationRequested(Reported.request(0)), .accountVerified(Reported.approval(0))],
                then: .verified
            ),
            Story("credited", given: Reported.credit(750), then: .credited, "credit750"),
            Story(
                "a credit declined",
                given: [.creditRequested(Reported.request(750)), .declined(Reported.verdict())],
                then: .declined
            ),
        ]
    )
    func verdicts(_ story: Story) { story.check() }

    @Test(
        "From authorised",
        arguments: [
            Story(
                "raised",
                given: Reported.authorization(750),
                when: Reported.incremented(250),
                then: .authorized,
                "A1000"
            ),
            Story(
                "partly released",
                given: Reported.authorization(750),
                when: Reported.incremented(-250),
                then: .authorized,
                "A500"
            ),
            Story(
                "raised twice",
                given: Reported.authorization(750),
                when: Reported.incremented(250, id: "a"),
                Reported.incremented(250, id: "b"),
                then: .authorized,
                "A1250"
            ),
            Story(
                "captured",
                given: Reported.authorization(750),
                when: Reported.captured(750),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "partly captured",
                given: Reported.authorization(750),
                when: Reported.captured(500),
                then: .partiallyCaptured,
                "A750 C500"
            ),
            Story(
                "captured in parts",
                given: Reported.authorization(750),
                when: Reported.captured(500, id: "a"),
                Reported.captured(250, id: "b"),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "captured over, within the tolerance",
                given: Reported.authorization(1000),
                when: Reported.captured(1200),
                policy: LifecyclePolicy(overcaptureBasisPoints: 2000),
                then: .captured,
                "A1000 C1200"
            ),
            Story(
                "the worked example: the tip comes on top",
                given: Reported.authorization(750),
                when: Reported.captured(950, tip: 200),
                policy: bridgepay,
                then: .captured,
                "A750 C950 T200"
            ),
            Story(
                "voided whole",
                given: Reported.authorization(750),
                when: .voided(Reported.part("v")),
                then: .voided,
                "A750"
            ),
            Story(
                "voided in part",
                given: Reported.authorization(750),
                when: .voided(Reported.part("v", 250)),
                then: .authorized,
                "A500"
            ),
            Story(
                "voided in parts until nothing is left",
                given: Reported.authorization(750),
                when: .voided(Reported.part("v", 250)),
                .voided(Reported.part("w", 500)),
                then: .voided
            ),
            Story(
                "reversed whole",
                given: Reported.authorization(750),
                when: .reversed(Reported.part("r")),
                then: .reversed
            ),
            Story(
                "reversed by its amount",
                given: Reported.authorization(750),
                when: .reversed(Reported.part("r", 750)),
                then: .reversed
            ),
            Story(
                "reversed in part",
                given: Reported.authorization(750),
                when: .reversed(Reported.part("r", 250)),
                then: .authorized,
                "A500"
            ),
            Story(
                "the unused rest reversed",
                given: Reported.authorization(750),
                when: Reported.captured(500),
                .reversed(Reported.part("r", 250)),
                then: .captured,
                "A500 C500"
            ),
            Story(
                "expired",
                given: Reported.authorization(750),
                when: .expired(Reported.settlement(nil)),
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
                given: Reported.sale(750),
                when: Reported.tip(200),
                policy: handpoint,
                then: .captured,
                "A750 C950 T200"
            ),
            Story(
                "the last tip counts",
                given: Reported.sale(750),
                when: Reported.tip(200),
                Reported.tip(100),
                then: .captured,
                "A750 C850 T100"
            ),
            Story(
                "a tip removed",
                given: Reported.sale(950, tip: 200),
                when: Reported.tip(0),
                then: .captured,
                "A950 C750"
            ),
            Story("voided whole", given: Reported.sale(750), when: .voided(Reported.part("v")), then: .voided, "A750"),
            Story(
                "voided by its amount",
                given: Reported.sale(750),
                when: .voided(Reported.part("v", 750)),
                then: .voided,
                "A750"
            ),
            Story(
                "voided in part",
                given: Reported.sale(750),
                when: .voided(Reported.part("v", 250)),
                then: .captured,
                "A750 C500"
            ),
            Story(
                "voided in two parts",
                given: Reported.sale(750),
                when: .voided(Reported.part("v", 250)),
                .voided(Reported.part("w", 100)),
                then: .captured,
                "A750 C400"
            ),
            Story(
                "a tip after a partial void stays within the rest",
                given: Reported.sale(1000, tip: 500),
                when: .voided(Reported.part("v", 800)),
                then: .captured,
                "A1000 C200 T200"
            ),
            Story(
                "a capture voided: the authorisation is open again",
                given: Reported.authorization(750),
                when: Reported.captured(750),
                .captureReversed(Reported.part("x")),
                policy: handpoint,
                then: .authorized,
                "A750"
            ),
            Story(
                "and is captured again",
                given: Reported.authorization(750),
                when: Reported.captured(750),
                .captureReversed(Reported.part("x")),
                Reported.captured(700, id: "again"),
                policy: handpoint,
                then: .partiallyCaptured,
                "A750 C700"
            ),
            Story(
                "settled",
                given: Reported.sale(750, in: 1),
                when: .settled(Reported.settlement(1, 750)),
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "settled under a number that was not known before",
                given: Reported.sale(750),
                when: .settled(Reported.settlement()),
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "settlement rejected",
                given: Reported.sale(750, in: 1),
                when: .settlementRejected(Reported.settlement()),
                then: .settlementRejected,
                "A750 C750"
            ),
            Story(
                "presented again in the next batch",
                given: Reported.sale(750, in: 1),
                when: .settled(Reported.settlement(1)),
                .settlementRejected(Reported.settlement(1)),
                .settled(Reported.settlement(2)),
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "rejected, then voided",
                given: Reported.sale(750),
                when: .settlementRejected(Reported.settlement()),
                .voided(Reported.part("v")),
                then: .voided,
                "A750"
            ),
            Story(
                "each capture in the batch that names it",
                given: Reported.authorization(750),
                when: Reported.captured(500, id: "a", in: 1),
                Reported.captured(250, id: "b", in: 2),
                .settled(Reported.settlement(1, 500)),
                then: .settled,
                "A750 C750 S500"
            ),
            Story(
                "a capture reported after its batch was closed",
                given: Reported.authorization(750),
                when: Reported.captured(500, id: "a", in: 1),
                .settled(Reported.settlement(1, 500)),
                Reported.captured(250, id: "b", in: 1),
                then: .settled,
                "A750 C750 S750"
            ),
        ]
    )
    func fromCaptured(_ story: Story) { story.check() }
}
