import Canonical
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

/// The names of merchants that payments link.
@Suite struct MerchantLinksTests {
    private static func links(_ payments: [(merchant: String?, processor: String?, account: String?)]) -> MerchantLinks
    {
        MerchantLinks(payments.flatMap { MerchantLink.links(of: state($0.merchant, $0.processor, $0.account)) })
    }

    private static func state(
        _ merchant: String?,
        _ processor: String?,
        _ account: String?,
        vendor: Vendor = .bridgepay
    ) -> TransactionState {
        var state = TransactionState()
        for fact in facts(merchant, processor, account, vendor: vendor) { Lifecycle.evolve(&state, fact) }
        return state
    }

    private static func facts(
        _ merchant: String?,
        _ processor: String?,
        _ account: String?,
        terminal: String? = nil,
        vendor: Vendor = .bridgepay
    ) -> [TransactionEvent] {
        Samples.sale(
            100,
            references: References(merchant: processor, gatewayAccount: account),
            document: Samples.document(vendor: vendor, merchant: merchant, terminal: terminal)
        )
    }

    @Test func aNameIsResolvedByItsOnlyOwner() {
        let links = Self.links([(nil, "p", "a"), ("s", "p", nil), (nil, nil, "b")])
        #expect(links.best(of: "a") == "s" && links.best(of: "p") == "s" && links.best(of: "s") == "s")
        #expect(links.best(of: "b") == "b" && links.best(of: "unknown") == "unknown")
        #expect(links.others(of: "a") == ["p", "s"] && links.others(of: "b").isEmpty)
        #expect(links.shown(beside: "s").map(\.role) == ["sender", "processor", "account"])
        #expect(links.shown(beside: "b").isEmpty)
    }

    @Test func aNameOfTwoOwnersIsAmbiguous() {
        let links = Self.links([("s", "p", "a"), ("t", "p", "b"), (nil, "p", "c"), (nil, "q", "d"), (nil, "r", "d")])
        // Each account has one shop, whatever their common merchant at the processor.
        #expect(links.best(of: "a") == "s" && links.best(of: "b") == "t")
        #expect(links.best(of: "p") == "p" && links.best(of: "c") == "c" && links.best(of: "d") == "d")
        #expect(links.others(of: "p").isEmpty && links.others(of: "s") == ["a"])
        let shown = links.shown(beside: "s").map { "\($0.name) \($0.isAmbiguous)" }
        #expect(shown == ["s false", "p true", "a false"])
    }

    @Test func oneTextInTwoRolesMergesNoShops() {
        // The sender's shop 1 has nothing to do with the account 1 of shop s.
        let apart = Self.links([("1", nil, nil), ("s", "p", "1")])
        #expect(apart.best(of: "1") == "1" && apart.best(of: "p") == "s")
        // A sender that uses the account's code as the merchant.
        let same = Self.links([("a", "p", "a"), (nil, "p", nil)])
        #expect(same.best(of: "a") == "a" && same.best(of: "p") == "a")
        #expect(same.shown(beside: "a").map(\.role) == ["sender", "processor"])
    }

    /// Account numbers of two vendors are independent.
    @Test func oneAccountNumberAtTwoVendorsMergesNoShops() {
        let payments = [
            Self.state(nil, "p", "1001", vendor: .paydiant), Self.state(nil, nil, "1001", vendor: .bridgepay),
            Self.state("s", "p", nil),
        ]
        let links = MerchantLinks(payments.flatMap { MerchantLink.links(of: $0) })
        #expect(links.best(of: "1001") == "1001" && links.best(of: "p") == "s" && links.others(of: "s") == ["p"])
        // The same shop at both.
        let same = payments + [Self.state("s", nil, "1001")]
        #expect(MerchantLinks(same.flatMap { MerchantLink.links(of: $0) }).best(of: "1001") == "s")
    }

