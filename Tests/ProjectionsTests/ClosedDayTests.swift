import Canonical
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Journal
@testable import Projections

/// Entries about days that are closed for their merchant.
struct ClosedDayTests {
    /// Whatever happens after a closing, the balances of the merchant up to the closed day stay, and each later entry
    /// names the day that it belongs to.
    @Test(arguments: [51, 52, 53] as [UInt64])
    func balancesUpToAClosedDayStay(seed: UInt64) async throws {
        try await Following.with { following in
            var history = LateHistory(SeededGenerator(seed: seed), following.log)
            try await history.record(150)
            try await following.catchUp(["journal", "merchants"])
            let journal = JournalQuery(pool: following.log.pool)
            let head = try await following.log.reader.head()
            #expect(history.closings.count > 5)
            for closing in history.closings {
                let expected = try await Self.balances(journal, closing, at: closing.position)
                let last = (closing.until ?? head + 1) - 1
                for position in Set([closing.position + 1, (closing.position + last) / 2, last])
                where closing.position < position && position <= last {
                    let found = try await Self.balances(journal, closing, at: position)
                    #expect(found == expected, "\(closing) at \(position)")
                }
            }
            let legs = try await journal.legs(of: "acme", matching: JournalFilter(), limit: 10_000)
            for leg in legs {
                let closed = history.closings.filter { $0.isInForce(at: leg.position, for: leg.merchant) }
                let locked = closed.map(\.day).max() ?? ""
                #expect(leg.day > locked && leg.adjusts ?? "" <= locked, "\(leg) after \(locked)")
            }
            #expect(legs.filter { $0.adjusts != nil }.count > 5)
            try await Self.expectSums(following, journal, legs, upTo: [nil, head / 2, head])
            let range = ExportRange(since: 0, after: 0, through: head)
            let exported = try await ExportFile(journal, of: "acme", as: .hledger, range).run { _ in }
            #expect(exported.legs == Int64(legs.count))
            let report = try await following.rebuild("journal")
            #expect(report.isSwapped && report.liveDigest == report.rebuiltDigest)
            let again = try await ExportFile(journal, of: "acme", as: .hledger, range).run { _ in }
            #expect(again == exported)
        }
    }

    /// The balances of a closed merchant up to the closed day.
    private static func balances(
        _ journal: JournalQuery,
        _ closing: LateHistory.Closing,
        at position: Int64
    ) async throws -> [AccountBalance] {
        var filter = JournalFilter()
        let end: CivilDate = try #require(CivilDate(closing.day))
        filter.to = end
        let found = try await journal.balances(
            of: "acme",
            by: [.merchant, .day, .account, .part],
            matching: filter,
            at: position
        )
        return found.filter { closing.names.contains($0.keys[0] ?? "") }
    }

    /// The legs of each day of an entry add up to zero, and the trial balance by adjusted day is the sum of the legs.
    private static func expectSums(
        _ following: Following,
        _ journal: JournalQuery,
        _ legs: [PostedLeg],
        upTo positions: [Int64?]
    ) async throws {
        let uneven = try await following.log.pool.query(
            """
            SELECT FROM read_journal.entries GROUP BY tenant, position, day, adjusts, currency HAVING sum(amount) <> 0
            """
        )
        #expect(uneven.isEmpty)
        for position in positions {
            var expected: [[String]: Int64] = [:]
            for leg in legs where leg.position <= position ?? .max {
                expected[[leg.day, leg.adjusts ?? "", leg.account.rawValue], default: 0] += leg.amount.value
            }
            let found = try await journal.balances(of: "acme", by: [.day, .adjusts, .account], at: position)
            let sums = Dictionary(uniqueKeysWithValues: found.map { ($0.keys.map { $0 ?? "" }, $0.balance) })
            #expect(sums == expected.filter { $0.value != 0 }, "at \(position ?? 0)")
        }
    }

