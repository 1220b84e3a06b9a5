import Payments
import Testing

@Suite("The state table, after settlement")
struct SettledTests {
    private static let settled = Reported.sale(1000, in: 1) + [.settled(Reported.settlement(1))]

    @Test(
        "From settled",
        arguments: [
            Story(
                "partly refunded",
                given: settled,
                when: .refunded(Reported.part("r", 400)),
                then: .partiallyRefunded,
                "A1000 C1000 F400 S1000"
            ),
            Story(
                "refunded in two parts",
                given: settled,
                when: .refunded(Reported.part("r", 400)),
                .refunded(Reported.part("s", 600)),
                then: .refunded,
                "A1000 C1000 F1000 S1000"
            ),
            Story(
                "the rest is refunded",
                given: settled,
                when: .refunded(Reported.part("r", 400)),
                .refunded(Reported.part("s")),
                then: .refunded,
                "A1000 C1000 F1000 S1000"
            ),
            Story(
                "a refund voided",
                given: settled,
                when: .refunded(Reported.part("r", 400, in: 2)),
                .refundVoided(Reported.part("r")),
                then: .settled,
                "A1000 C1000 S1000"
            ),
            Story(
                "a refund settled in its own batch",
                given: settled,
                when: .refunded(Reported.part("r", 400, in: 2)),
                .settled(Reported.settlement(2, 400)),
                then: .partiallyRefunded,
                "A1000 C1000 F400 S1000"
            ),
            Story(
                "charged back",
                given: settled,
                when: .chargedBack(Reported.part("k")),
                then: .chargedBack,
                "A1000 C1000 K1000 S1000"
            ),
            Story(
                "charged back in part",
                given: settled,
                when: .chargedBack(Reported.part("k", 300)),
                then: .chargedBack,
                "A1000 C1000 K300 S1000"
            ),
            Story(
                "a chargeback won",
                given: settled,
                when: .chargedBack(Reported.part("k")),
                .chargebackReversed(Reported.part("k")),
                then: .settled,
                "A1000 C1000 S1000"
            ),
            Story(
                "and lost again",
                given: settled,
                when: .chargedBack(Reported.part("k")),
                .chargebackReversed(Reported.part("k")),
                .chargedBack(Reported.part("second")),
                then: .chargedBack,
                "A1000 C1000 K1000 S1000"
            ),
            Story(
                "funded",
                given: settled,
                when: .funded(Reported.settlement()),
                then: .funded,
                "A1000 C1000 S1000 funded1000"
            ),
            Story(
                "funded in two deposits",
                given: settled,
                when: .funded(Reported.settlement(1, 400)),
                .funded(Reported.settlement(2, 600)),
                then: .funded,
                "A1000 C1000 S1000 funded1000"
            ),
        ]
    )
    func fromSettled(_ story: Story) { story.check() }

    @Test(
        "A standalone refund",
        arguments: [
            Story("voided", given: Reported.credit(750), when: .voided(Reported.part("v")), then: .voided),
            Story(
                "voided as a refund",
                given: Reported.credit(750),
                when: .refundVoided(Reported.part("v")),
                then: .voided
            ),
            Story(
                "voided in part",
                given: Reported.credit(750),
                when: .voided(Reported.part("v", 250)),
                then: .credited,
                "credit500"
            ),
            Story(
                "settled",
                given: Reported.credit(750, in: 1),
                when: .settled(Reported.settlement(1, -750)),
                then: .settled,
                "credit750"
            ),
            Story(
                "rejected and presented again",
                given: Reported.credit(750, in: 1),
                when: .settled(Reported.settlement(1)),
                .settlementRejected(Reported.settlement(1)),
                .settled(Reported.settlement(2)),
                then: .settled,
                "credit750"
            ),
            Story(
                "paid out",
                given: Reported.credit(750, in: 1),
                when: .settled(Reported.settlement(1)),
                .funded(Reported.settlement(1)),
                then: .funded,
                "credit750 funded-750"
            ),
        ]
    )
    func credit(_ story: Story) { story.check() }
}