    /// A name of many shops leads to none of them, so its shops are not read.
    @Test func anAmbiguousNameIsNotFollowed() async throws {
        try await Following.with { following in
            for number in 0..<4 {
                let facts = Self.facts("s\(number)", nil, number < 3 ? "a" : "b")
                try await following.log.record(facts, about: Samples.id(number))
            }
            try await following.log.record(Self.facts("s0", nil, "b0"), about: Samples.id(9))
            try await following.catchUp(["merchants"])
            let query = MerchantQuery(pool: following.log.pool)
            #expect(try await query.links(around: ["a"], of: "acme").texts == ["a"])
            let shop = try await query.links(around: ["b0"], of: "acme")
            #expect(shop.texts == ["a", "b0", "s0"] && shop.best(of: "b0") == "s0" && shop.best(of: "a") == "a")
        }
    }

    @Test func earlierEventsRepeatTheAccountAsTheMerchant() {
        let state = Self.state(nil, "a", "a")
        #expect(state.merchant == "a" && state.merchant(as: .processor) == nil)
        var answered = state
        Lifecycle.evolve(
            &answered,
            .authorizationApproved(Samples.approval(100, references: References(merchant: "p", gatewayAccount: "a")))
        )
        #expect(answered.references.merchant == "p" && answered.merchant == "p")
        var reversed = Self.state(nil, "p", "a")
        Lifecycle.evolve(
            &reversed,
            .authorizationApproved(Samples.approval(100, references: References(merchant: "a", gatewayAccount: "a")))
        )
        #expect(reversed.references.merchant == "p")
    }

    /// The same payments in any order: the same links, totals and batches; and a rebuild agrees with them.
    @Test(arguments: [21, 22] as [UInt64])
    func theOrderOfPaymentsDecidesNothing(seed: UInt64) async throws {
        let payments: [[TransactionEvent]] = [
            Self.facts("s", "p", nil), Self.facts(nil, "p", "a"), Self.facts(nil, nil, "a", terminal: "t"),
            Self.facts(nil, "p", nil, terminal: "t"), Self.facts("u", "q", nil), Self.facts("v", "q", nil),
            Self.facts(nil, "q", nil),
        ]
        var random = SeededGenerator(seed: seed)
        let orders = (0..<3).map { _ in Array(payments.indices).shuffled(using: &random) }
        try await Following.with { following in
            for (round, order) in orders.enumerated() {
                let tenant = "acme-\(round)"
                for number in order {
                    try await following.log.record(payments[number], about: Samples.id(round * 10 + number), of: tenant)
                }
                try await following.catchUp(["batches", "merchants", "transactions", "anomalies"])
                let totals = TotalsQuery(pool: following.log.pool)
                let rows = try await totals.totals(of: tenant, by: [.merchant])
                #expect(rows.map(\.keys) == [["q"], ["s"], ["u"], ["v"]])
                #expect(rows.map(\.captured) == [100, 400, 100, 100])
                for name in ["s", "p", "a"] {
                    var filter = TransactionFilter()
                    filter.merchant = name
                    let found = try await following.transactions.transactions(of: tenant, matching: filter, limit: 10)
                    #expect(found.count == 4, "\(name)")
                    var money = TotalsFilter()
                    money.merchant = name
                    let own = try await totals.totals(of: tenant, by: [.currency], matching: money)
                    #expect(own.map(\.captured) == [400])
                }
                let batches = try await following.batches.batches(of: tenant, merchant: "a", limit: 10)
                #expect(Set(batches.map(\.reference.account)) == ["s", "a", "t"])
                let names = try await MerchantQuery(pool: following.log.pool).names(
                    ofAccountOf: VendorAccount(tenant: tenant, vendor: .bridgepay, name: "t"),
                    at: .max
                )
                #expect(names == ["a", "t", "p"])
            }
            let before = try await Self.rows(following)
            _ = try await following.rebuild("merchants", force: true)
            #expect(try await Self.rows(following) == before && before.count > 20)
        }
    }