    /// A late entry is on the day of its event, or on the first open one. A reopening is for later entries, and entries
    /// keep their days.
    @Test func lateEntriesAreOnAnOpenDay() async throws {
        try await Following.with { following in
            let log = following.log
            log.clock.set(try #require(Timestamp(rfc3339: "2026-03-05T12:00:00Z")))
            func sale(_ number: Int, _ merchant: String?, at local: String, event: String) async throws {
                var capture = Samples.capture(Capture.saleID, 500)
                capture.at = .local(try #require(LocalTime(local)))
                let request = PaymentRequest(
                    amounts: Amounts(total: Samples.usd(500)),
                    references: References(merchant: merchant)
                )
                try await log.record(
                    [.saleRequested(request), .captured(capture)],
                    about: Samples.id(number),
                    occurredAt: try #require(Timestamp(rfc3339: event))
                )
            }
            func days(_ number: Int) async throws -> [String] {
                try await following.catchUp(["journal", "merchants"])
                var filter = JournalFilter()
                (filter.transaction, filter.account) = (Samples.id(number), .sales)
                let legs = try await JournalQuery(pool: log.pool).legs(of: "acme", matching: filter, limit: 100)
                return legs.map { "\($0.day) for \($0.adjusts ?? "itself")" }
            }
            let (morning, before) = ("2026-03-01T10:00:00", "2026-03-01T10:00:05Z")
            try await sale(1, "shop", at: morning, event: before)
            try await log.record(try Samples.closing(["shop", "till"], "2026-03-02"), of: "shop", on: "2026-03-02")
            try await sale(2, "shop", at: morning, event: "2026-03-05T11:00:00Z")
            try await sale(3, "shop", at: morning, event: before)
            try await sale(4, "till", at: morning, event: before)
            try await sale(5, "kiosk", at: morning, event: before)
            try await sale(6, nil, at: morning, event: before)
            try await sale(7, "shop", at: "2026-03-03T00:00:00", event: "2026-03-03T00:00:05Z")
            try await log.record(
                [.voided(Samples.taken("v", nil))],
                about: Samples.id(1),
                occurredAt: try #require(Timestamp(rfc3339: "2026-03-02T10:00:00Z"))
            )
            // A later day, which is opened again.
            try await log.record(try Samples.closing(["shop"], "2026-03-04"), of: "shop", on: "2026-03-04")
            try await sale(8, "shop", at: "2026-03-03T10:00:00", event: "2026-03-03T10:00:05Z")
            try await log.record(try Samples.reopening(), of: "shop", on: "2026-03-04")
            try await sale(9, "shop", at: "2026-03-03T10:00:00", event: "2026-03-03T10:00:05Z")
            try await sale(10, "shop", at: morning, event: before)
            try await log.record(try Samples.reopening(), of: "shop", on: "2026-03-02")
            try await sale(11, "shop", at: morning, event: before)
            try await sale(12, "till", at: morning, event: before)
            let expected = [
                ["2026-03-01 for itself", "2026-03-03 for 2026-03-02"], ["2026-03-05 for 2026-03-01"],
                ["2026-03-03 for 2026-03-01"], ["2026-03-03 for 2026-03-01"], ["2026-03-01 for itself"],
                ["2026-03-01 for itself"], ["2026-03-03 for itself"], ["2026-03-05 for 2026-03-03"],
                ["2026-03-03 for itself"], ["2026-03-03 for 2026-03-01"], ["2026-03-01 for itself"],
                ["2026-03-01 for itself"],
            ]
            for (number, expected) in zip(1..., expected) {
                #expect(try await days(number) == expected, "sale \(number)")
            }
        }
    }
}

/// Payments of several merchants whose facts come late, and closings of days in between.
private struct LateHistory {
    /// A closed day of a merchant.
    struct Closing {
        let names: [String]
        let day: String
        let position: Int64
        /// The position of the reopening.
        var until: Int64?

        func isInForce(at position: Int64, for merchant: String?) -> Bool {
            names.contains(merchant ?? "") && self.position < position && position < until ?? .max
        }
    }

    private static let merchants = [["shop"], ["bar", "bar at the lake"]]

    private(set) var closings: [Closing] = []
    private var random: SeededGenerator
    private let log: TestLog

    init(_ random: SeededGenerator, _ log: TestLog) {
        self.random = random
        self.log = log
    }

    mutating func record(_ count: Int) async throws {
        log.clock.set(Timestamp(microsecondsSince1970: 1_772_366_400_000_000))
        for _ in 0..<count {
            log.clock.advance(seconds: Int64.random(in: 0...30_000, using: &random))
            switch Int.random(in: 0..<14, using: &random) {
            case 0, 1: try await close()
            case 2: try await reopen()
            default:
                let facts = (0..<Int.random(in: 1...3, using: &random)).map { _ in fact() }
                let payment = Samples.id(Int.random(in: 0..<25, using: &random))
                try await log.record(facts, about: payment, occurredAt: earlier(days: 2))
            }
        }
    }

    private mutating func close() async throws {
        let names = Self.merchants[Int.random(in: 0...1, using: &random)]
        let day = String(earlier(days: 3).rfc3339.prefix(10))
        guard !closings.contains(where: { $0.until == nil && $0.names == names && $0.day == day }) else { return }
        let position = try await log.record(try Samples.closing(names, day), of: names[0], on: day)
        closings.append(Closing(names: names, day: day, position: position))
    }

    private mutating func reopen() async throws {
        guard let index = closings.indices.filter({ closings[$0].until == nil }).randomElement(using: &random) else {
            return
        }
        let closing = closings[index]
        closings[index].until = try await log.record(
            try Samples.reopening(),
            of: closing.names[0],
            on: closing.day
        )
    }

    private mutating func earlier(days: Int64) -> Timestamp {
        log.clock.now().adding(microseconds: -Int64.random(in: 0...days * 86_400_000_000, using: &random))
    }

    private mutating func amount() -> Int64 { Int64.random(in: 0...2_000, using: &random) }

    private mutating func fact() -> TransactionEvent {
        let id = "\(Int.random(in: 1...2, using: &random))"
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1, 2:
            let names = Self.merchants.flatMap { $0 } + ["kiosk"]
            let request = PaymentRequest(
                amounts: Amounts(total: Samples.usd(amount())),
                references: References(merchant: names.randomElement(using: &random))
            )
            return .saleRequested(request)
        case 3, 4, 5:
            var capture = Samples.capture(Bool.random(using: &random) ? Capture.saleID : id, amount(), tip: 10)
            capture.at = .local(LocalTime(shown: earlier(days: 4)))
            return .captured(capture)
        case 6: return .tipAdjusted(TipAdjustment(tip: Samples.usd(amount()), evidence: .gateway))
        case 7: return .voided(Samples.taken(id, Bool.random(using: &random) ? nil : amount()))
        case 8: return .refundVoided(Samples.taken(id, nil))
        default: return .refunded(Samples.taken(id, amount()))
        }
    }
}
