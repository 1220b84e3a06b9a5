import Canonical
import Payments
import Testing

@Suite("Disputes of chargebacks")
struct DisputeCaseTests {
    private static let chargedBack: [TransactionEvent] =
        Reported.sale(1000, in: 1) + [.chargedBack(Reported.part("k", 1000))]

    private static func fact(
        _ name: DisputeEventName,
        of id: String = "k",
        code: String? = nil,
        by day: String? = nil,
        at second: Int = 1
    ) -> TransactionEvent {
        let report = DisputeReport(
            chargeback: id,
            reasonCode: code,
            respondBy: day,
            reason: "as reported",
            at: Reported.instant(second)
        )
        return .dispute(DisputeEvent(name, report))
    }

    @Test(
        "A reversal that names no chargeback returns one that was won, else one that is not lost",
        arguments: [
            ([:], "c"), (["a": .lost, "b": .won], "b"), (["a": .won, "c": .lost], "a"), (["c": .lost], "b"),
            (["a": .lost, "b": .lost, "c": .lost], "c"),
        ] as [([String: DisputeEventName], String)]
    )
    func reversals(outcomes: [String: DisputeEventName], returned: String) {
        var state = TransactionState(folding: Reported.sale(3000, in: 1))
        for id in ["a", "b", "c"] { Lifecycle.evolve(&state, .chargedBack(Reported.part(id, 1000))) }
        for (id, name) in outcomes { Lifecycle.evolve(&state, Self.fact(name, of: id)) }
        #expect(state.chargeback(returnedBy: 1000)?.id == returned)
        #expect(state.chargeback(returnedBy: 900) == nil)
    }

    @Test(arguments: [
        Story(
            "represented in time and won",
            given: chargedBack,
            when: fact(.described, code: "10.4", by: "1970-01-02"),
            fact(.represented),
            fact(.won, at: 2),
            then: .chargedBack,
            "A1000 C1000 K1000"
        ),
        Story(
            "lost",
            given: chargedBack,
            when: fact(.lost),
            then: .chargedBack,
            "A1000 C1000 K1000"
        ),
        Story(
            "a fact about a chargeback that is not recorded",
            given: chargedBack,
            when: fact(.lost, of: "other"),
            then: .chargedBack,
            "A1000 C1000 K1000",
            .disputeMismatch
        ),
        Story(
            "won after it was lost",
            given: chargedBack,
            when: fact(.lost),
            fact(.won, at: 2),
            then: .chargedBack,
            "A1000 C1000 K1000",
            .disputeMismatch
        ),
        Story(
            "lost after it was won",
            given: chargedBack,
            when: fact(.won),
            fact(.lost, at: 2),
            then: .chargedBack,
            "A1000 C1000 K1000",
            .disputeMismatch
        ),
        Story(
            "evidence after the outcome",
            given: chargedBack,
            when: fact(.lost),
            fact(.represented, at: 2),
            then: .chargedBack,
            "A1000 C1000 K1000",
            .disputeMismatch
        ),
        Story(
            "evidence once the last day is over in every time zone",
            given: chargedBack,
            when: fact(.described, by: "1970-01-01"),
            fact(.represented, at: 36 * 3600),
            then: .chargedBack,
            "A1000 C1000 K1000",
            .disputeMismatch
        ),
        Story(
            "evidence while the last day lasts in one time zone",
            given: chargedBack,
            when: fact(.described, by: "1970-01-01"),
            fact(.represented, at: 36 * 3600 - 1),
            then: .chargedBack,
            "A1000 C1000 K1000"
        ),
        Story(
            "reversed after it was lost",
            given: chargedBack,
            when: fact(.lost),
            .chargebackReversed(Reported.part("k")),
            then: .captured,
            "A1000 C1000",
            .disputeMismatch
        ),
        Story(
            "lost after it was reversed",
            given: chargedBack,
            when: .chargebackReversed(Reported.part("k")),
            fact(.lost),
            then: .captured,
            "A1000 C1000",
            .disputeMismatch
        ),
    ])
    func contradictionsAreFlagged(_ story: Story) { story.check() }

    @Test func theLastFactsCount() throws {
        let facts = [
            Self.fact(.described, code: "10.4"), Self.fact(.described, by: "2026-03-31"),
            Self.fact(.represented, at: 5), Self.fact(.represented, at: 9), Self.fact(.lost, at: 11),
            Self.fact(.lost, at: 12),
        ]
        let state = TransactionState(folding: Self.chargedBack + facts)
        let known = try #require(state.chargebacks.first?.dispute)
        #expect(known.reasonCode == "10.4" && known.respondBy == "2026-03-31")
        #expect(known.representedAt == Reported.instant(5) && known.representations == 2)
        #expect(known.outcome == .lost && known.closedAt == Reported.instant(11))
    }

    @Test func whatIsKnownAlreadyIsNotRecordedAgain() {
        let facts = Self.chargedBack + [Self.fact(.described, code: "10.4"), Self.fact(.lost, at: 2)]
        for again in [Self.fact(.described, code: "10.4", at: 7), Self.fact(.lost, at: 7)] {
            #expect(Lifecycle.decide([again], after: facts, policy: LifecyclePolicy()) == [])
        }
    }

    /// Where the money of the chargeback is after all facts.
    private static let places: [([TransactionEvent], Account?)] = [
        ([fact(.represented)], .disputeReceivable), ([fact(.won)], .disputeReceivable), ([fact(.lost)], .disputeLoss),
        ([fact(.lost), fact(.won, at: 2)], .disputeReceivable),
        ([fact(.lost), .chargebackReversed(Reported.part("k"))], nil),
        ([.chargebackReversed(Reported.part("k")), fact(.lost)], nil),
    ]

    @Test(arguments: places)
    func aLostDisputeIsALoss(_ facts: [TransactionEvent], _ account: Account?) {
        let book = TransactionState(folding: Self.chargedBack + facts).book
        let disputed = book.filter { [.disputeReceivable, .disputeLoss].contains($0.account) }
        #expect(disputed.map(\.account) == [account].compactMap(\.self))
        #expect(disputed.allSatisfy { $0.amount == 1000 } && book.reduce(0) { $0 + $1.amount } == 0)
    }
}
