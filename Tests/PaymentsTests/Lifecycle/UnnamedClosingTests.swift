import Canonical
import Payments
import Testing

/// The closing of a batch without a number takes the money made before it.
@Suite("Closings of unnamed batches")
struct UnnamedClosingTests {
    private static let account = BatchReference(vendor: .bridgepay, account: "a", number: nil)

    private static func instant(_ hour: Int) -> Timestamp {
        Timestamp(microsecondsSince1970: Int64(hour) * 3_600_000_000)
    }

    private static func closing(_ hour: Int) -> TransactionEvent {
        .settled(Settlement(id: "a", batch: account, at: .instant(instant(hour))))
    }

    private static func capture(_ id: String, in batch: BatchReference? = nil) -> TransactionEvent {
        .captured(Capture(id: id, amounts: Amounts(total: Money(100, .usd)), evidence: .gateway, batch: batch))
    }

    /// Which of the captures are settled after the facts, each with the hour of its event.
    private static func settled(_ facts: [(TransactionEvent, hour: Int)]) -> [String] {
        var state = TransactionState()
        for (fact, hour) in facts { Lifecycle.evolve(&state, fact, at: instant(hour)) }
        return state.captures.filter(\.isSettled).map(\.id).sorted()
    }

    @Test("It takes what was made before it, in each order")
    func orders() {
        let (before, after, closing) = ((Self.capture("1"), hour: 1), (Self.capture("2"), hour: 3), Self.closing(2))
        #expect(Self.settled([before, after, (closing, 9)]) == ["1"])
        #expect(Self.settled([before, (closing, 9), after]) == ["1"])
        #expect(Self.settled([(closing, 9), after, before]) == ["1"])
        #expect(Self.settled([after, before, (closing, 9), (Self.closing(4), 10)]) == ["1", "2"])
    }

    @Test("A local time and an instant are compared by the times of their events")
    func unlikeTimes() throws {
        let noon = try #require(ReportedTime("1970-01-01T12:00:00"))
        func closing(_ hour: Int) -> TransactionEvent {
            .settled(Settlement(id: "a", batch: Self.account, at: noon, occurredAt: Self.instant(hour)))
        }
        // At 13:00 UTC it may be before noon elsewhere, and the closing occurred at 2:00 UTC.
        let later = (Self.capture("2"), hour: 3)
        #expect(Self.settled([(Self.capture("1"), 1), later, (closing(2), 9)]) == ["1"])
        #expect(Self.settled([(closing(2), 9), later, (Self.capture("1"), 1)]) == ["1"])
        func local(_ id: String, _ time: String) throws -> TransactionEvent {
            let amounts = Amounts(total: Money(100, .usd))
            let at = try #require(ReportedTime(time) as ReportedTime?)
            return .captured(Capture(id: id, amounts: amounts, evidence: .gateway, at: at))
        }
        let morning = try local("1", "1970-01-01T11:59:00")
        let evening = try local("2", "1970-01-01T12:01:00")
        // Two local times are compared, whenever their events occurred.
        #expect(Self.settled([(morning, 8), (evening, 1), (closing(2), 9)]) == ["1"])
        // A closing with an instant.
        #expect(Self.settled([(morning, 1), (evening, 3), (Self.closing(2), 9)]) == ["1"])
    }

    @Test("It takes no money whose settlement was rejected")
    func rejected() {
        let rejection = TransactionEvent.settlementRejected(Settlement(id: "a", batch: Self.account))
        let facts = [(Self.capture("1"), hour: 1), (Self.closing(2), 2), (rejection, 3), (Self.closing(4), 4)]
        #expect(Self.settled(facts).isEmpty)
        #expect(Self.settled(facts + [(Self.capture("2"), 3), (Self.closing(5), 5)]) == ["2"])
        let stated = TransactionEvent.settled(Settlement(id: "s", amount: Money(100, .usd), evidence: .gateway))
        #expect(Self.settled(facts + [(stated, 6)]) == ["1"])
    }

    @Test("It takes no money of a named batch")
    func namedBatches() {
        let named = BatchReference(vendor: .bridgepay, account: "a", number: "7")
        #expect(Self.settled([(Self.capture("1", in: named), 1), (Self.closing(2), 9)]).isEmpty)
        #expect(Self.settled([(Self.closing(2), 9), (Self.capture("1", in: named), 1)]).isEmpty)
    }

    @Test("A later closing that takes nothing is not recorded, also under another name of the account")
    func repeated() {
        let history = [Self.capture("1"), Self.closing(9)]
        let till = BatchReference(vendor: .bridgepay, account: "till-9", number: nil)
        let other = TransactionEvent.settled(Settlement(id: "t", batch: till, at: .instant(Self.instant(12))))
        for closing in [Self.closing(12), other] {
            #expect(Lifecycle.decide([closing], after: history, policy: LifecyclePolicy()) == [])
        }
        let taken = Lifecycle.decide([Self.closing(9)], after: [Self.capture("1")], policy: LifecyclePolicy())
        #expect(taken == [Self.closing(9)])
    }
}
