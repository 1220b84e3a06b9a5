import Payments
import Testing

@Suite("Follow-ups that arrive before their payment")
struct OutOfOrderTests {
    private static let sale = TransactionEvent.saleRequested(Told.request(750))
    private static let saleCapture = Told.captured(750, id: Capture.saleID)

    @Test(
        "Before their payment",
        arguments: [
            Story(
                "a capture without its authorisation",
                when: Told.captured(750),
                then: .captured,
                "C750",
                .originalNotRecorded
            ),
            Story(
                "and then the authorisation",
                when: Told.captured(750),
                Told.approved(750),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "a capture for too much, and then the authorisation",
                when: Told.captured(800),
                Told.approved(750),
                then: .captured,
                "A750 C800",
                .captureExceedsAuthorization
            ),
            Story(
                "a capture, and then the payment was declined",
                when: Told.captured(750),
                .declined(Told.verdict()),
                then: .declined,
                "",
                .conflictingOutcome
            ),
            Story(
                "the approval, and then the request",
                when: Told.approved(750),
                sale,
                saleCapture,
                then: .captured,
                "A750 C750"
            ),
            Story(
                "a tip without its sale",
                when: Told.tip(200, total: 950),
                then: .captured,
                "C950 T200",
                .originalNotRecorded
            ),
            Story(
                "a tip with its total, and then the sale",
                when: Told.tip(200, total: 950),
                sale,
                Told.approved(750),
                saleCapture,
                then: .captured,
                "A750 C950 T200"
            ),
            Story(
                "a tip without its total, and then the sale",
                when: Told.tip(200),
                sale,
                Told.approved(750),
                saleCapture,
                then: .captured,
                "A750 C950 T200"
            ),
            Story(
                "an earlier tip that comes late",
                given: Told.sale(750),
                when: Told.tip(200, at: Told.time(2)),
                Told.tip(100, at: Told.time(1)),
                then: .captured,
                "A750 C950 T200"
            ),
            Story(
                "a tip, and then the sale as it is by now",
                when: Told.tip(200, total: 950),
                .saleRequested(Told.request(950)),
                Told.approved(950),
                Told.captured(950, tip: 200, id: Capture.saleID),
                then: .captured,
                "A950 C950 T200"
            ),
            Story(
                "a void, and then the sale",
                when: .voided(Told.part("v")),
                sale,
                Told.approved(750),
                saleCapture,
                then: .voided,
                "A750"
            ),
            Story("a void alone", when: .voided(Told.part("v")), then: .voided, "", .originalNotRecorded),
            Story(
                "a reversal, and then the approval: never posted",
                given: [sale],
                when: .reversed(Told.part("r")),
                Told.approved(750),
                saleCapture,
                then: .reversed
            ),
            Story("a reversal alone", when: .reversed(Told.part("r")), then: .reversed, "", .originalNotRecorded),
            Story(
                "a reversal by its amount, and then the approval",
                given: [sale],
                when: .reversed(Told.part("r", 750)),
                Told.approved(750),
                saleCapture,
                then: .reversed
            ),
            Story(
                "an increment, and then the authorisation",
                when: Told.incremented(250),
                Told.approved(750),
                then: .authorized,
                "A1000"
            ),
            Story(
                "a refund, and then its sale",
                when: .refunded(Told.part("r", 400)),
                sale,
                Told.approved(750),
                saleCapture,
                then: .partiallyRefunded,
                "A750 C750 F400"
            ),
            Story(
                "a refund void without its refund",
                given: Told.sale(750),
                when: .refundVoided(Told.part("r")),
                then: .captured,
                "A750 C750",
                .originalNotRecorded
            ),
            Story(
                "a refund void, and then its refund",
                given: Told.sale(750),
                when: .refundVoided(Told.part("r")),
                .refunded(Told.part("r", 400)),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "a capture taken back before it is told",
                given: Told.authorization(750),
                when: .captureReversed(Told.part("x")),
                Told.captured(750),
                then: .authorized,
                "A750"
            ),
            Story(
                "a capture told after its batch was closed, and a void made before",
                given: [.saleRequested(Told.request(750)), Told.resolved(.approved, .statusQuery, 750)],
                when: .settled(Told.settlement(1, at: Told.time(90))),
                Told.captured(750, id: Capture.saleID),
                .voided(Told.part("v", at: Told.time(89))),
                then: .voided,
                "A750"
            ),
            Story("an expiry alone", when: .expired(Told.settlement(nil)), then: .expired, "", .originalNotRecorded),
            Story(
                "a chargeback without its sale",
                when: .chargedBack(Told.part("k", 750)),
                then: .chargedBack,
                "K750",
                .originalNotRecorded
            ),
        ]
    )
    func outOfOrder(_ story: Story) { story.check() }
}
