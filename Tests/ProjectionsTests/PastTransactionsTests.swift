import Canonical
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

/// A list as of a position equals the list of a ledger with only the events up to there.
struct PastTransactionsTests {
    private struct Search: Sendable {
        var filter: TransactionFilter
        var order: TransactionOrder
    }

    private static func searches(_ count: Int, _ random: inout SeededGenerator) -> [Search] {
        (0..<count).map { number in
            Search(
                filter: number < 2 ? .init() : filter(&random),
                order: number % 2 == 0 ? .position : .time
            )
        }
    }

    /// One or two conditions on values that occur in random histories.
    private static func filter(_ random: inout SeededGenerator) -> TransactionFilter {
        var filter = TransactionFilter()
        let began = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            switch Int.random(in: 0..<19, using: &random) {
            case 0, 1: filter.status = TransactionStatus.allCases.randomElement(using: &random)
            case 2: filter.operation = [.sale, .authorization, .credit].randomElement(using: &random)
            case 3: filter.vendor = [.dejavoo, .bridgepay].randomElement(using: &random)
            case 4: filter.terminal = "tpn-1"
            case 5: filter.batch = ["1", "2", "3"].randomElement(using: &random)
            case 6: filter.cardBrand = ["visa", "Amex"].randomElement(using: &random)
            case 7: filter.lastFour = "1111"
            case 8: filter.gatewayTransaction = ["g1", "g2"].randomElement(using: &random)
            case 9: filter.invoice = "inv\u{2400}1"
            case 10: filter.currency = "USD"
            case 11: filter.amountFrom = Int64.random(in: 0...1_500, using: &random)
            case 12: filter.amountTo = Int64.random(in: 0...1_500, using: &random)
            case 13: filter.isInDoubt = Bool.random(using: &random)
            case 14: filter.isAnomalous = Bool.random(using: &random)
            case 15: filter.words = [["VISA"], ["g1", "tpn-1"], ["3"]].randomElement(using: &random) ?? []
            case 16: filter.occurredFrom = began.adding(microseconds: Int64.random(in: 0...60_000_000, using: &random))
            case 17:
                filter.occurredBefore = began.adding(microseconds: Int64.random(in: 0...60_000_000, using: &random))
            default: filter.merchant = "m-1"
            }
        }
        return filter
    }

    /// The read models follow the log event by event, and every list is saved after each event.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func everyPrefixIsListedAsItWas(seed: UInt64) async throws {
        try await Following.with(runs: false) { following in
            var random = SeededGenerator(seed: seed)
            let searches = Self.searches(12, &random)
            var history = RandomHistory(SeededGenerator(seed: seed &+ 100))
            try await history.record(45, in: following.log)
            let head = try await following.log.reader.head()
            let store = ProjectionStore(projection: TransactionsProjection(), pool: following.log.pool)
            var reported: [[[StoredTransaction]]] = []
            for position in 1...head {
                try #require(try await store.advance(position...position, of: following.log))
                var lists: [[StoredTransaction]] = []
                for search in searches {
                    lists.append(
                        try await following.transactions.transactions(
                            of: "acme",
                            matching: search.filter,
                            sortedBy: search.order,
                            limit: 1000
                        )
                    )
                }
                reported.append(lists)
            }
            #expect(reported.joined().contains { !$0.isEmpty })
            // However few payments may be folded for a page, and however short it is, all pages together are the same
            // list.
            let whole = PastTransactions(pool: following.log.pool, reader: following.log.reader)
            let few = PastTransactions(pool: following.log.pool, reader: following.log.reader, foldLimit: 2)
            for position in 1...head {
                for (number, search) in searches.enumerated() {
                    let expected = reported[Int(position) - 1][number]
                    let page = try await Self.page(of: whole, search, at: position, limit: 1000)
                    #expect(page.items == expected && page.next == nil, "\(search) at \(position)")
                    guard position % 5 == 0 else { continue }
                    for past in [whole, few] {
                        let found = try await Self.all(of: past, search, at: position, by: 3)
                        #expect(found == expected, "\(search) at \(position), page by page")
                    }
                }
            }
            for search in searches {
                let empty = try await Self.page(of: whole, search, at: 0, limit: 10)
                #expect(empty.items.isEmpty && empty.next == nil)
                let later = try await Self.page(of: whole, search, at: head + 1_000_000, limit: 1000)
                let now = try await following.transactions.transactions(
                    of: "acme",
                    matching: search.filter,
                    sortedBy: search.order,
                    limit: 1000
                )
                #expect(later.items == now)
            }
        }
    }

    private static func page(
        of past: PastTransactions,
        _ search: Search,
        at position: Int64,
        after place: TransactionPlace? = nil,
        limit: Int
    ) async throws -> PastTransactions.Page {
        try await past.transactions(
            of: "acme",
            matching: search.filter,
            sortedBy: search.order,
            at: position,
            after: place,
            limit: limit
        )
    }

    private static func all(
        of past: PastTransactions,
        _ search: Search,
        at position: Int64,
        by limit: Int
    ) async throws -> [StoredTransaction] {
        var found: [StoredTransaction] = []
        var place: TransactionPlace?
        repeat {
            let page = try await page(of: past, search, at: position, after: place, limit: limit)
            #expect(page.items.count <= limit)
            try #require(page.next == nil || page.next != place)
            found += page.items
            place = page.next
        } while place != nil
        return found
    }

    /// A page without a match among the payments it may fold returns the place to continue from.
    @Test func aPageEndsAtTheFoldLimit() async throws {
        try await Following.with { following in
            for number in 0..<6 { try await following.log.record(Samples.sale(100), about: Samples.id(number)) }
            let position = try await following.log.reader.head()
            for number in 0..<6 {
                try await following.log.record([.refunded(Samples.taken("r", 100))], about: Samples.id(number))
            }
            try await following.catchUp()
            let past = PastTransactions(pool: following.log.pool, reader: following.log.reader, foldLimit: 4)
            var search = Search(filter: .init(), order: .position)
            search.filter.status = .refunded
            let first = try await Self.page(of: past, search, at: position, limit: 10)
            #expect(first.items.isEmpty && first.next != nil)
            let second = try await Self.page(of: past, search, at: position, after: first.next, limit: 10)
            #expect(second.items.isEmpty && second.next == nil)
            search.filter.status = .captured
            #expect(
                try await Self.all(of: past, search, at: position, by: 10).map(\.id)
                    == (0..<6).reversed().map(Samples.id)
            )
        }
    }

    /// Read models advance between the two reads of a page: a payment that crosses the position in between is listed
    /// once.
    @Test func pagesOfThePastIgnoreLaterEvents() async throws {
        try await Following.with(runs: false) { following in
            let store = ProjectionStore(projection: TransactionsProjection(), pool: following.log.pool)
            var applied: Int64 = 0
            var began = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)
            var number = 0
            for (order, limit, fold) in TransactionOrder.allCases.flatMap({ order in
                [
                    (order, 1, 1), (order, 1, 9), (order, 2, 1), (order, 2, 9), (order, 4, 2), (order, 10, 1),
                    (order, 10, 9),
                ]
            }) {
                let past = PastTransactions(pool: following.log.pool, reader: following.log.reader, foldLimit: fold)
                var search = Search(filter: .init(), order: order)
                began = began.adding(microseconds: 1_000_000)
                search.filter.occurredFrom = began
                for _ in 0..<5 {
                    number += 1
                    try await following.log.record(Samples.sale(100), about: Samples.id(number), occurredAt: began)
                }
                let position = try await following.log.reader.head()
                try #require(try await store.advance(applied + 1...position, of: following.log))
                applied = position
                let expected = try await Self.all(of: past, search, at: position, by: 1000)
                #expect(expected.count == 5)
                var question = PastTransactions.Question(
                    tenant: "acme",
                    filter: search.filter,
                    order: order,
                    position: position,
                    limit: limit
                )
                var found: [StoredTransaction] = []
                repeat {
                    let kept = try await past.unchanged(question)
                    for id in Set(kept.prefix(1).map(\.id) + kept.suffix(1).map(\.id)) {
                        try await following.log.record([.refunded(Samples.taken("r", 100))], about: id)
                        let head = try await following.log.reader.head()
                        try #require(try await store.advance(applied + 1...head, of: following.log))
                        applied = head
                    }
                    let page = try await past.page(question, kept, try await past.changed(question, kept))
                    try #require(page.items.count <= limit && (page.next == nil || page.next != question.place))
                    found += page.items
                    question.place = page.next
                } while question.place != nil
                #expect(found == expected, "\(order), \(limit) a page, \(fold) folded")
            }
        }
    }

    private struct Lists: Equatable {
        var payments: [[StoredTransaction]] = []
        var batches: [BatchView] = []
    }

    private static func grow(_ log: TestLog, seed: UInt64) async throws {
        var history = RandomHistory(SeededGenerator(seed: seed))
        try await history.record(150, in: log)
    }

    /// Later events do not change a past list.
    @Test func thePastDoesNotChangeWhileTheLogGrows() async throws {
        try await Following.with { following in
            try await Self.grow(following.log, seed: 7)
            try await following.catchUp()
            let position = try await following.log.reader.head()
            let past = PastTransactions(pool: following.log.pool, reader: following.log.reader)
            let batches = PastBatches(pool: following.log.pool, reader: following.log.reader)
            func lists() async throws -> Lists {
                var lists = Lists()
                for order in TransactionOrder.allCases {
                    let search = Search(filter: .init(), order: order)
                    lists.payments.append(try await Self.all(of: past, search, at: position, by: 7))
                }
                lists.batches = try await batches.batches(of: "acme", at: position, limit: 1000).items
                for index in lists.batches.indices { lists.batches[index].lastPosition = 0 }
                return lists
            }
            let first = try await lists()
            #expect(first.payments.allSatisfy { $0.count > 7 } && !first.batches.isEmpty)
            async let grown: Void = Self.grow(following.log, seed: 8)
            for _ in 0..<30 {
                let again = try await lists()
                #expect(again == first)
            }
            try await grown
            try await following.catchUp()
            let last = try await lists()
            #expect(last == first)
        }
    }
}
