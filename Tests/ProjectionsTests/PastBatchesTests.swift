import Canonical
import DaybookTestKit
import EventLog
import Payments
import Testing

@testable import Projections

/// A list of batches as of a position equals the list of a ledger with only the events up to there.
struct PastBatchesTests {
    private struct Search: Sendable {
        var status: BatchState.Status?
        var isOpen: Bool?
        var number: String?
        var terminal: String?
        var merchant: String?
    }

    private static let searches: [Search] =
        [
            Search(), Search(isOpen: true), Search(isOpen: false), Search(number: "2"), Search(terminal: "tpn-1"),
            Search(isOpen: false, terminal: "tpn-1"), Search(merchant: "m-1"),
        ] + BatchState.Status.allCases.map { Search(status: $0) }

    /// The batches without the fields that differ in a past list: the position it is shown at, and the position of
    /// the newest event.
    private static func comparable(_ batches: [BatchView]) -> [BatchView] {
        batches.map { batch in
            var batch = batch
            batch.asOf = nil
            batch.lastPosition = 0
            return batch
        }
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func everyPrefixIsListedAsItWas(seed: UInt64) async throws {
        try await Following.with(runs: false) { following in
            var history = RandomHistory(SeededGenerator(seed: seed))
            try await history.record(50, in: following.log)
            let head = try await following.log.reader.head()
            let store = ProjectionStore(projection: BatchesProjection(), pool: following.log.pool)
            var reported: [[[BatchView]]] = []
            for position in 1...head {
                try #require(try await store.advance(position...position, of: following.log))
                var lists: [[BatchView]] = []
                for search in Self.searches {
                    lists.append(
                        try await following.batches.batches(
                            of: "acme",
                            status: search.status,
                            number: search.number,
                            merchant: search.merchant,
                            terminal: search.terminal,
                            isOpen: search.isOpen,
                            limit: 1000
                        )
                    )
                }
                reported.append(lists)
            }
            #expect(Set(reported.joined().joined().map(\.status)).count > 1)
            let whole = PastBatches(pool: following.log.pool, reader: following.log.reader)
            let few = PastBatches(pool: following.log.pool, reader: following.log.reader, readLimit: 2)
            for position in 1...head {
                for (number, search) in Self.searches.enumerated() {
                    let expected = Self.comparable(reported[Int(position) - 1][number])
                    let all = try await Self.all(of: whole, search, at: position, by: 1000)
                    #expect(Self.comparable(all) == expected, "\(search) at \(position)")
                    guard position % 5 == 0, Set(expected.map(\.firstPosition)).count == expected.count else {
                        continue
                    }
                    for past in [whole, few] {
                        let found = try await Self.all(of: past, search, at: position, by: 2)
                        #expect(Self.comparable(found) == expected, "\(search) at \(position), page by page")
                    }
                }
            }
        }
    }

    private static func all(
        of past: PastBatches,
        _ search: Search,
        at position: Int64,
        by limit: Int
    ) async throws -> [BatchView] {
        var found: [BatchView] = []
        var before: Int64? = .max
        while let first = before {
            let page = try await past.batches(
                of: "acme",
                status: search.status,
                number: search.number,
                merchant: search.merchant,
                terminal: search.terminal,
                isOpen: search.isOpen,
                at: position,
                before: first,
                limit: limit
            )
            #expect(page.items.count <= limit)
            try #require(page.next.map { $0 < first } ?? true)
            found += page.items
            before = page.next
        }
        return found
    }

    /// Read models advance between the two reads of a page: a batch that is closed in between is listed once, in its
    /// past state.
    @Test func pagesOfThePastIgnoreLaterClosings() async throws {
        try await Following.with(runs: false) { following in
            let store = ProjectionStore(projection: BatchesProjection(), pool: following.log.pool)
            var applied: Int64 = 0
            for (round, (limit, readLimit)) in [(1, 1), (1, 9), (2, 1), (2, 9), (3, 2), (9, 1), (9, 9)].enumerated() {
                let past = PastBatches(pool: following.log.pool, reader: following.log.reader, readLimit: readLimit)
                let terminal = "till-\(round)"
                for number in 0..<4 {
                    let sale = Samples.sale(100, batch: Samples.batch("\(number)", account: terminal))
                    try await following.log.record(sale, about: Samples.id(10 * round + number))
                }
                let position = try await following.log.reader.head()
                try #require(try await store.advance(applied + 1...position, of: following.log))
                applied = position
                let expected = try await Self.all(of: past, Search(terminal: terminal), at: position, by: 1000)
                #expect(expected.count == 4 && expected.allSatisfy { $0.status == .open && !$0.totals.isEmpty })
                var question = PastBatches.Question(
                    tenant: "acme",
                    terminal: terminal,
                    isOpen: true,
                    position: position,
                    first: .max,
                    limit: limit
                )
                var found: [BatchView] = []
                var next: Int64?
                repeat {
                    let kept = try await past.unchanged(question)
                    for batch in Set(kept.prefix(1).map(\.reference) + kept.suffix(1).map(\.reference)) {
                        let closing = BatchClosing(batch: batch, response: Response(code: "00"), at: nil)
                        try await following.log.record([.batchClosed(closing)], about: batch)
                        let head = try await following.log.reader.head()
                        try #require(try await store.advance(applied + 1...head, of: following.log))
                        applied = head
                    }
                    let page = try await past.page(question, kept, try await past.changed(question, kept))
                    try #require(page.items.count <= limit && page.next.map { $0 < question.first } ?? true)
                    found += page.items
                    next = page.next
                    question.first = next ?? 0
                } while next != nil
                let isWhole = Self.comparable(found) == Self.comparable(expected)
                #expect(isWhole, "\(limit) a page, \(readLimit) read: \(found.map(\.reference))")
            }
        }
    }
}
