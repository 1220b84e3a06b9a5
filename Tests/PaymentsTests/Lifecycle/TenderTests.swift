import DaybookTestKit
import Payments
import TestFacts
import Testing

/// Payments with several tenders, and cash from machines.
@Suite("Tenders and cash")
struct TenderTests {
    private static let asked: TransactionEvent = .saleRequested(Reported.request(1000))

    @Test(
        "Tenders add up",
        arguments: [
            Story(
                "one pays all",
                given: [asked],
                when: Reported.tender(1000, balance: 0),
                then: .captured,
                "A1000 C1000"
            ),
            Story(
                "one pays a part",
                given: [asked],
                when: Reported.tender(600, balance: 400),
                then: .partiallyApproved,
                "A600 C600 due400"
            ),
            Story(
                "two pay all",
                given: [asked],
                when: Reported.tender(600, id: "a", balance: 400),
                Reported.tender(400, id: "b", balance: 0),
                then: .captured,
                "A1000 C1000"
            ),
            Story(
                "three pay all, the last reported first",
                given: [asked],
                when: Reported.tender(100, id: "c", balance: 0),
                Reported.tender(600, id: "a", balance: 400),
                Reported.tender(300, id: "b", balance: 100),
                then: .captured,
                "A1000 C1000"
            ),
            Story(
                "the request comes last",
                when: Reported.tender(600, id: "a", balance: 400),
                Reported.tender(400, id: "b", balance: 0),
                asked,
                then: .captured,
                "A1000 C1000"
            ),
            Story(
                "without a request: the balance determines it",
                when: Reported.tender(600, balance: 400),
                then: .partiallyApproved,
                "A600 C600 due400"
            ),
            Story(
                "without a balance, only a partial approval",
                when: Reported.tender(600, isPartial: true),
                then: .partiallyApproved,
                "A600 C600"
            ),
            Story(
                "the same tender counts once",
                given: [asked],
                when: Reported.tender(600, balance: 400),
                Reported.tender(600, balance: 400, by: .settlement),
                then: .partiallyApproved,
                "A600 C600 due400"
            ),
            Story(
                "a tip on top is not part of the request",
                given: [asked],
                when: Reported.tender(1200, tip: 200, balance: 0),
                then: .captured,
                "A1200 C1200 T200"
            ),
            Story(
                "a tip pays nothing of the balance",
                given: [asked],
                when: Reported.tender(800, tip: 200),
                then: .partiallyApproved,
                "A800 C800 T200 due400"
            ),
            Story(
                "an offer reduces the balance once",
                given: [asked],
                when: Reported.tender(500, id: "a", balance: 300, off: 200),
                Reported.tender(300, id: "b", balance: 0, off: 200),
                then: .captured,
                "A800 C800"
            ),
            Story(
                "authorised first, captured later for less",
                given: [asked],
                when: Reported.tender(1000, isHeld: true),
                Reported.tender(700),
                then: .captured,
                "A1000 C700"
            ),
            Story("held", given: [asked], when: Reported.tender(1000, isHeld: true), then: .authorized, "A1000"),
            Story(
                "one authorised, one captured",
                given: [asked],
                when: Reported.tender(600, id: "a"),
                Reported.tender(400, id: "b", isHeld: true),
                then: .partiallyCaptured,
                "A1000 C600"
            ),
            Story(
                "one tender voided",
                given: [asked, Reported.tender(600, id: "a"), Reported.tender(400, id: "b")],
                when: .voided(Reported.part("v", 400)),
                then: .captured,
                "A1000 C600"
            ),
            Story(
                "the account of a return is credited",
                given: [.creditRequested(Reported.request(1000))],
                when: Reported.tender(1000),
                then: .credited,
                "credit1000"
            ),
            Story(
                "settled and partly refunded",
                given: [asked, Reported.tender(600, id: "a"), Reported.tender(400, id: "b")],
                when: .settled(Reported.settlement(1, 1000)),
                .refunded(Reported.part("r", 100)),
                then: .partiallyRefunded,
                "A1000 C1000 F100 S1000"
            ),
        ]
    )
    func sums(_ story: Story) { story.check() }

