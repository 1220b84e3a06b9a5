import Canonical
import DaybookTestKit
import EventLog
import Journal
import Payments
import Postgres
import Testing

@testable import Projections

/// Statements of accounts over a real log.
@Suite struct AccountStatementTests {
    private static func journal(_ following: Following, seed: UInt64, _ count: Int = 120) async throws -> JournalQuery {
        var history = RandomHistory(SeededGenerator(seed: seed))
        try await history.record(count, in: following.log)
        try await following.catchUp(["journal", "merchants"])
        return JournalQuery(pool: following.log.pool)
    }

    private static func filter(
        _ account: Account,
        _ change: (inout JournalFilter) -> Void = { _ in }
    ) -> JournalFilter {
        var filter = JournalFilter()
        filter.account = account
        change(&filter)
        return filter
    }

    /// What the trial balance has of an account.
    private static func balances(
        _ account: Account,
        _ journal: JournalQuery,
        at position: Int64
    ) async throws -> [Currency: Int64] {
        let rows = try await journal.balances(of: "acme", by: [.account], matching: filter(account), at: position)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.currency, $0.balance) })
    }

    /// The opening balance, the balance after each entry, and the closing balance.
    private struct Figures: Equatable {
        let opening: Int64
        let running: [Int64]
        let closing: Int64

        init(_ opening: Int64, _ running: [Int64], _ closing: Int64) {
            (self.opening, self.running, self.closing) = (opening, running, closing)
        }
    }

    private static func withoutZeros(_ sums: [Currency: Int64]) -> [Currency: Int64] { sums.filter { $0.value != 0 } }

    /// At every position, opening, last running and closing balance are those of the trial balance at the positions.
    @Test func balancesAreThoseOfTheTrialBalance() async throws {
        try await Following.with { following in
            let journal = try await Self.journal(following, seed: 41)
            let head = try await following.log.reader.head()
            var listed = 0
            for account in [Account.sales, .processorReceivable, .refunds, .tipsPayable] {
                for (after, through) in [(0, head), (head / 3, head), (0, head / 2), (head / 3, head / 2)] {
                    let statement = AccountStatement(Self.filter(account), after: after, through: through)
                    let opening = try await journal.opening(of: statement, tenant: "acme")
                    let before = try await Self.balances(account, journal, at: after)
                    #expect(Self.withoutZeros(opening) == before)
                    let closing = try await journal.closing(of: statement, tenant: "acme")
                    let end = try await Self.balances(account, journal, at: through)
                    #expect(closing == end)
                    let entries = try await journal.entries(of: statement, tenant: "acme", limit: 10_000)
                    #expect(Self.withoutZeros(entries.last?.balances ?? opening) == closing)
                    // The balance after each entry is the one of its position, once all legs of the position are added.
                    for (entry, next) in zip(entries, entries.dropFirst())
                    where entry.leg.position != next.leg.position && entry.leg.position % 7 == 0 {
                        let there = try await Self.balances(account, journal, at: entry.leg.position)
                        #expect(Self.withoutZeros(entry.balances) == there, "\(account) at \(entry.leg.position)")
                    }
                    listed += entries.count
                }
            }
            #expect(listed > 100, "the history moves money")
        }
    }

    /// Days, parts and merchants leave entries out; what is before the first day is in the opening balance.
    @Test func opensBeforeItsFirstDay() async throws {
        try await Following.with { following in
            let log = following.log
            func sale(_ number: Int, _ amount: Int64, on day: String) async throws {
                log.clock.set(try #require(Timestamp(rfc3339: "\(day)T12:00:00Z")))
                try await log.record(
                    [
                        .saleRequested(
                            PaymentRequest(
                                amounts: Amounts(total: Samples.usd(amount)),
                                references: References(merchant: "shop \(number % 2)")
                            )
                        ), .captured(Samples.capture(Capture.saleID, amount)),
                    ],
                    about: Samples.id(number),
                    occurredAt: log.clock.now()
                )
            }
            for (number, day) in ["2026-03-01", "2026-03-02", "2026-03-02", "2026-03-04"].enumerated() {
                try await sale(number + 1, Int64(100 << number), on: day)
            }
            try await following.catchUp(["journal", "merchants"])
            let journal = JournalQuery(pool: log.pool)
            let head = try await log.reader.head()
            func figures(
                after: Int64? = nil,
                _ change: (inout JournalFilter) -> Void
            ) async throws -> Figures {
                let statement = AccountStatement(Self.filter(.sales, change), after: after, through: head)
                let entries = try await journal.entries(of: statement, tenant: "acme", limit: 100)
                let opening = try await journal.opening(of: statement, tenant: "acme")
                let closing = try await journal.closing(of: statement, tenant: "acme")
                return Figures(opening[.usd] ?? 0, entries.map(\.balance.value), closing[.usd] ?? 0)
            }
            let first = CivilDate("2026-03-02")
            #expect(try await figures { _ in } == Figures(0, [-100, -300, -700, -1500], -1500))
            #expect(try await figures { $0.from = first } == Figures(-100, [-300, -700, -1500], -1500))
            #expect(try await figures { ($0.from, $0.to) = (first, first) } == Figures(-100, [-300, -700], -700))
            #expect(try await figures { $0.to = first } == Figures(0, [-100, -300, -700], -700))
            #expect(try await figures { $0.merchant = "shop 1" } == Figures(0, [-100, -500], -500))
            let beginning = CivilDate("0001-01-01")
            #expect(try await figures { $0.from = beginning } == Figures(0, [-100, -300, -700, -1500], -1500))
            let sooner = CivilDate("2026-03-01")
            #expect(try await figures { ($0.from, $0.to) = (first, sooner) } == Figures(-100, [], -100))
            // The second sale is before the position, and on the first day.
            let second = try #require(
                try await journal.legs(of: "acme", matching: Self.filter(.sales), limit: 2).last?.position
            )
            #expect(try await figures(after: second) { $0.from = first } == Figures(-300, [-700, -1500], -1500))
        }
    }

    /// Pages of any size have the balances of the whole, whether they are passed on or added up.
    @Test func pagesHaveTheBalancesOfTheWhole() async throws {
        try await Following.with { following in
            let journal = try await Self.journal(following, seed: 42, 60)
            let head = try await following.log.reader.head()
            let statement = AccountStatement(Self.filter(.processorReceivable), after: 5, through: head)
            let whole = try await journal.entries(of: statement, tenant: "acme", limit: 10_000)
            for (size, passesOn) in [(1, true), (3, false), (7, true), (7, false)] {
                var entries: [AccountEntry] = []
                while true {
                    let page = try await journal.entries(
                        of: statement,
                        tenant: "acme",
                        after: entries.last.map { (position: $0.leg.position, leg: $0.leg.leg) },
                        balances: passesOn ? entries.last?.balances : nil,
                        limit: size
                    )
                    entries += page
                    if page.count < size { break }
                }
                #expect(entries.map(\.leg) == whole.map(\.leg))
                #expect(entries.map(\.balance) == whole.map(\.balance))
            }
            #expect(whole.count > 20)
        }
    }

    /// A balance that exceeds 64 bits is refused, and none is wrapped.
    @Test func balancesDoNotWrap() async throws {
        try await Following.with { following in
            let journal = try await Self.journal(following, seed: 43, 60)
            _ = try await following.log.pool.query(
                "UPDATE read_journal.entries SET amount = $1::int8 WHERE account = 'sales'",
                [.int64(.max)]
            )
            let statement = AccountStatement(Self.filter(.sales), through: try await following.log.reader.head())
            await #expect(throws: BalanceError.overflow) {
                try await journal.entries(of: statement, tenant: "acme", limit: 100)
            }
        }
    }

    @Test func everyAccountIsListedWithItsPartsAndBalances() async throws {
        try await Following.with { following in
            let journal = try await Self.journal(following, seed: 44)
            let head = try await following.log.reader.head()
            for position in [nil, head, head / 2, 0] {
                let accounts = try await journal.accounts(of: "acme", at: position)
                #expect(accounts.map(\.account) == Account.allCases)
                let rows = try await journal.balances(of: "acme", by: [.account], at: position)
                let named = accounts.flatMap { account in account.balances.map { (account.account.rawValue, $0) } }
                #expect(
                    Set(named.map { "\($0) \($1)" })
                        == Set(rows.map { "\($0.keys[0] ?? "") \(Money($0.balance, $0.currency))" })
                )
                let legs = try await journal.legs(of: "acme", matching: JournalFilter(), at: position, limit: 10_000)
                for account in accounts {
                    let parts = Set(legs.filter { $0.account == account.account }.compactMap(\.part))
                    #expect(Set(account.parts) == parts && account.partCount == Int64(parts.count))
                }
            }
        }
    }
}
