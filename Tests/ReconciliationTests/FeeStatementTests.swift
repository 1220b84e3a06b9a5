import Canonical
import Composition
import DaybookTestKit
import EventLog
import Matching
import Payments
import Postgres
import Testing

@testable import Journal
@testable import Reconciliation

/// The statement of fees is the account `fees`, by what the lines of statements name.
struct FeeStatementTests {
    /// In each currency, the fees at each position are the balance of the account.
    static func expectTheBalances(_ planted: PlantedLedger) async throws {
        try await planted.ledger.catchUp()
        let head = try await planted.ledger.reader.head()
        for position in Array(0...head).map(Optional.some) + [nil] {
            try await expectTheBalance(planted, at: position)
        }
    }

    private static func expectTheBalance(
        _ planted: PlantedLedger,
        _ filter: FeeFilter = FeeFilter(),
        by contracts: [FeeContract] = [],
        at position: Int64? = nil
    ) async throws {
        let journal = planted.ledger.journal
        var fees: [Currency: Int64] = [:]
        for one in try await journal.fees(of: "acme", matching: filter, by: FeeContracts(contracts), at: position) {
            fees[one.amount.currency, default: 0] += one.amount.value
        }
        var account = JournalFilter()
        account.account = .fees
        account.part = filter.component
        (account.merchant, account.currency) = (filter.merchant, filter.currency)
        (account.from, account.to) = (filter.from, filter.to)
        var balances: [Currency: Int64] = [:]
        for one in try await journal.balances(of: "acme", by: [], matching: account, at: position) {
            balances[one.currency] = one.balance
        }
        #expect(fees.filter { $0.value != 0 } == balances, "\(filter) at \(position ?? -1)")
    }

    private static func file(_ id: String, _ lines: String...) -> JSONValue {
        let head = "type,gross,fee_interchange,fee_scheme,fee_markup,net,day,processor_id,merchant,brand,currency"
        let text = ([head] + lines.map { $0 + ",USD" }).joined(separator: "\n")
        return ["statement": ["id": .string(id), "csv": .string(text + "\n")]]
    }

    private static let month = file(
        "S1",
        "sale,100.00,-0.20,-0.05,-0.10,99.65,2026-03-02,A,M1,visa",
        "sale,50.00,-0.10,,-0.05,49.85,2026-03-03,B,M1,visa",
        "refund,-10.00,0.02,,,-9.98,2026-03-03,C,M1,visa",
        "sale,30.00,-0.30,,,29.70,2026-03-03,D,M2,mc",
        "fee,-2.50,,,,-2.50,2026-03-04,E,M1,",
        "chargeback,-20.00,,,-15.00,-35.00,2026-03-04,F,M1,visa",
        "adjustment,-7.00,,,,-7.00,2026-03-04,G,M1,"
    )
    private static let reconcile: JSONValue = ["command": ["operation": "reconcile"]]

    /// The statement as `M1 daybook-csv visa scheme payments 5 1 10000 500`: amount, lines, volume and rate.
    private static func statement(
        _ planted: PlantedLedger,
        _ filter: FeeFilter = FeeFilter(),
        by contracts: [FeeContract] = [],
        at position: Int64? = nil
    ) async throws -> [String] {
        try await planted.ledger.catchUp()
        try await expectTheBalance(planted, by: contracts, at: position)
        let fees = try await planted.ledger.journal.fees(
            of: "acme",
            matching: filter,
            by: FeeContracts(contracts),
            at: position
        )
        return fees.map { one -> String in
            var words = [one.merchant, one.processor, one.brand, one.component].map { $0 ?? "-" }
            words.append(one.source.rawValue)
            func add(_ figure: Int64?) { words.append(figure.map { String($0) } ?? "-") }
            add(one.amount.value)
            add(one.lines)
            add(one.volume?.value)
            add(one.basisPointHundredths)
            if !contracts.isEmpty {
                words.append(one.contract?.begins ?? "none")
                add(one.expected?.value)
                add(one.difference?.value)
            }
            return words.joined(separator: " ")
        }
    }