    @Test(
        "Failed attempts",
        arguments: [
            Story("the only one", given: [asked], when: Reported.refused(), then: .declined),
            Story("it never got through", given: [asked], when: Reported.refused(.failed), then: .failed),
            Story(
                "another tender does better",
                given: [asked],
                when: Reported.refused(),
                Reported.tender(1000, balance: 0),
                then: .captured,
                "A1000 C1000"
            ),
            Story(
                "even if only the device reports it",
                given: [asked],
                when: Reported.refused(),
                Reported.tender(1000, by: .reader),
                then: .captured,
                "A1000 C1000"
            ),
            Story(
                "the second of two",
                given: [asked],
                when: Reported.tender(600, balance: 400),
                Reported.refused(),
                then: .partiallyApproved,
                "A600 C600 due400"
            ),
            Story(
                "then cancelled by the customer",
                given: [asked],
                when: Reported.refused(),
                .cancelled(Reported.verdict()),
                then: .cancelled
            ),
            Story(
                "then in doubt",
                given: [asked],
                when: Reported.refused(),
                .outcomeUnknown(Reported.verdict()),
                then: .inDoubt
            ),
            Story(
                "the doubt is about a further tender",
                given: [asked],
                when: Reported.tender(600, balance: 400),
                .outcomeUnknown(Reported.verdict()),
                then: .partiallyApproved,
                "A600 C600 due400",
                .followUpInDoubt
            ),
            Story(
                "the doubt about the first ends when it is reported",
                given: [asked],
                when: .outcomeUnknown(Reported.verdict()),
                Reported.tender(1000, balance: 0),
                then: .captured,
                "A1000 C1000"
            ),
        ]
    )
    func refusals(_ story: Story) { story.check() }

    @Test(
        "What does not fit",
        arguments: [
            Story(
                "more than requested",
                given: [asked],
                when: Reported.tender(600, id: "a"),
                Reported.tender(600, id: "b"),
                then: .captured,
                "A1200 C1200",
                .approvalExceedsRequest
            ),
            Story(
                "the same tender with another amount",
                given: [asked],
                when: Reported.tender(600, balance: 400),
                Reported.tender(700, balance: 300),
                then: .partiallyApproved,
                "A600 C600 due400",
                .conflictingAmount,
                .tenderMissing
            ),
            Story(
                "less is left than the tenders leave",
                given: [asked],
                when: Reported.tender(400, id: "b", balance: 0),
                then: .partiallyApproved,
                "A400 C400 due600",
                .tenderMissing
            ),
            Story(
                "cash of a return does not count",
                given: [.creditRequested(Reported.request(1000))],
                when: Reported.dispensed(1000),
                then: .requested,
                "",
                .conflictingOutcome
            ),
            Story(
                "captured, and then reported as a credit",
                when: Reported.tender(1000),
                .creditRequested(Reported.request(1000)),
                then: .captured,
                "A1000 C1000",
                .conflictingOutcome
            ),
            Story(
                "cancelled, and captured nevertheless",
                given: [asked],
                when: .cancelled(Reported.verdict()),
                Reported.tender(1000),
                then: .captured,
                "A1000 C1000",
                .conflictingOutcome
            ),
            Story(
                "captured, then cancelled",
                given: [asked],
                when: Reported.tender(600, balance: 400),
                .cancelled(Reported.verdict()),
                then: .partiallyApproved,
                "A600 C600 due400",
                .conflictingOutcome
            ),
            Story(
                "captured after a void",
                given: [asked, Reported.tender(600, id: "a")],
                when: .voided(Reported.part("v")),
                Reported.tender(400, id: "b"),
                then: .voided,
                "A1000",
                .captureNotAllowed
            ),
            Story(
                "a tender of a fully approved payment",
                given: Reported.sale(1000),
                when: Reported.tender(1000),
                then: .captured,
                "A2000 C2000",
                .conflictingOutcome,
                .approvalExceedsRequest
            ),
            Story(
                "in another currency",
                given: [asked],
                when: .tenderApplied(Tender(id: "e", amounts: Reported.amounts(500, .eur), evidence: .gateway)),
                then: .requested,
                "",
                .currencyMismatch
            ),
        ]
    )
    func contradictions(_ story: Story) { story.check() }

    @Test(
        "Cash machines",
        arguments: [
            Story("all of it", when: Reported.dispensed(10_000, of: 10_000), then: .captured, "A10000 C10000"),
            Story(
                "a part: the rest is not due",
                when: Reported.dispensed(6_000, of: 10_000),
                then: .captured,
                "A6000 C6000"
            ),
            Story(
                "a part of what had been approved: the rest is released",
                given: Reported.authorization(10_000),
                when: Reported.dispensed(6_000, of: 10_000),
                then: .captured,
                "A6000 C6000"
            ),
            Story(
                "in two parts",
                when: Reported.dispensed(6_000, of: 10_000, id: "a"),
                Reported.dispensed(4_000, of: 10_000, id: "b"),
                then: .captured,
                "A10000 C10000"
            ),
            Story(
                "more than requested",
                when: Reported.dispensed(12_000, of: 10_000),
                then: .captured,
                "A12000 C12000",
                .approvalExceedsRequest
            ),
            Story(
                "requested as another operation",
                given: [.saleRequested(Reported.request(8_000))],
                when: Reported.dispensed(8_000, of: 10_000),
                then: .captured,
                "A8000 C8000",
                .conflictingAmount
            ),
            Story(
                "after a decline",
                given: [.saleRequested(Reported.request(10_000)), .declined(Reported.verdict())],
                when: Reported.dispensed(10_000, of: 10_000),
                then: .captured,
                "A10000 C10000",
                .conflictingOutcome
            ),
        ]
    )
    func cash(_ story: Story) { story.check() }