    /// A payment that names no merchant is counted under its terminal's, if the terminal has only one.
    @Test func aTerminalOfOneMerchantNamesIt() async throws {
        try await Following.with { following in
            let payments = [
                Self.facts("s", nil, nil, terminal: "t"), Self.facts(nil, nil, nil, terminal: "t"),
                Self.facts(nil, nil, nil, terminal: "t", vendor: .handpoint), Self.facts("u", nil, nil, terminal: "x"),
                Self.facts(nil, nil, nil, terminal: "x"),
            ]
            for (number, facts) in payments.enumerated() {
                try await following.log.record(facts, about: Samples.id(number))
            }
            let first = try await following.log.record(Self.facts("s", nil, "a"), about: Samples.id(7))
            try await following.log.record(Self.facts("v", nil, nil, terminal: "x"), about: Samples.id(8))
            try await following.catchUp(["batches", "merchants", "transactions"])
            let totals = TotalsQuery(pool: following.log.pool)
            func captured(_ merchant: String, at position: Int64? = nil) async throws -> [Int64] {
                var filter = TotalsFilter()
                filter.merchant = merchant
                return try await totals.totals(of: "acme", by: [.currency], matching: filter, at: position).map(
                    \.captured
                )
            }
            for (merchant, sum) in [("s", 300), ("a", 300), ("u", 100), ("v", 100)] as [(String, Int64)] {
                #expect(try await captured(merchant) == [sum], "\(merchant)")
            }
            // Before another merchant used the terminal.
            #expect(try await captured("u", at: first) == [200])
            let rows = try await totals.totals(of: "acme", by: [.merchant])
            #expect(rows.map(\.keys) == [["s"], ["u"], ["v"], [nil]] && rows.map(\.captured) == [300, 100, 100, 200])
            var filter = TransactionFilter()
            filter.merchant = "s"
            let found = try await following.transactions.transactions(of: "acme", matching: filter, limit: 10)
            #expect(found.count == 3)
            let batches = try await following.batches.batches(of: "acme", merchant: "s", limit: 10)
            #expect(Set(batches.map(\.reference.account)) == ["a", "t"])
        }
    }

    private static func rows(_ following: Following) async throws -> [String] {
        try await following.log.pool.query(
            """
            SELECT concat_ws(' ', tenant, vendor, name, role, owner, owner_role, since) FROM read_merchants.linked_names
            ORDER BY 1
            """
        ).map { try $0.text(0) }
    }

    @Test func answersAboutThePastUseTheLinksOfThen() async throws {
        try await Following.with { following in
            try await following.log.record(Self.facts(nil, nil, "a"), about: Samples.id(1))
            let first = try await following.log.record(Self.facts("s", nil, nil), about: Samples.id(2))
            let linked = try await following.log.record(Self.facts("s", nil, "a"), about: Samples.id(3))
            let last = try await following.log.record(Self.facts("u", nil, "a"), about: Samples.id(4))
            try await following.catchUp(["batches", "merchants", "transactions"])
            let totals = TotalsQuery(pool: following.log.pool)
            func rows(_ position: Int64?) async throws -> [[String?]] {
                try await totals.totals(of: "acme", by: [.merchant], at: position).map(\.keys)
            }
            #expect(try await rows(first) == [["a"], ["s"]])
            #expect(try await rows(linked) == [["s"]])
            #expect(try await rows(last) == [["a"], ["s"], ["u"]])
            #expect(try await rows(nil) == [["a"], ["s"], ["u"]])
            var filter = TransactionFilter()
            filter.merchant = "a"
            let past = PastTransactions(pool: following.log.pool, reader: following.log.reader)
            for (position, count) in [(first, 1), (linked, 3), (last, 1)] {
                let page = try await past.transactions(of: "acme", matching: filter, at: position, limit: 10)
                #expect(page.items.count == count, "at \(position)")
            }
        }
    }
}

extension MerchantLinks {
    /// Every name that was read.
    fileprivate var texts: [String] { names.sorted().map(\.text) }
}