    private static let unposted = [
        "M1 daybook-csv - other lines 250 1 - -", "M1 daybook-csv visa interchange payments 28 3 14000 2000",
        "M1 daybook-csv visa markup lines 1500 1 - -", "M1 daybook-csv visa markup payments 15 2 15000 1000",
        "M1 daybook-csv visa scheme payments 5 1 10000 500", "M2 daybook-csv mc interchange payments 30 1 3000 10000",
    ]

    /// Each fee is there by its component, with the lines that have it; what a rule posts, too. A withdrawn file leaves
    /// nothing.
    @Test func everyFeeIsInTheStatement() async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            #expect(try await Self.statement(planted) == [])
            let before = try await planted.ledger.reader.head()
            try await player.play(Self.month)
            #expect(try await Self.statement(planted) == Self.unposted)
            #expect(try await Self.statement(planted, at: before) == [])
            let rule = PostingRule("manual", .adjustment, account: .fees, part: "manual")
            try await planted.setRules(MatchingRules(postings: [rule]))
            try await player.play(Self.reconcile)
            let posted = "M1 daybook-csv - manual lines 700 1 - -"
            #expect(try await Self.statement(planted) == [posted] + Self.unposted)
            // A second file with the same lines changes nothing, and both are withdrawn.
            try await player.play(
                Self.file("S2", "fee,-2.50,,,,-2.50,2026-03-04,E,M1,", "fee,-1.00,,,,-1.00,2026-03-05,H,M1,")
            )
            var more = [posted] + Self.unposted
            more[1] = "M1 daybook-csv - other lines 350 2 - -"
            #expect(try await Self.statement(planted) == more)
            for name in ["S1", "S2"] {
                _ = try await planted.withdraw(try #require(player.statements[name]))
                try await player.play(Self.reconcile)
            }
            #expect(try await Self.statement(planted) == [])
            try await Self.expectTheBalances(planted)
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// Fees of some days, brands or components. A trial balance with the same filter has the same sum.
    @Test func aSpanOfDaysAndNamesIsASpanOfTheAccount() async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            try await player.play(Self.month)
            try await planted.ledger.catchUp()
            var days = FeeFilter()
            days.from = CivilDate("2026-03-03")
            days.to = CivilDate("2026-03-03")
            #expect(
                try await Self.statement(planted, days) == [
                    "M1 daybook-csv visa interchange payments 8 2 4000 2000",
                    "M1 daybook-csv visa markup payments 5 1 5000 1000",
                    "M2 daybook-csv mc interchange payments 30 1 3000 10000",
                ]
            )
            try await Self.expectTheBalance(planted, days)
            var component = FeeFilter()
            component.component = "interchange"
            component.merchant = "M2"
            #expect(try await Self.statement(planted, component) == [Self.unposted[5]])
            try await Self.expectTheBalance(planted, component)
            var brand = FeeFilter()
            brand.brand = "visa"
            brand.processor = "daybook-csv"
            #expect(try await Self.statement(planted, brand) == Array(Self.unposted[1...4]))
            brand.processor = "amex-epraw"
            #expect(try await Self.statement(planted, brand) == [])
        }
    }

    /// An exception about a fee takes its amount out of the account until it is cleared.
    @Test func anOpenExceptionIsInTheStatement() async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            let sale: JSONValue = [
                "event": [
                    "type": "Captured", "transaction": "T1", "capture": "sale", "vendor": "dejavoo", "tender": "credit",
                    "occurredAt": "2026-03-02T12:00:00Z", "amounts": ["total": 10_000], "currency": "USD",
                    "references": ["gatewayTransaction": "A", "merchant": "M1"],
                ]
            ]
            try await player.play(sale)
            try await player.play(Self.file("S1", "sale,100.00,-0.20,-0.05,-0.10,99.65,2026-03-02,A,M1,visa"))
            let charged = try await Self.statement(planted)
            #expect(charged.count == 3)
            let fee = ExpectedFee(currency: "USD", basisPoints: 20, tolerance: 0)
            try await planted.setRules(MatchingRules(fees: [fee]))
            try await player.play(Self.reconcile)
            #expect(try await Set(planted.exceptions().map(\.what)) == ["fee-differs"])
            let open = try await Self.statement(planted)
            #expect(open.count == 4)
            #expect(open.contains { $0.hasPrefix("M1 daybook-csv visa other exceptions ") && $0.hasSuffix(" 0 - -") })
            try await planted.setRules(MatchingRules())
            try await player.play(Self.reconcile)
            #expect(try await Self.statement(planted) == charged)
            try await Self.expectTheBalances(planted)
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    private static func contract(
        _ component: String,
        merchant: String? = nil,
        brand: String? = nil,
        from begins: String,
        _ price: Int64,
        fixed: Int64 = 0
    ) -> FeeContract {
        FeeContract(
            processor: "daybook-csv",
            merchant: merchant,
            brand: brand,
            component: component,
            currency: "USD",
            begins: begins,
            basisPointHundredths: price,
            fixed: fixed
        )
    }

    /// Each row has one contract: the one that held on its days, also if they were closed and the fees are posted later.
    @Test(arguments: [false, true]) func feesAreComparedWithTheContractOfTheirDays(areClosed: Bool) async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            if areClosed { try await ClosedStatementDayTests.close(planted, "2026-03-03") }
            try await player.play(Self.month)
            let contracts = [
                Self.contract("interchange", brand: "VISA", from: "2026-01-01", 2000),
                Self.contract("interchange", brand: "VISA", from: "2026-03-03", 1000, fixed: 1),
                Self.contract("scheme", from: "2026-03-01", 499),
                Self.contract("markup", merchant: "M1", from: "2026-03-04", 1),
            ]
            #expect(
                try await Self.statement(planted, by: contracts) == [
                    "M1 daybook-csv - other lines 250 1 - - none - -",
                    "M1 daybook-csv visa interchange payments 20 1 10000 2000 2026-01-01 20 0",
                    "M1 daybook-csv visa interchange payments 8 2 4000 2000 2026-03-03 6 2",
                    "M1 daybook-csv visa markup lines 1500 1 - - none - -",
                    "M1 daybook-csv visa markup payments 15 2 15000 1000 none - -",
                    "M1 daybook-csv visa scheme payments 5 1 10000 500 2026-03-01 5 0",
                    "M2 daybook-csv mc interchange payments 30 1 3000 10000 none - -",
                ]
            )
        }
    }

    /// A stored figure that exceeds 64 bits is refused, and none is wrapped.
    @Test(arguments: ["amount", "volume"]) func storedFiguresDoNotWrap(_ column: String) async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            try await player.play(Self.month)
            try await planted.ledger.catchUp()
            _ = try await planted.ledger.pool.query(
                "UPDATE read_journal.fee_entries SET \(column) = 9223372036854775808 WHERE component = 'scheme'",
                []
            )
            await #expect(throws: BalanceError.overflow) {
                try await planted.ledger.journal.fees(of: "acme", by: FeeContracts([]))
            }
        }
    }

    // MARK: Prices

    private static func sum(_ amount: Int64, _ volume: Int64, lines: Int64 = 1, brand: String? = "visa") -> FeeSum {
        FeeSum(
            processor: "daybook-csv",
            brand: brand,
            component: "markup",
            since: "2026-03-01",
            amount: Money(amount, .usd),
            lines: lines,
            volume: volume
        )
    }

    private static let prices: [(amount: Int64, volume: Int64, rate: Int64?, price: Int64, expected: Int64)] = [
        // 0.4999, 0.5 and 1.5 minor units.
        (0, 4999, 0, 100, 0), (0, 5000, 0, 100, 1), (0, 15_000, 0, 100, 2),
        // A returned share is rounded in the same way.
        (-1, -5000, 200, 100, -1), (-1, -4999, 200, 100, 0), (0, 0, nil, 1_000_000, 0),
        (1, 3, 333_333, 333_333, 1), (2, 3, 666_667, 500_000, 2), (-2, 3, -666_667, 500_000, 2),
        (1, 2_000_000, 1, 0, 0), (1, 2_000_001, 0, 0, 0),
        (.max, .max, 1_000_000, 1_000_000, .max),
    ]

    @Test(arguments: prices) func theWholeIsRoundedOnce(
        amount: Int64,
        volume: Int64,
        rate: Int64?,
        price: Int64,
        expected: Int64
    ) throws {
        let contracts = FeeContracts([Self.contract("markup", from: "2026-03-01", price)])
        let found = try FeeCharge.charges([Self.sum(amount, volume)], by: contracts)
        #expect(found.map(\.basisPointHundredths) == [rate])
        #expect(found.map(\.expected?.value) == [expected])
        #expect(found.map(\.difference?.value) == [amount - expected])
    }

    /// A fixed amount is for each line, and sums with one contract are one item.
    @Test func sumsWithOneContractAreOne() throws {
        let contracts = FeeContracts([Self.contract("markup", from: "2026-03-01", 100, fixed: 5)])
        let sums = [Self.sum(6, 4000), Self.sum(7, 4000, lines: 2), Self.sum(1, 1, brand: nil)]
        let found = try FeeCharge.charges(sums, by: contracts)
        #expect(found.map(\.amount.value) == [13, 1] && found.map(\.lines) == [3, 1])
        // 0.8 is rounded once, and not 0.4 twice.
        #expect(found.map(\.expected?.value) == [16, 5])
    }

    private static let impossible: [(sums: [FeeSum], fixed: Int64)] = [
        ([sum(.max, 1), sum(1, 1)], 0), ([sum(1, .max), sum(1, 1)], 0), ([sum(1, 1, lines: .max), sum(1, 1)], 0),
        ([sum(1, 1, lines: .max)], 2), ([sum(-.max, 0, lines: .max)], 1),
    ]

    @Test(arguments: impossible) func figuresThatDoNotFitAreRefused(sums: [FeeSum], fixed: Int64) throws {
        let contracts = FeeContracts([Self.contract("markup", from: "2026-03-01", 0, fixed: fixed)])
        #expect(throws: BalanceError.overflow) { try FeeCharge.charges(sums, by: contracts) }
    }

    @Test func aRateThatDoesNotFitIsLeftOut() throws {
        let charges = try FeeCharge.charges([Self.sum(.max, 1)], by: FeeContracts([]))
        #expect(charges.map(\.amount.value) == [.max] && charges.map(\.basisPointHundredths) == [nil])
    }

    /// The merchant's contract comes before the brand's, and the later one before the earlier one.
    @Test func theMostSpecificContractHolds() {
        let contracts = FeeContracts([
            Self.contract("markup", from: "2026-03-01", 1), Self.contract("markup", from: "2026-03-05", 2),
            Self.contract("markup", brand: "Visa", from: "2026-03-03", 3),
            Self.contract("markup", merchant: "M1", from: "2026-03-02", 4),
            Self.contract("markup", merchant: "M1", brand: "mc", from: "2026-03-04", 5),
        ])
        #expect(contracts.days == (1...5).map { "2026-03-0\($0)" })
        for (merchant, brand, day, price): (String?, String?, Int, Int64?) in [
            (nil, nil, 1, 1), (nil, nil, 5, 2), ("M2", "amex", 4, 1), ("M2", "amex", 9, 2), ("M2", "VISA", 2, 1),
            ("M2", "VISA", 3, 3), ("M2", "VISA", 9, 3), ("M1", "visa", 1, 1), ("M1", "visa", 2, 4),
            ("M1", "visa", 9, 4), ("M1", "MC", 3, 4), ("M1", "MC", 4, 5), (nil, "mc", 4, 1),
        ] {
            func found(_ component: String, _ currency: String, _ processor: String) -> Int64? {
                contracts.contract(
                    of: processor,
                    merchant: merchant,
                    brand: brand,
                    component: component,
                    currency: currency,
                    on: "2026-03-0\(day)"
                )?.basisPointHundredths
            }
            #expect(found("markup", "USD", "daybook-csv") == price, "\(merchant ?? "-") \(brand ?? "-") \(day)")
            #expect(found("scheme", "USD", "daybook-csv") == nil && found("markup", "EUR", "daybook-csv") == nil)
            #expect(found("markup", "USD", "amex-epraw") == nil)
        }
    }
}
