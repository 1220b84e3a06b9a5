import Canonical
import Payments
import Testing

/// Tips that are reported after the closing of their batch, and money that moves to another use of its batch number.
@Suite("After the closing")
struct LateTipTests {
    private static let closing = TransactionEvent.settled(Reported.settlement(1, at: Reported.time(9)))
    private static let early = Reported.tip(200, at: Reported.time(5))

    @Test(
        "A tip belongs to the capture that it was closed with",
        arguments: [
            Story(
                "before the closing, reported after it",
                given: Reported.sale(750, in: 1),
                when: closing,
                early,
                then: .settled,
                "A750 C950 T200 S950"
            ),
            Story(
                "before the closing, reported before it",
                given: Reported.sale(750, in: 1),
                when: early,
                closing,
                then: .settled,
                "A750 C950 T200 S950"
            ),
            Story(
                "the last one by time",
                given: Reported.sale(750, in: 1),
                when: closing,
                early,
                Reported.tip(100, at: Reported.time(4)),
                then: .settled,
                "A750 C950 T200 S950"
            ),
            Story(
                "after the closing",
                given: Reported.sale(750, in: 1),
                when: closing,
                Reported.tip(200, at: Reported.time(10)),
                then: .settled,
                "A750 C750 S750",
                .tipNotAllowed
            ),
            Story(
                "without a time",
                given: Reported.sale(750, in: 1),
                when: closing,
                Reported.tip(200),
                then: .settled,
                "A750 C750 S750",
                .tipNotAllowed
            ),
            Story(
                "of a capture whose amount settlement itself reports",
                given: Reported.sale(750, in: 1),
                when: .settled(Reported.settlement(1, 750, at: Reported.time(9))),
                early,
                then: .settled,
                "A750 C750 S750",
                .tipNotAllowed
            ),
        ]
    )
    func tips(story: Story) { story.check() }

    @Test("The time of the closing's event counts if the closing reports none")
    func closingWithoutTime() {
        var closing = Reported.settlement(1)
        closing.occurredAt = Reported.instant(9)
        Story(
            "no time",
            given: Reported.sale(750, in: 1),
            when: .settled(closing),
            Self.early,
            then: .settled,
            "A750 C950 T200 S950"
        ).check()
    }

    // MARK: Generations

    private static let second = Reported.batch(1).inGeneration(2)
    private static let assigned = TransactionEvent.batchAssigned(
        BatchAssignment(line: "capture:\(Capture.saleID)", batch: second)
    )
    private static let secondClosing = TransactionEvent.settled(
        Settlement(id: "second", batch: second, at: Reported.time(30))
    )

    @Test(
        "Money is settled by the generation that it is in",
        arguments: [
            Story(
                "the second closing, after the first one took it",
                given: Reported.sale(750, in: 1),
                when: closing,
                assigned,
                secondClosing,
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "the second closing alone",
                given: Reported.sale(750, in: 1),
                when: assigned,
                secondClosing,
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "the closing of another use takes nothing",
                given: Reported.sale(750, in: 1),
                when: assigned,
                closing,
                then: .captured,
                "A750 C750",
                .settlementMismatch
            ),
            Story(
                "settlement itself names only the number",
                given: Reported.sale(750, in: 1),
                when: assigned,
                .settled(Reported.settlement(1, 750, at: Reported.time(30))),
                then: .settled,
                "A750 C750 S750"
            ),
            Story(
                "settlement itself reported it before",
                given: Reported.sale(750, in: 1),
                when: .settled(Reported.settlement(1, 750, at: Reported.time(30))),
                assigned,
                then: .settled,
                "A750 C750 S750"
            ),
        ]
    )
    func generations(story: Story) {
        story.check()
        let capture = TransactionState(folding: story.history).captures.first
        #expect(capture?.batch == Self.second)
        #expect(capture?.settledIn == (capture?.isSettled == true ? Self.second : nil))
    }

    @Test("A further report that names only the number leaves the money in its generation")
    func furtherReports() {
        let relayed = Reported.sale(750, in: 1).map { $0.limited(to: .relayed) }
        var history = Lifecycle.decide(relayed + [Self.assigned], after: [], policy: LifecyclePolicy())
        history += Lifecycle.decide(Reported.sale(750, in: 1), after: history, policy: LifecyclePolicy())
        let state = TransactionState(folding: history)
        #expect(state.captures.map(\.batch) == [Self.second])
        #expect(state.captures.map(\.evidence) == [.gateway])
    }