    @Test("A tender and dispensed cash with the same id are two entries")
    func ids() {
        let history = [Reported.tender(600, id: "x"), Reported.dispensed(400, id: "x")]
        let state = TransactionState(folding: history)
        #expect(state.tenders.entries.map(\.captureID) == ["tender:x", "cash:x"] && state.captured == 1000)
    }

    @Test("The first tender's account becomes the payment's card")
    func card() {
        let state = TransactionState(folding: [Reported.tender(600, id: "a"), Reported.tender(400, id: "b")])
        #expect(state.card?.funding == "gift" && state.card?.lastFour == "0119")
        #expect(state.tenders.entries.map(\.account?.kind) == ["gift", "gift"])
    }

    @Test("In any order the same tenders have the same sums and leave the same amount due")
    func order() throws {
        var generator = FactGenerator(.forTest())
        let seed = Comment("DAYBOOK_TEST_SEED=\(generator.random.seed)")
        for _ in 0..<500 {
            let parts = (0..<Int.random(in: 1...5, using: &generator.random)).map { _ in
                Int64.random(in: 1...500, using: &generator.random)
            }
            let tips = parts.map { Int64.random(in: 0...$0 / 4, using: &generator.random) }
            let asked = zip(parts, tips).reduce(0) { $0 + $1.0 - $1.1 }
            var balance = asked
            var facts: [TransactionEvent] = [.saleRequested(Reported.request(asked))]
            for (index, part) in parts.enumerated() {
                balance -= part - tips[index]
                facts.append(Reported.tender(part, tip: tips[index], id: "t\(index)", balance: balance))
            }
            let reported = generator.chance(50) ? facts : Array(facts.dropLast())
            var life = Life(policy: LifecyclePolicy())
            // Each tender is reported twice, in any order.
            for fact in (reported + reported).shuffled(using: &generator.random) { life.observe([fact]) }
            let state = try #require(life.steps.last?.after)
            let paid = reported.count - 1
            let sum = parts.prefix(paid).reduce(0, +)
            let left = asked - zip(parts, tips).prefix(paid).reduce(0) { $0 + $1.0 - $1.1 }
            // Before the first tender everything is only requested.
            let due = paid > 0 ? left : 0
            try #require(state.authorized == sum && state.captured == sum, seed)
            try #require(state.tips == tips.prefix(paid).reduce(0, +), seed)
            try #require(state.due == due && state.authorization.isPartial == (due > 0), seed)
            try #require(state.anomalies.isEmpty, "\(state.anomalies.map(\.explanation)), \(seed)")
            let status: TransactionStatus = paid == 0 ? .requested : due > 0 ? .partiallyApproved : .captured
            try #require(state.status == status, seed)
        }
    }

    @Test("The books contain every tender and every dispense to the cent")
    func books() throws {
        var generator = FactGenerator(.forTest(), .extreme)
        let seed = Comment("DAYBOOK_TEST_SEED=\(generator.random.seed)")
        for _ in 0..<500 {
            var life = Life(policy: generator.policy())
            for _ in 0..<8 {
                let fact: TransactionEvent =
                    switch Int.random(in: 0..<5, using: &generator.random) {
                    case 0: .saleRequested(generator.request())
                    case 1, 2: .tenderApplied(generator.tender())
                    case 3: .cashDispensed(generator.dispense())
                    default: .tenderRefused(generator.refusal())
                    }
                life.observe([fact])
            }
            let state = try #require(life.steps.last?.after)
            let tenders = state.tenders.entries
            try #require(Set(tenders.map(\.captureID)).count == tenders.count, seed)
            try #require(state.captures.count == tenders.count(where: \.isCaptured), seed)
            try #require(state.captures.allSatisfy { $0.amount >= 0 }, seed)
            try #require((state.authorization.approved ?? 0) == tenders.reduce(0) { $0 + $1.amount }, seed)
            try #require(state.turnover <= TransactionState.turnoverLimit, seed)
        }
    }
}
