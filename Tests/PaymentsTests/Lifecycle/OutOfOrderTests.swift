import Payments
import Testing

@Suite("Follow-ups that arrive before their payment")
struct OutOfOrderTests {
    private static let sale = TransactionEvent.saleRequested(Reported.request(750))
    private static let saleCapture = Reported.captured(750, id: Capture.saleID)

    @Test(
        "Before their payment",
        arguments: [
            Story(
                "a capture without its authorisation",
                when: Reported.captured(750),
                then: .captured,
                "C750",
                .originalNotRecorded
            ),
            Story(
                "and then the authorisation",
                when: Reported.captured(750),
                Reported.approved(750),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "a capture for too much, and then the authorisation",
                when: Reported.captured(800),
                Reported.approved(750),
                then: .captured,
                "A750 C800",
                .captureExceedsAuthorization
            ),
            Story(
                "a capture, and then the payment was declined",
                when: Reported.captured(750),
                .declined(Reported.verdict()),
                then: .declined,
                "",
                .conflictingOutcome
            ),
            Story(
                "the approval, and then the request",
                when: Reported.approved(750),
                sale,
                saleCapture,
                then: .captured,
                "A750 C750"
            ),
            Story(
                "a tip without its sale",
                when: Reported.tip(200, total: 950),
                then: .captured,
                "C950 T200",
                .originalNotRecorded
            ),
            Story(
                "a tip with its total, and then the sale",
                when: Reported.tip(200, total: 950),
                sale,
                Reported.approved(750),
                saleCapture,
                then: .captured,
                "A750 C950 T200"
            ),
            Story(
                "a tip without its total, and then the sale",
                when: Reported.tip(200),
                sale,
                Reported.approved(750),
                saleCapture,
                then: .captured,
                "A750 C950 T200"
            ),
            Story(
                "an earlier tip that comes late",
                given: Reported.sale(750),
                when: Reported.tip(200, at: Reported.time(2)),
                Reported.tip(100, at: Reported.time(1)),
                then: .captured,
                "A750 C950 T200"
            ),
            Story(
                "a tip, and then the sale as it is by now",
                when: Reported.tip(200, total: 950),
                .saleRequested(Reported.request(950)),
                Reported.approved(950),
                Reported.captured(950, tip: 200, id: Capture.saleID),
                then: .captured,
                "A950 C950 T200"
            ),
            Story(
                "a void, and then the sale",
                when: .voided(Reported.part("v")),
                sale,
                Reported.approved(750),
                saleCapture,
                then: .voided,
                "A750"
            ),
            Story("a void alone", when: .voided(Reported.part("v")), then: .voided, "", .originalNotRecorded),
            Story(
                "a reversal, and then the approval: never posted",
                given: [sale],
                when: .reversed(Reported.part("r")),
                Reported.approved(750),
                saleCapture,
                then: .reversed
            ),
            Story("a reversal alone", when: .reversed(Reported.part("r")), then: .reversed, "", .originalNotRecorded),
            Story(
                "a reversal by its amount, and then the approval",
                given: [sale],
                when: .reversed(Reported.part("r", 750)),
                Reported.approved(750),
                saleCapture,
                then: .reversed
            ),
            Story(
                "an increment, and then the authorisation",
                when: Reported.incremented(250),
                Reported.approved(750),
                then: .authorized,
                "A1000"
            ),
            Story(
                "a refund, and then its sale",
                when: .refunded(Reported.part("r", 400)),
                sale,
                Reported.approved(750),
                saleCapture,
                then: .partiallyRefunded,
                "A750 C750 F400"
            ),
            Story(
                "a refund void without its refund",
                given: Reported.sale(750),
                when: .refundVoided(Reported.part("r")),
                then: .captured,
                "A750 C750",
                .originalNotRecorded
            ),
            Story(
                "a refund void, and then its refund",
                given: Reported.sale(750),
                when: .refundVoided(Reported.part("r")),
                .refunded(Reported.part("r", 400)),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "a capture voided before it is reported",
                given: Reported.authorization(750),
                when: .captureReversed(Reported.part("x")),
                Reported.captured(750),
                then: .authorized,
                "A750"
            ),
            Story(
                "a capture reported after its batch was closed, and a void made before",
                given: [.saleRequested(Reported.request(750)), Reported.resolved(.approved, .statusQuery, 750)],
                when: .settled(Reported.settlement(1, at: Reported.time(90))),
                Reported.captured(750, id: Capture.saleID),
                .voided(Reported.part("v", at: Reported.time(89))),
                then: .voided,
                "A750"
            ),
            Story(
                "an expiry alone",
                when: .expired(Reported.settlement(nil)),
                then: .expired,
                "",
                .originalNotRecorded
            ),
            Story(
                "a chargeback without its sale",
                when: .chargedBack(Reported.part("k", 750)),
                then: .chargedBack,
                "K750",
                .originalNotRecorded
            ),
        ]
    )
    func outOfOrder(_ story: Story) { story.check() }
}