    @Test("A line that a stronger report has put into a batch of another number stays there")
    func anotherNumber() {
        let history = Reported.sale(750, in: 2)
        #expect(Lifecycle.decide([Self.assigned], after: history, policy: LifecyclePolicy()).isEmpty)
    }

    @Test("Money can return to a generation that it was in")
    func thereAndBack() {
        var history = Reported.sale(750, in: 1)
        for batch in [Self.second, Reported.batch(1), Self.second] {
            let line = "capture:\(Capture.saleID)"
            let moved = TransactionEvent.batchAssigned(BatchAssignment(line: line, batch: batch))
            history += Lifecycle.decide([moved], after: history, policy: LifecyclePolicy())
            #expect(TransactionState(folding: history).captures.map(\.batch) == [batch])
        }
    }

    @Test("Captures of one payment are in the generations that each was made in")
    func severalCaptures() {
        let captures = [
            Reported.captured(300, id: "a", in: 1), Reported.captured(400, id: "b", in: 1),
        ]
        let facts = Reported.authorization(750) + captures
        var history = Lifecycle.decide(facts, after: [], policy: LifecyclePolicy())
        let moved = TransactionEvent.batchAssigned(BatchAssignment(line: "capture:b", batch: Self.second))
        for fact in [Self.closing, moved] {
            history += Lifecycle.decide([fact], after: history, policy: LifecyclePolicy())
        }
        var state = TransactionState(folding: history)
        #expect(state.captures.map(\.settledIn) == [Reported.batch(1), Reported.batch(1)])
        history += Lifecycle.decide([Self.secondClosing], after: history, policy: LifecyclePolicy())
        state = TransactionState(folding: history)
        #expect(state.captures.map(\.settledIn) == [Reported.batch(1), Self.second])
        #expect(state.anomalies.isEmpty)
    }

    @Test("The closing of a batch may name its account differently, but not as another line names one")
    func namesOfAccounts() {
        let line = "refund:r"
        func refundIsSettled(captureIn number: Int) -> Bool {
            let other = BatchReference(vendor: .dejavoo, account: "other", number: "1")
            let refund = Return(id: "r", amount: Reported.usd(50), evidence: .gateway, batch: other.inGeneration(2))
            let history =
                Reported.sale(750, in: number) + [
                    Self.closing, .refunded(refund), .batchAssigned(BatchAssignment(line: line, batch: other)),
                ]
            return TransactionState(folding: history).refunds.first?.isSettled ?? false
        }
        #expect(refundIsSettled(captureIn: 2))
        #expect(!refundIsSettled(captureIn: 1))
    }

    @Test("Settled money stays in the batch that took it, until the closing of its generation takes it over")
    func assignedToAnOpenGeneration() {
        var history = Reported.sale(750, in: 1)
        for fact in [Self.closing, Self.assigned] {
            history += Lifecycle.decide([fact], after: history, policy: LifecyclePolicy())
        }
        let before = TransactionState(folding: history)
        #expect(before.captures.map(\.batch) == [Self.second])
        #expect(before.captures.map(\.settledIn) == [Reported.batch(1)] && before.status == .settled)
        // A third use takes nothing.
        let third = Settlement(id: "third", batch: Reported.batch(1).inGeneration(3), at: Reported.time(40))
        let other = TransactionState(folding: history + [.settled(third)])
        #expect(other.captures.map(\.settledIn) == [Reported.batch(1)])
        history += Lifecycle.decide([Self.secondClosing], after: history, policy: LifecyclePolicy())
        let after = TransactionState(folding: history)
        #expect(after.captures.map(\.settledIn) == [Self.second] && after.status == .settled)
        #expect(after.settled == 750 && after.anomalies.isEmpty)
    }

    @Test("Settled money stays settled in a generation whose closing is missing, until that is recorded")
    func missingClosing() {
        let line = "capture:\(Capture.saleID)"
        let missing = BatchAssignment(line: line, batch: Reported.batch(1).inGeneration(20_260_110))
        let history = Reported.sale(750, in: 1) + [Self.closing, .batchAssigned(missing)]
        let before = TransactionState(folding: history)
        #expect(before.captures.map(\.settledIn) == [Reported.batch(1)] && before.status == .settled)
        let after = TransactionState(folding: history + [Self.assigned, Self.secondClosing])
        #expect(after.captures.map(\.settledIn) == [Self.second])
    }
}
