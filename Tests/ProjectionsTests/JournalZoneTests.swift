import Canonical
import DaybookTestKit
import EventLog
import Journal
import Payments
import Testing

@testable import Projections

/// The days of entries whose payments name a described merchant by another name.
struct JournalZoneTests {
    /// The days of a payment's sales, and the amounts.
    private static func days(_ number: Int, _ following: Following) async throws -> [String] {
        try await following.catchUp(["journal"])
        var filter = JournalFilter()
        filter.transaction = Samples.id(number)
        let legs = try await JournalQuery(pool: following.log.pool).legs(of: "acme", matching: filter, limit: 100)
        return legs.filter { $0.account == .sales }.map { "\($0.day) \($0.amount.value)" }
    }

    private static func description(_ merchant: String, _ zone: String, cutoff: String = "00:00") -> TenantEvent {
        .merchantDescribed(MerchantDescription(merchant: merchant, zone: zone, cutoff: cutoff, reason: "opened"))
    }

    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    /// Live, and after a rebuild that has the whole log as one run.
    private static func expectDays(_ expected: [Int: [String]], _ following: Following) async throws {
        for (number, days) in expected { #expect(try await Self.days(number, following) == days, "payment \(number)") }
        let report = try await following.rebuild("journal")
        #expect(report.liveDigest == report.rebuiltDigest)
        for (number, days) in expected { #expect(try await Self.days(number, following) == days, "payment \(number)") }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What the payments before the sale name.
        var linked: [SaleNames]
        var described: String
        var zone: String
        var cutoff = "00:00"
        var sale: SaleNames
        var at: String
        var day: String
    }

    private static let cases = [
        Case(
            testDescription: "the store's account, in Auckland",
            linked: [SaleNames(merchant: "shop", account: "store-1", vendor: .paydiant)],
            described: "shop",
            zone: "Pacific/Auckland",
            sale: SaleNames(account: "store-1", vendor: .paydiant),
            at: "2026-03-08T11:42:00Z",
            day: "2026-03-09"
        ),
        Case(
            testDescription: "the merchant at the processor, in Adelaide",
            linked: [SaleNames(merchant: "shop", processor: "p-1")],
            described: "shop",
            zone: "Australia/Adelaide",
            sale: SaleNames(processor: "p-1"),
            at: "2026-03-08T13:42:00Z",
            day: "2026-03-09"
        ),
        Case(
            testDescription: "the account over the merchant at the processor, in Tokyo until 04:00",
            linked: [SaleNames(processor: "p-1", account: "a-1"), SaleNames(merchant: "shop", processor: "p-1")],
            described: "shop",
            zone: "Asia/Tokyo",
            cutoff: "04:00",
            sale: SaleNames(account: "a-1"),
            at: "2026-03-08T19:42:00Z",
            day: "2026-03-09"
        ),
        Case(
            testDescription: "the description of a worse name",
            linked: [SaleNames(merchant: "shop", account: "a-1")],
            described: "a-1",
            zone: "Pacific/Auckland",
            sale: SaleNames(merchant: "shop"),
            at: "2026-03-08T11:42:00Z",
            day: "2026-03-09"
        ),
        Case(
            testDescription: "the terminal alone",
            linked: [SaleNames(merchant: "shop", terminal: "t-1")],
            described: "shop",
            zone: "Pacific/Auckland",
            sale: SaleNames(terminal: "t-1"),
            at: "2026-03-08T11:42:00Z",
            day: "2026-03-09"
        ),
        Case(
            testDescription: "the terminal of an account of the shop",
            linked: [SaleNames(account: "a-1", terminal: "t-1"), SaleNames(merchant: "shop", account: "a-1")],
            described: "shop",
            zone: "Asia/Tokyo",
            sale: SaleNames(terminal: "t-1"),
            at: "2026-03-08T15:42:00Z",
            day: "2026-03-09"
        ),
        Case(
            testDescription: "a terminal of two shops",
            linked: [SaleNames(merchant: "shop", terminal: "t-1"), SaleNames(merchant: "other", terminal: "t-1")],
            described: "shop",
            zone: "Pacific/Auckland",
            sale: SaleNames(terminal: "t-1"),
            at: "2026-03-08T11:42:00Z",
            day: "2026-03-08"
        ),
        Case(
            testDescription: "a terminal of the same name at another vendor",
            linked: [SaleNames(merchant: "shop", terminal: "t-1")],
            described: "shop",
            zone: "Pacific/Auckland",
            sale: SaleNames(terminal: "t-1", vendor: .handpoint),
            at: "2026-03-08T11:42:00Z",
            day: "2026-03-08"
        ),
        Case(
            testDescription: "an account of two shops",
            linked: [SaleNames(merchant: "shop", account: "a-1"), SaleNames(merchant: "other", account: "a-1")],
            described: "shop",
            zone: "Pacific/Auckland",
            sale: SaleNames(account: "a-1"),
            at: "2026-03-08T11:42:00Z",
            day: "2026-03-08"
        ),
    ]

    /// The description may be recorded before or after the payments that link the names.
    @Test(arguments: cases, [false, true])
    func aNameLeadsToTheDescribedMerchant(_ one: Case, isDescribedFirst: Bool) async throws {
        try await Following.with { following in
            let log = following.log
            log.clock.set(try Self.time("2026-03-12T12:00:00Z"))
            let description = [Self.description(one.described, one.zone, cutoff: one.cutoff)]
            if isDescribedFirst { try await log.record(description, of: "acme") }
            for (number, names) in one.linked.enumerated() {
                try await log.record(names.sale(), about: Samples.id(100 + number))
            }
            if !isDescribedFirst { try await log.record(description, of: "acme") }
            try await log.record(one.sale.sale(), about: Samples.id(1), occurredAt: try Self.time(one.at))
            // Of another tenant.
            try await log.record(one.sale.sale(), about: Samples.id(2), of: "other", occurredAt: try Self.time(one.at))
            try await Self.expectDays([1: ["\(one.day) -500"]], following)
            let legs = try await JournalQuery(pool: log.pool).legs(of: "acme", matching: JournalFilter(), limit: 100)
            let own = legs.filter { $0.transaction == Samples.id(1) }.map(\.merchant)
            let reported = one.sale.merchant ?? one.sale.processor ?? one.sale.account
            #expect(!own.isEmpty && own.allSatisfy { $0 == reported }, "entries have the reported name")
            let others = try await JournalQuery(pool: log.pool).legs(of: "other", matching: JournalFilter(), limit: 100)
            #expect(Set(others.map(\.day)) == ["2026-03-08"])
        }
    }

    /// Entries state what was known at their position: what is learned later changes later entries only.
    @Test func aLaterLinkMovesNoEntry() async throws {
        try await Following.with { following in
            let log = following.log
            log.clock.set(try Self.time("2026-03-12T12:00:00Z"))
            let at = try Self.time("2026-03-08T11:42:00Z")
            try await log.record([Self.description("shop", "Pacific/Auckland")], of: "acme")
            let (account, terminal) = (SaleNames(account: "a-1"), SaleNames(terminal: "t-1"))
            try await log.record(account.sale(), about: Samples.id(1), occurredAt: at)
            try await log.record(terminal.sale(), about: Samples.id(2), occurredAt: at)
            try await log.record(
                SaleNames(merchant: "shop", account: "a-1", terminal: "t-1").sale(),
                about: Samples.id(3),
                occurredAt: at
            )
            try await log.record(account.sale(), about: Samples.id(4), occurredAt: at)
            try await log.record(terminal.sale(), about: Samples.id(5), occurredAt: at)
            // From here on both names belong to two merchants.
            try await log.record(
                SaleNames(merchant: "other", account: "a-1", terminal: "t-1").sale(),
                about: Samples.id(6),
                occurredAt: at
            )
            try await log.record(account.sale(), about: Samples.id(7), occurredAt: at)
            try await log.record(terminal.sale(), about: Samples.id(8), occurredAt: at)
            let (utc, auckland) = (["2026-03-08 -500"], ["2026-03-09 -500"])
            try await Self.expectDays(
                [1: utc, 2: utc, 3: auckland, 4: auckland, 5: auckland, 6: utc, 7: utc, 8: utc],
                following
            )
        }
    }

    /// The event that posts the entry is the one that links the names.
    @Test func aLinkInTheEventItselfCounts() async throws {
        try await Following.with { following in
            let log = following.log
            log.clock.set(try Self.time("2026-03-12T12:00:00Z"))
            try await log.record([Self.description("a-1", "Pacific/Auckland")], of: "acme")
            var capture = Samples.capture(Capture.saleID, 500)
            capture.references = References(merchant: "p-1", gatewayAccount: "a-1")
            let request = PaymentRequest(amounts: Amounts(total: Samples.usd(500)), references: References())
            try await log.record(
                [.saleRequested(request), .captured(capture)],
                about: Samples.id(1),
                occurredAt: try Self.time("2026-03-08T11:42:00Z")
            )
            try await Self.expectDays([1: ["2026-03-09 -500"]], following)
        }
    }

    /// Of several descriptions under different names of a merchant, the newest up to the position holds.
    @Test func theNewestDescriptionOfAnyNameHolds() async throws {
        try await Following.with { following in
            let log = following.log
            log.clock.set(try Self.time("2026-03-12T12:00:00Z"))
            let at = try Self.time("2026-03-08T10:30:00Z")
            let sale = SaleNames(account: "a-1")
            try await log.record(SaleNames(merchant: "shop", account: "a-1").sale(), about: Samples.id(100))
            try await log.record([Self.description("a-1", "Pacific/Pago_Pago")], of: "acme")
            try await log.record(sale.sale(), about: Samples.id(1), occurredAt: at)
            try await log.record([Self.description("shop", "Pacific/Kiritimati")], of: "acme")
            try await log.record(sale.sale(), about: Samples.id(2), occurredAt: at)
            try await log.record([Self.description("a-1", "UTC")], of: "acme")
            try await log.record(sale.sale(), about: Samples.id(3), occurredAt: at)
            try await Self.expectDays(
                [1: ["2026-03-07 -500"], 2: ["2026-03-09 -500"], 3: ["2026-03-08 -500"]],
                following
            )
        }
    }

    /// Random histories, cut into runs anywhere: each entry has the zone that the read model `merchants` finds at its
    /// position, and a rebuild in one run gives the same rows.
    @Test(arguments: [42, 43, 60] as [UInt64])
    func daysFollowTheNamesOfMerchantsAtEachPosition(seed: UInt64) async throws {
        try await Following.with(runs: false) { following in
            let log = following.log
            log.clock.set(try Self.time("2026-03-12T12:00:00Z"))
            var history = ZoneHistory(SeededGenerator(seed: seed))
            try await history.record(90, in: log, at: try Self.time("2026-03-08T10:30:00Z"))
            let store = ProjectionStore(projection: JournalProjection(), pool: log.pool)
            let runs = LogRuns(reader: log.reader)
            let head = try await log.reader.head()
            var position: Int64 = 0
            while position < head {
                let end = position + Int64.random(in: 1...9, using: &history.random)
                let run = try #require(try await runs.run(after: position, upTo: end))
                try #require(try await store.advance(run, of: runs, isLive: true))
                position = run.end
            }
            let report = try await following.rebuild("journal")
            #expect(report.liveDigest == report.rebuiltDigest && report.isSwapped)
            let (descriptions, vendors) = (history.descriptions, history.vendors)
            try await following.running {
                try await following.catchUp(["merchants"])
                var found: Set<String> = []
                var viaOtherNames = 0
                for tenant in ZoneHistory.tenants {
                    let legs = try await JournalQuery(pool: log.pool).legs(
                        of: tenant,
                        matching: JournalFilter(),
                        limit: 10_000
                    )
                    for leg in legs where leg.account == .sales {
                        let vendor = try #require(leg.transaction.flatMap { vendors[$0] })
                        let (day, isOtherName) = try await Self.day(
                            of: leg,
                            vendor,
                            by: descriptions.filter { $0.tenant == tenant },
                            MerchantQuery(pool: log.pool)
                        )
                        #expect(leg.day == day, "\(tenant) at \(leg.position): \(leg.merchant ?? "-")")
                        found.insert(leg.day)
                        if isOtherName { viaOtherNames += 1 }
                    }
                }
                #expect(found == ["2026-03-07", "2026-03-08", "2026-03-09"])
                #expect(viaOtherNames > 10)
            }
        }
    }

    /// The day of a leg of 10:30 UTC by the newest description whose merchant has the leg among its payments, and whether
    /// the leg names the merchant in another way.
    private static func day(
        of leg: PostedLeg,
        _ vendor: Vendor,
        by descriptions: [ZoneHistory.Description],
        _ merchants: MerchantQuery
    ) async throws -> (day: String, isOtherName: Bool) {
        for one in descriptions.reversed() where one.position < leg.position {
            if leg.merchant == one.merchant { return (one.day, false) }
            let names = try await merchants.otherNames(of: one.merchant, tenant: one.tenant, at: leg.position)
            let isItsTerminal = names.terminals.contains { $0.name == leg.terminal && $0.vendor == vendor.rawValue }
            let isNamed = leg.merchant.map { names.merchants.contains($0) }
            if isNamed ?? isItsTerminal { return (one.day, true) }
        }
        return ("2026-03-08", false)
    }
}
