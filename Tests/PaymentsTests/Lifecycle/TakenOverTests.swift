import Payments
import Testing

/// Settlement itself, against money that is in a batch only by a relayed closing.
@Suite("Settlement after relayed closings")
struct TakenOverTests {
    private static func settled(_ batch: Int?, _ minor: Int64? = nil) -> TransactionEvent {
        .settled(Reported.settlement(batch, minor))
    }

    private static func relayed(_ batch: Int?) -> TransactionEvent { settled(batch).limited(to: .relayed) }

    private func state(_ facts: [TransactionEvent]) -> TransactionState {
        var history: [TransactionEvent] = []
        for fact in facts { history += Lifecycle.decide([fact], after: history, policy: LifecyclePolicy()) }
        return TransactionState(folding: history)
    }

    @Test("Settlement of a refund leaves the sale where it is, in each order", arguments: [true, false])
    func refunds(isFirst: Bool) {
        let refund = TransactionEvent.refunded(Reported.part("r", 200))
        let reports = [Self.settled(7, 200), Self.settled(1, 750)]
        let found = state(
            Reported.sale(750) + [refund, Self.relayed(1), Self.relayed(2)] + (isFirst ? reports : reports.reversed())
        )
        #expect(found.captures.map(\.settledIn) == [Reported.batch(1)])
        #expect(found.refunds.map(\.settledIn) == [Reported.batch(7)])
    }

    @Test("Only the money that the report names moves")
    func parts() {
        let captures = [Reported.captured(300, id: "a"), Reported.captured(450, id: "b")]
        let found = state(Reported.authorization(750) + captures + [Self.relayed(1), Self.settled(2, 300)])
        #expect(found.captures.map(\.settledIn) == [Reported.batch(2), Reported.batch(1)])
        let other = state(Reported.authorization(750) + captures + [Self.relayed(1), Self.settled(2, 500)])
        #expect(other.captures.map(\.settledIn) == [Reported.batch(1), Reported.batch(1)])
    }

    @Test("A second relayed closing makes no difference", arguments: [true, false])
    func closings(isFirst: Bool) {
        let reports = isFirst ? [Self.relayed(2), Self.settled(2, 750)] : [Self.settled(2, 750), Self.relayed(2)]
        let found = state(Reported.sale(750) + [Self.relayed(1)] + reports + [.voided(Reported.part("v"))])
        #expect(found.status == .settled && found.settled == 750)
    }

    @Test("The order of another capture and the closing makes no difference", arguments: [true, false])
    func captures(isFirst: Bool) {
        let (a, b) = (Reported.captured(300, id: "a", in: 2), Reported.captured(450, id: "b", in: 2))
        let closing = Self.settled(2)
        let later = isFirst ? [b, closing] : [closing, b]
        let found = state(
            Reported.authorization(750) + [a, Self.relayed(1)] + later + [.voided(Reported.part("v"))]
        )
        #expect(found.settled == 750, "\(found.amountsText)")
    }

    @Test("A report ends a doubt only about what it reports")
    func doubts() {
        func doubts(_ facts: [TransactionEvent]) -> [FollowUpInDoubt.Subject] {
            state(facts).anomalies.compactMap { $0.inDoubt?.subject }
        }
        func raised(_ subject: FollowUpInDoubt.Subject) -> TransactionEvent {
            .anomalyRaised(.followUpInDoubt(subject))
        }
        let sale = Reported.sale(750, in: 1)
        // Another amount supports the doubt.
        #expect(doubts(sale + [raised(.partialVoid), Self.settled(1), Self.settled(1, 650)]) == [.partialVoid])
        #expect(doubts(sale + [Self.settled(1), Self.settled(1, 650), raised(.partialVoid)]) == [.partialVoid])
        // A report about the sale proves nothing about its refund.
        let refund = TransactionEvent.refunded(Reported.part("r", 200, in: 1))
        #expect(doubts(sale + [refund, Self.settled(1), raised(.followUp(.refund)), Self.settled(nil)]) != [])
        // A part is open.
        let parts = [Reported.captured(300, id: "a", in: 1), Reported.captured(450, id: "b", in: 2)]
        let open = Reported.authorization(750) + parts
        #expect(doubts(open + [raised(.followUp(.void)), Self.settled(1, 300)]) == [.followUp(.void)])
        #expect(doubts(open + [Self.settled(1, 300), raised(.followUp(.void))]) == [.followUp(.void)])
        #expect(doubts(open + [raised(.followUp(.void)), Self.settled(1, 300), Self.settled(2, 450)]) == [])
        // Any follow-up may be a refund.
        let own = sale + [refund, Self.settled(1, 750)]
        #expect(doubts(own + [Self.relayed(2), raised(.anyFollowUp)]).count <= 1)
        let late = TransactionEvent.refunded(Reported.part("r", 200)).limited(to: .relayed)
        #expect(doubts(sale + [Self.settled(1, 750), late, Self.relayed(2), raised(.anyFollowUp)]) == [.anyFollowUp])
    }

    @Test("A report without a batch and one with it are about the same money, in each order", arguments: [true, false])
    func unnamed(isFirst: Bool) {
        let reports = isFirst ? [Self.settled(nil, 750), Self.settled(1)] : [Self.settled(1), Self.settled(nil, 750)]
        let found = state(Reported.sale(750, in: 1) + reports)
        #expect(found.anomalies.isEmpty, "\(found.anomalies)")
        #expect(found.captures.map(\.settledIn) == [Reported.batch(1)])
        let rejected = state(
            Reported.sale(750, in: 1) + reports + [.settlementRejected(Reported.settlement(1))]
        )
        #expect(rejected.settled == 0)
    }
}
