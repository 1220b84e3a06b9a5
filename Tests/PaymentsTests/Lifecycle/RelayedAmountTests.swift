import Payments
import Testing

/// Amounts that a till relays, beside those of other rank.
@Suite("Relayed amounts")
struct RelayedAmountTests {
    private static let own = Reported.sale(750, in: 1)
    private static let sale = relayed(own)

    private static func relayed(_ facts: [TransactionEvent]) -> [TransactionEvent] {
        facts.map { $0.limited(to: .relayed) }
    }

    /// A sale of 750 with a tip of 100 inside the captured amount.
    private static func tipped(by evidence: Evidence) -> [TransactionEvent] {
        let captured = Reported.captured(850, tip: 100, id: Capture.saleID, by: evidence)
        return [.saleRequested(Reported.request(750)), Reported.approved(750, by: evidence), captured]
    }

    @Test(
        "A tip is never overwritten silently",
        arguments: [
            Story(
                "the gateway's amount from before a relayed tip",
                given: tipped(by: .relayed),
                when: Reported.captured(750, id: Capture.saleID),
                then: .captured,
                "A750 C850 T100",
                .captureExceedsAuthorization
            ),
            Story(
                "the gateway's amount from before a tip that the reader reports",
                given: tipped(by: .reader),
                when: Reported.captured(750, id: Capture.saleID),
                then: .captured,
                "A750 C850 T100",
                .captureExceedsAuthorization
            ),
            Story(
                "the gateway's amount with another tip",
                given: tipped(by: .relayed),
                when: Reported.captured(820, tip: 70, id: Capture.saleID),
                then: .captured,
                "A750 C820 T70",
                .captureExceedsAuthorization,
                .conflictingAmount
            ),
            Story(
                "the gateway's amount without parts",
                given: tipped(by: .relayed),
                when: Reported.captured(850, id: Capture.saleID),
                then: .captured,
                "A750 C850 T100",
                .captureExceedsAuthorization,
                .conflictingAmount
            ),
            Story(
                "the gateway's tip on top of a relayed amount",
                given: sale,
                when: Reported.captured(850, tip: 100, id: Capture.saleID),
                policy: LifecyclePolicy(tipExceedsAuthorization: true),
                then: .captured,
                "A750 C850 T100",
                .conflictingAmount
            ),
            Story(
                "the gateway's amount, and then a relayed tip",
                given: sale + [Reported.tip(100).limited(to: .relayed)],
                when: Reported.captured(750, id: Capture.saleID),
                then: .captured,
                "A750 C850 T100"
            ),
        ]
    )
    func tips(story: Story) { story.check() }

    @Test(
        "The amount that a query finds replaces a relayed one",
        arguments: [
            Story(
                "of a sale",
                given: sale,
                when: Reported.resolved(.approved, .statusQuery, 7500),
                then: .captured,
                "A7500 C7500",
                .conflictingAmount,
                .approvalExceedsRequest
            ),
            Story(
                "of a sale that a till voided",
                given: sale,
                when: TransactionEvent.voided(Reported.part("void")).limited(to: .relayed),
                Reported.resolved(.approved, .statusQuery, 700),
                then: .captured,
                "A700 C700",
                .conflictingAmount,
                .followUpInDoubt
            ),
            Story(
                "of a capture only",
                given: [sale[0], sale[1], Reported.captured(700, id: Capture.saleID, by: .relayed)],
                when: Reported.resolved(.approved, .statusQuery, 750),
                then: .captured,
                "A750 C750",
                .conflictingAmount
            ),
            Story(
                "and not the tip",
                given: tipped(by: .relayed),
                when: Reported.resolved(.approved, .statusQuery, 750),
                then: .captured,
                "A750 C850 T100",
                .captureExceedsAuthorization
            ),
            Story(
                "of an authorization",
                given: relayed(Reported.authorization(700) + [Reported.captured(600)]),
                when: Reported.resolved(.approved, .statusQuery, 750),
                then: .partiallyCaptured,
                "A750 C600",
                .conflictingAmount,
                .approvalExceedsRequest
            ),
            Story(
                "and not the gateway's own",
                given: own,
                when: Reported.resolved(.approved, .statusQuery, 700),
                then: .captured,
                "A750 C750",
                .conflictingAmount
            ),
        ]
    )
    func resolutions(story: Story) { story.check() }

    @Test("What the gateway finds has its rank")
    func rank() {
        for amount: Int64 in [750, 7500] {
            let events = Self.sale + [Reported.resolved(.approved, .statusQuery, amount)]
            let state = TransactionState(folding: events)
            #expect(state.authorization.approvedBy == .gateway && state.captures.map(\.evidence) == [.gateway])
        }
    }

    @Test("The gateway's own report of a refund names its batch, and a closed one settles it")
    func refundBatch() throws {
        let refund = Reported.part("r", 200)
        let own = TransactionEvent.refunded(Reported.part("r", 200, in: 1))
        for closed in [true, false] {
            let money = Self.own + (closed ? [.settled(Reported.settlement(1))] : [])
            let events = money + [TransactionEvent.refunded(refund).limited(to: .relayed), own]
            let entry = try #require(TransactionState(folding: events).refunds.first)
            #expect(entry.batch == Reported.batch(1) && entry.isSettled == closed)
        }
    }
}
