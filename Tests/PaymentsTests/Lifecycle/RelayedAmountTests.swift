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
}
