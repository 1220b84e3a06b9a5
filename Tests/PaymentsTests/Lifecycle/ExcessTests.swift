import Payments
import Testing

@Suite("Sums that exceed each other, and amounts that cannot be summed")
struct ExcessTests {
    private static let settled = Reported.sale(1000, in: 1) + [.settled(Reported.settlement(1))]

    @Test(
        "Sums that exceed each other",
        arguments: [
            Story(
                "approved more than requested",
                given: [.saleRequested(Reported.request(700))],
                when: Reported.approved(750),
                then: .authorized,
                "A750",
                .approvalExceedsRequest
            ),
            Story(
                "a tip added at the reader is not part of the request",
                given: [.saleRequested(Reported.request(800))],
                when: Reported.approved(1000),
                Reported.captured(1000, tip: 200, id: Capture.saleID),
                policy: LifecyclePolicy(addsTipAfterRequest: true),
                then: .captured,
                "A1000 C1000 T200"
            ),
            Story(
                "a tip added at the reader, for a payment that is not reported",
                when: Reported.captured(1000, tip: 200),
                policy: LifecyclePolicy(addsTipAfterRequest: true),
                then: .captured,
                "C1000 T200",
                .originalNotRecorded
            ),
            Story(
                "captured more than authorised",
                given: Reported.authorization(750),
                when: Reported.captured(751),
                then: .captured,
                "A750 C751",
                .captureExceedsAuthorization
            ),
            Story(
                "a tip is not on top for every vendor",
                given: Reported.authorization(750),
                when: Reported.captured(950, tip: 200),
                then: .captured,
                "A750 C950 T200",
                .captureExceedsAuthorization
            ),
            Story(
                "captures together exceed",
                given: Reported.authorization(750),
                when: Reported.captured(500, id: "a"),
                Reported.captured(300, id: "b"),
                then: .captured,
                "A750 C800",
                .captureExceedsAuthorization
            ),
            Story(
                "no tolerance after a partial approval",
                given: [.authorizationRequested(Reported.request(1000)), .partiallyApproved(Reported.approval(600))],
                when: Reported.captured(601),
                policy: LifecyclePolicy(overcaptureBasisPoints: 2000),
                then: .partiallyApproved,
                "A600 C601 due400",
                .captureExceedsAuthorization
            ),
            Story(
                "an increment that comes late explains a capture",
                given: Reported.authorization(750),
                when: Reported.captured(1000),
                Reported.incremented(250),
                then: .captured,
                "A1000 C1000"
            ),
            Story(
                "captured again where the vendor captures once",
                given: Reported.authorization(750),
                when: Reported.captured(500, id: "a"),
                Reported.captured(250, id: "b"),
                policy: LifecyclePolicy(capturesOnce: true),
                then: .captured,
                "A750 C750",
                .repeatedCapture
            ),
            Story(
                "refunded more than captured",
                given: settled,
                when: .refunded(Reported.part("r", 1001)),
                then: .refunded,
                "A1000 C1000 F1001 S1000",
                .refundExceedsCapture
            ),
            Story(
                "refund and chargeback together",
                given: settled,
                when: .refunded(Reported.part("r", 600)),
                .chargedBack(Reported.part("k", 600)),
                then: .chargedBack,
                "A1000 C1000 F600 K600 S1000",
                .refundExceedsCapture
            ),
            Story(
                "the excess refund is voided",
                given: settled,
                when: .refunded(Reported.part("r", 600)),
                .refunded(Reported.part("s", 600)),
                .refundVoided(Reported.part("s")),
                then: .partiallyRefunded,
                "A1000 C1000 F600 S1000"
            ),
        ]
    )
    func sums(_ story: Story) { story.check() }

    @Test(
        "Amounts that cannot be counted",
        arguments: [
            Story(
                "below zero",
                given: Reported.authorization(750),
                when: Reported.captured(-5),
                then: .authorized,
                "A750",
                .negativeAmount
            ),
            Story(
                "an approval below zero",
                given: [.saleRequested(Reported.request(750))],
                when: Reported.approved(-750),
                then: .authorized,
                "",
                .negativeAmount
            ),
            Story(
                "too large",
                given: Reported.authorization(750),
                when: Reported.captured(.max),
                then: .authorized,
                "A750",
                .amountOverflow
            ),
            Story(
                "as small as can be",
                given: Reported.authorization(750),
                when: Reported.incremented(.min),
                then: .authorized,
                "A750",
                .amountOverflow,
                .incrementNotAllowed
            ),
            Story(
                "another currency",
                given: Reported.authorization(750),
                when: .captured(Capture(id: "c", amounts: Reported.amounts(750, .eur), evidence: .gateway)),
                then: .authorized,
                "A750",
                .currencyMismatch
            ),
            Story(
                "a void in another currency voids nothing",
                given: Reported.sale(750),
                when: .voided(Return(id: "v", amount: Money(100, .eur), evidence: .gateway)),
                then: .captured,
                "A750 C750",
                .currencyMismatch
            ),
            Story(
                "a deposit in another currency",
                given: settled,
                when: .funded(Settlement(id: "d", amount: Money(900, .eur))),
                then: .settled,
                "A1000 C1000 S1000",
                .currencyMismatch
            ),
            Story(
                "a tip larger than the total",
                given: Reported.authorization(750),
                when: Reported.captured(100, tip: 200),
                then: .partiallyCaptured,
                "A750 C100",
                .amountsDoNotAddUp
            ),
        ]
    )
    func uncountable(_ story: Story) { story.check() }
}
