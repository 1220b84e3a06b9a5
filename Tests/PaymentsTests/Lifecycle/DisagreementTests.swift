import Payments
import Testing

@Suite("Facts that disagree or are repeated")
struct DisagreementTests {
    private static let sale = TransactionEvent.saleRequested(Reported.request(750))
    private static let cancelled = TransactionEvent.cancelled(Reported.verdict(.reader))
    private static let saleCapture = Reported.captured(750, id: Capture.saleID)

    @Test(
        "Verdicts that disagree",
        arguments: [
            Story(
                "declined after approved",
                given: Reported.authorization(750),
                when: .declined(Reported.verdict()),
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "cancelled by the reader, then approved by the host",
                given: [sale, cancelled],
                when: Reported.approved(750),
                saleCapture,
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
            Story(
                "approved by the host, then cancelled by the reader",
                given: Reported.sale(750),
                when: cancelled,
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
            Story(
                "approved after declined",
                given: [sale, .declined(Reported.verdict())],
                when: Reported.approved(750),
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "approved by the reader, then declined by the host",
                given: [
                    sale, Reported.approved(750, by: .reader), Reported.captured(750, id: Capture.saleID, by: .reader),
                ],
                when: .declined(Reported.verdict()),
                then: .declined,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "cancelled after declined",
                given: [sale, .declined(Reported.verdict())],
                when: .cancelled(Reported.verdict()),
                then: .declined,
                "",
                .conflictingOutcome
            ),
            Story(
                "the other side declines, too",
                given: [sale, cancelled],
                when: .declined(Reported.verdict()),
                then: .declined
            ),
            Story(
                "approved for another amount",
                given: Reported.authorization(750),
                when: Reported.approved(700),
                then: .authorized,
                "A750",
                .conflictingAmount
            ),
            Story(
                "requested with another amount",
                given: Reported.authorization(750),
                when: .authorizationRequested(Reported.request(700)),
                then: .authorized,
                "A750",
                .conflictingAmount
            ),
            Story(
                "requested as another operation",
                given: Reported.authorization(750),
                when: sale,
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "a credit after a sale",
                given: Reported.sale(750),
                when: .creditApproved(Reported.approval(750)),
                then: .credited,
                "A750 C750 credit750",
                .conflictingOutcome
            ),
        ]
    )
    func disagreement(_ story: Story) { story.check() }

    @Test(
        "The same fact in another form counts once",
        arguments: [
            Story(
                "a partial void",
                given: Reported.sale(750),
                when: .voided(Reported.part("v", 250)),
                .voided(Reported.part("v", 250, at: Reported.time(1))),
                then: .captured,
                "A750 C500"
            ),
            Story(
                "a reversal",
                given: Reported.authorization(750),
                when: .reversed(Reported.part("v", 250)),
                .reversed(Reported.part("v", 250, at: Reported.time(1))),
                then: .authorized,
                "A500"
            ),
            Story(
                "a refund",
                given: Reported.sale(750),
                when: .refunded(Reported.part("r", 250)),
                .refunded(Reported.part("r", 250, at: Reported.time(1))),
                then: .partiallyRefunded,
                "A750 C750 F250"
            ),
            Story(
                "a deposit",
                given: Reported.sale(750),
                when: .funded(Reported.settlement(1, 750)),
                .funded(Reported.settlement(1, 750, at: Reported.time(1))),
                then: .funded,
                "A750 C750 funded750"
            ),
            Story(
                "a settlement",
                given: Reported.sale(750),
                when: .settled(Reported.settlement()),
                .settled(Reported.settlement(at: Reported.time(1))),
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "a capture reversal",
                given: Reported.authorization(750),
                when: Reported.captured(500, id: "a"),
                Reported.captured(250, id: "b"),
                .captureReversed(Reported.part("x")),
                .captureReversed(Reported.part("x", at: Reported.time(1))),
                then: .partiallyCaptured,
                "A750 C500"
            ),
            Story(
                "a capture with another amount is not counted",
                given: Reported.authorization(750),
                when: Reported.captured(500),
                Reported.captured(600),
                then: .partiallyCaptured,
                "A750 C500",
                .conflictingAmount
            ),
            Story(
                "a refund with another amount is not counted",
                given: Reported.sale(750),
                when: .refunded(Reported.part("r", 250)),
                .refunded(Reported.part("r", 300)),
                then: .partiallyRefunded,
                "A750 C750 F250",
                .conflictingAmount
            ),
            Story(
                "a void with another amount is not counted",
                given: Reported.sale(750),
                when: .voided(Reported.part("v", 250)),
                .voided(Reported.part("v", 300)),
                then: .captured,
                "A750 C500",
                .conflictingAmount
            ),
            Story(
                "a capture vouched for by the batch outlives a decline",
                given: [sale, Reported.approved(750, by: .reader), Reported.captured(750, by: .reader)],
                when: .declined(Reported.verdict()),
                Reported.captured(750, by: .settlement),
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
        ]
    )
    func repeated(_ story: Story) { story.check() }
}
