import Canonical
import DaybookTestKit
import EventLog
import Journal
import Payments
import Postgres
import Testing

@testable import Projections

/// The read model `journal` over a real log.
struct JournalTests {
    private static let keys: [[BalanceKey]] = [
        [.account], [.account, .part], [.merchant, .account], [.day, .account], [.account, .part, .day],
    ]

    /// Whatever the order of events: at every position, each entry adds up to zero, and the balances are those of a fresh
    /// fold of the log up to there.
    @Test(arguments: [21, 22] as [UInt64])
    func balancesOfEveryPrefixAreThoseOfAFreshFold(seed: UInt64) async throws {
        try await Following.with { following in
            var history = RandomHistory(SeededGenerator(seed: seed))
            try await history.record(160, in: following.log)
            try await following.catchUp(["journal", "merchants"])
            let journal = JournalQuery(pool: following.log.pool)
            let events = try await following.log.reader.events(after: 0, limit: 100_000)
            var states: [String: TransactionState] = [:]
            for event in events {
                if StreamName.paymentID(event.stream) != nil {
                    let fact = try TransactionEvent(
                        type: event.type,
                        schema: event.schema,
                        data: JSONValue(parsing: event.data.utf8)
                    )
                    let key = event.tenant + event.stream
                    states[key, default: .init()].fold(fact, at: event.occurredAt)
                }
                let own = states.filter { $0.key.hasPrefix("acme") }.values.flatMap(\.book)
                var expected: [String: Int64] = [:]
                for leg in own { expected[leg.account.rawValue, default: 0] += leg.amount }
                let found = try await journal.balances(of: "acme", by: [.account], at: event.position)
                let balances = Dictionary(uniqueKeysWithValues: found.map { ($0.keys[0] ?? "", $0.balance) })
                #expect(balances == expected.filter { $0.value != 0 }, "at \(event.position)")
                let keys = Self.keys[Int(event.position) % Self.keys.count]
                let grouped = try await journal.balances(of: "acme", by: keys, at: event.position)
                #expect(grouped.reduce(0) { $0 + $1.balance } == 0, "at \(event.position), by \(keys)")
            }
            let uneven = try await following.log.pool.query(
                """
                SELECT FROM read_journal.entries GROUP BY tenant, position, currency HAVING sum(amount) <> 0
                UNION ALL
                SELECT FROM (
                    SELECT tenant, day, coalesce(merchant, '') AS merchant, account, part, currency, amount
                    FROM read_journal.entries
                    UNION ALL SELECT tenant, day, merchant, account, part, currency, -amount FROM read_journal.balances
                ) a GROUP BY tenant, day, merchant, account, part, currency HAVING sum(amount) <> 0
                """
            )
            #expect(uneven.isEmpty)
            let legs = try await journal.legs(of: "acme", matching: JournalFilter(), limit: 10_000)
            #expect(legs.count > 100, "the history moves money")
        }
    }

    /// The first entry of a line has its local day, what is changed later the day of the change, by the merchant's cut-off.
    @Test func daysAreThoseOfTheMerchantsClock() async throws {
        try await Following.with { following in
            let log = following.log
            func days(_ number: Int) async throws -> [String] {
                try await following.catchUp(["journal", "merchants"])
                var filter = JournalFilter()
                filter.transaction = Samples.id(number)
                let legs = try await JournalQuery(pool: log.pool).legs(of: "acme", matching: filter, limit: 100)
                return legs.filter { $0.account == .sales }.map { "\($0.day) \($0.amount.value)" }
            }
            func sale(_ number: Int, at local: String?, event: String) async throws {
                var capture = Samples.capture(Capture.saleID, 500)
                capture.at = local.flatMap { LocalTime($0) }.map { .local($0) }
                let request = PaymentRequest(
                    amounts: Amounts(total: Samples.usd(500)),
                    references: References(merchant: "shop")
                )
                try await log.record(
                    [.saleRequested(request), .captured(capture)],
                    about: Samples.id(number),
                    occurredAt: try #require(Timestamp(rfc3339: event))
                )
            }
            log.clock.set(try #require(Timestamp(rfc3339: "2026-03-02T12:00:00Z")))
            try await sale(1, at: "2026-03-01T18:30:00", event: "2026-03-01T09:30:00Z")
            try await sale(2, at: nil, event: "2026-03-01T18:30:00Z")
            #expect(try await days(1) == ["2026-03-01 -500"])
            #expect(try await days(2) == ["2026-03-01 -500"])
            try await log.record(
                [
                    TenantEvent.merchantDescribed(
                        MerchantDescription(merchant: "shop", zone: "Asia/Tokyo", cutoff: "04:00", reason: "opened")
                    )
                ],
                of: "acme"
            )
            try await sale(3, at: "2026-03-02T03:30:00", event: "2026-03-01T18:30:00Z")
            try await sale(4, at: nil, event: "2026-03-01T18:30:00Z")
            try await sale(5, at: nil, event: "2026-03-01T19:30:00Z")
            #expect(try await days(3) == ["2026-03-01 -500"])
            #expect(try await days(4) == ["2026-03-01 -500"])
            #expect(try await days(5) == ["2026-03-02 -500"])
            #expect(try await days(2) == ["2026-03-01 -500"], "entries keep their days")
            // A void has the day of the void, and a clock that is far ahead does not post into the future.
            try await log.record(
                [.voided(Samples.taken("v", nil))],
                about: Samples.id(1),
                occurredAt: try #require(Timestamp(rfc3339: "2029-01-01T00:00:00Z"))
            )
            #expect(try await days(1) == ["2026-03-01 -500", "2026-03-03 500"])
        }
    }
}
