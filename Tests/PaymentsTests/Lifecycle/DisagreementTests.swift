import Payments
import Testing

@Suite("Facts that disagree, or are told again")
struct DisagreementTests {
    private static let sale = TransactionEvent.saleRequested(Told.request(750))
    private static let cancelled = TransactionEvent.cancelled(Told.verdict(.reader))
    private static let saleCapture = Told.captured(750, id: Capture.saleID)

    @Test(
        "Verdicts that disagree",
        arguments: [
            Story(
                "declined after approved",
                given: Told.authorization(750),
                when: .declined(Told.verdict()),
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "the host approved what the reader cancelled",
                given: [sale, cancelled],
                when: Told.approved(750),
                saleCapture,
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
            Story(
                "the reader cancelled what the host approved",
                given: Told.sale(750),
                when: cancelled,
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
            Story(
                "approved after declined",
                given: [sale, .declined(Told.verdict())],
                when: Told.approved(750),
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "the host declined what the reader approved",
                given: [sale, Told.approved(750, by: .reader), Told.captured(750, id: Capture.saleID, by: .reader)],
                when: .declined(Told.verdict()),
                then: .declined,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "cancelled after declined",
                given: [sale, .declined(Told.verdict())],
                when: .cancelled(Told.verdict()),
                then: .declined,
                "",
                .conflictingOutcome
            ),
            Story(
                "the other side says no, too",
                given: [sale, cancelled],
                when: .declined(Told.verdict()),
                then: .declined
            ),
            Story(
                "approved for another amount",
                given: Told.authorization(750),
                when: Told.approved(700),
                then: .authorized,
                "A750",
                .conflictingAmount
            ),
            Story(
                "asked for another amount",
                given: Told.authorization(750),
                when: .authorizationRequested(Told.request(700)),
                then: .authorized,
                "A750",
                .conflictingAmount
            ),
            Story(
                "asked for something else",
                given: Told.authorization(750),
                when: sale,
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "a credit after a sale",
                given: Told.sale(750),
                when: .creditApproved(Told.approval(750)),
                then: .credited,
                "A750 C750 credit750",
                .conflictingOutcome
            ),
        ]
    )
    func disagreement(_ story: Story) { story.check() }

    @Test(
        "The same, told again in other words, counts once",
        arguments: [
            Story(
                "a partial void",
                given: Told.sale(750),
                when: .voided(Told.part("v", 250)),
                .voided(Told.part("v", 250, at: Told.time(1))),
                then: .captured,
                "A750 C500"
            ),
            Story(
                "a reversal",
                given: Told.authorization(750),
                when: .reversed(Told.part("v", 250)),
                .reversed(Told.part("v", 250, at: Told.time(1))),
                then: .authorized,
                "A500"
            ),
            Story(
                "a refund",
                given: Told.sale(750),
                when: .refunded(Told.part("r", 250)),
                .refunded(Told.part("r", 250, at: Told.time(1))),
                then: .partiallyRefunded,
                "A750 C750 F250"
            ),
            Story(
                "a deposit",
                given: Told.sale(750),
                when: .funded(Told.settlement(1, 750)),
                .funded(Told.settlement(1, 750, at: Told.time(1))),
                then: .funded,
                "A750 C750 funded750"
            ),
            Story(
                "a settlement",
                given: Told.sale(750),
                when: .settled(Told.settlement()),
                .settled(Told.settlement(at: Told.time(1))),
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "a capture reversal",
                given: Told.authorization(750),
                when: Told.captured(500, id: "a"),
                Told.captured(250, id: "b"),
                .captureReversed(Told.part("x")),
                .captureReversed(Told.part("x", at: Told.time(1))),
                then: .partiallyCaptured,
                "A750 C500"
            ),
            Story(
                "a capture with another amount is not counted",
                given: Told.authorization(750),
                when: Told.captured(500),
                Told.captured(600),
                then: .partiallyCaptured,
                "A750 C500",
                .conflictingAmount
            ),
            Story(
                "a refund with another amount is not counted",
                given: Told.sale(750),
                when: .refunded(Told.part("r", 250)),
                .refunded(Told.part("r", 300)),
                then: .partiallyRefunded,
                "A750 C750 F250",
                .conflictingAmount
            ),
            Story(
                "a void with another amount is not counted",
                given: Told.sale(750),
                when: .voided(Told.part("v", 250)),
                .voided(Told.part("v", 300)),
                then: .captured,
                "A750 C500",
                .conflictingAmount
            ),
            Story(
                "a capture vouched for by the batch outlives a decline",
                given: [sale, Told.approved(750, by: .reader), Told.captured(750, by: .reader)],
                when: .declined(Told.verdict()),
                Told.captured(750, by: .settlement),
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
        ]
    )
    func repeated(_ story: Story) { story.check() }
}
