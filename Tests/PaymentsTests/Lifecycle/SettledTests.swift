import Payments
import Testing

@Suite("The state table, after settlement")
struct SettledTests {
    private static let settled = Told.sale(1000, in: 1) + [.settled(Told.settlement(1))]

    @Test(
        "From settled",
        arguments: [
            Story(
                "partly refunded",
                given: settled,
                when: .refunded(Told.part("r", 400)),
                then: .partiallyRefunded,
                "A1000 C1000 F400 S1000"
            ),
            Story(
                "refunded in two parts",
                given: settled,
                when: .refunded(Told.part("r", 400)),
                .refunded(Told.part("s", 600)),
                then: .refunded,
                "A1000 C1000 F1000 S1000"
            ),
            Story(
                "what is left is refunded",
                given: settled,
                when: .refunded(Told.part("r", 400)),
                .refunded(Told.part("s")),
                then: .refunded,
                "A1000 C1000 F1000 S1000"
            ),
            Story(
                "a refund voided",
                given: settled,
                when: .refunded(Told.part("r", 400, in: 2)),
                .refundVoided(Told.part("r")),
                then: .settled,
                "A1000 C1000 S1000"
            ),
            Story(
                "a refund settled in its own batch",
                given: settled,
                when: .refunded(Told.part("r", 400, in: 2)),
                .settled(Told.settlement(2, 400)),
                then: .partiallyRefunded,
                "A1000 C1000 F400 S1000"
            ),
            Story(
                "charged back",
                given: settled,
                when: .chargedBack(Told.part("k")),
                then: .chargedBack,
                "A1000 C1000 K1000 S1000"
            ),
            Story(
                "charged back in part",
                given: settled,
                when: .chargedBack(Told.part("k", 300)),
                then: .chargedBack,
                "A1000 C1000 K300 S1000"
            ),
            Story(
                "a chargeback won",
                given: settled,
                when: .chargedBack(Told.part("k")),
                .chargebackReversed(Told.part("k")),
                then: .settled,
                "A1000 C1000 S1000"
            ),
            Story(
                "and lost again",
                given: settled,
                when: .chargedBack(Told.part("k")),
                .chargebackReversed(Told.part("k")),
                .chargedBack(Told.part("second")),
                then: .chargedBack,
                "A1000 C1000 K1000 S1000"
            ),
            Story(
                "funded",
                given: settled,
                when: .funded(Told.settlement()),
                then: .funded,
                "A1000 C1000 S1000 funded1000"
            ),
            Story(
                "funded in two deposits",
                given: settled,
                when: .funded(Told.settlement(1, 400)),
                .funded(Told.settlement(2, 600)),
                then: .funded,
                "A1000 C1000 S1000 funded1000"
            ),
        ]
    )
    func fromSettled(_ story: Story) { story.check() }

    @Test(
        "A standalone refund",
        arguments: [
            Story("voided", given: Told.credit(750), when: .voided(Told.part("v")), then: .voided),
            Story("voided as a refund", given: Told.credit(750), when: .refundVoided(Told.part("v")), then: .voided),
            Story(
                "voided in part",
                given: Told.credit(750),
                when: .voided(Told.part("v", 250)),
                then: .credited,
                "credit500"
            ),
            Story(
                "settled",
                given: Told.credit(750, in: 1),
                when: .settled(Told.settlement(1, -750)),
                then: .settled,
                "credit750"
            ),
            Story(
                "rejected and presented again",
                given: Told.credit(750, in: 1),
                when: .settled(Told.settlement(1)),
                .settlementRejected(Told.settlement(1)),
                .settled(Told.settlement(2)),
                then: .settled,
                "credit750"
            ),
            Story(
                "paid out",
                given: Told.credit(750, in: 1),
                when: .settled(Told.settlement(1)),
                .funded(Told.settlement(1)),
                then: .funded,
                "credit750 funded-750"
            ),
        ]
    )
    func credit(_ story: Story) { story.check() }
}
