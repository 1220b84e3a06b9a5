import Canonical
import Composition
import DaybookTestKit
import EventLog
import Matching
import Operations
import Payments
import Postgres
import Statements
import Testing

@testable import Journal
@testable import Reconciliation

/// What processors owe, by age and by payout.
struct ReceivableTests {
    /// In each currency, the receivables at each position are the balances of the two accounts.
    static func expectTheBalances(_ planted: PlantedLedger) async throws {
        try await planted.ledger.catchUp()
        let journal = planted.ledger.journal
        let head = try await planted.ledger.reader.head()
        for position in Array(0...head).map(Optional.some) + [nil] {
            var owed: [Currency: Int64] = [:]
            for one in try await journal.owed(to: "acme", at: position) {
                owed[one.amount.currency, default: 0] += one.amount.value
            }
            var balances: [Currency: Int64] = [:]
            for one in try await journal.balances(of: "acme", by: [.account], at: position)
            where ["processor-receivable", "cash-in-transit"].contains(one.keys[0]) {
                balances[one.currency, default: 0] += one.balance
            }
            #expect(owed.filter { $0.value != 0 } == balances.filter { $0.value != 0 }, "at \(position ?? -1)")
        }
    }

    private static func sale(_ name: String, _ total: Int64, at time: String) -> JSONValue {
        [
            "event": [
                "type": "Captured", "transaction": .string(name), "capture": "sale", "vendor": "dejavoo",
                "tender": "credit", "occurredAt": .string(time), "amounts": ["total": .number(.init(total))],
                "currency": "USD", "references": ["gatewayTransaction": .string("GW-\(name)"), "merchant": "M1"],
            ]
        ]
    }

    private static func file(_ id: String, side: String = "processor", _ lines: String...) -> JSONValue {
        let text = (["type,net,day,processor_id,payout,bank_reference,merchant,currency"] + lines.map { $0 + ",USD" })
            .joined(separator: "\n")
        return ["statement": ["id": .string(id), "side": .string(side), "csv": .string(text + "\n")]]
    }

    private static let reconcile: JSONValue = ["command": ["operation": "reconcile"]]

    private static func owed(_ planted: PlantedLedger, at position: Int64? = nil) async throws -> [String] {
        try await planted.ledger.catchUp()
        return try await planted.ledger.journal.owed(to: "acme", at: position)
            .map { "\($0.account.rawValue) \($0.processor ?? "-") \($0.day) \($0.amount.value)" }.sorted()
    }

    /// Money is the vendor's until a line confirms it, the processor's until a payout has it, and in transit until the
    /// bank reports it.
    @Test func moneyMovesFromTheVendorToTheBank() async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            try await player.play(Self.sale("T1", 1000, at: "2026-03-02T12:00:00Z"))
            try await player.play(Self.sale("T2", 2000, at: "2026-03-04T12:00:00Z"))
            let captured = [
                "processor-receivable dejavoo 2026-03-02 1000", "processor-receivable dejavoo 2026-03-04 2000",
            ]
            #expect(try await Self.owed(planted) == captured)
            let begun = try await planted.ledger.reader.head()
            try await player.play(Self.file("S1", "sale,10.00,2026-03-02,GW-T1,PO1,,M1"))
            try await player.play(Self.reconcile)
            #expect(
                try await Self.owed(planted) == [
                    "processor-receivable daybook-csv 2026-03-02 1000", "processor-receivable dejavoo 2026-03-04 2000",
                ]
            )
            try await player.play(Self.file("S2", "payout,-10.00,2026-03-03,,PO1,PO1,M1"))
            try await player.play(Self.reconcile)
            let sent = ["cash-in-transit daybook-csv 2026-03-03 1000", "processor-receivable dejavoo 2026-03-04 2000"]
            #expect(try await Self.owed(planted) == sent)
            let payout = try #require(try await planted.ledger.journal.owed(to: "acme").first { $0.line != nil })
            #expect(payout.merchant == "M1")
            let before = try await planted.ledger.reader.head()
            try await player.play(Self.file("S3", side: "bank", "deposit,10.00,2026-03-04,,,PO1,"))
            try await player.play(Self.reconcile)
            #expect(try await Self.owed(planted) == ["processor-receivable dejavoo 2026-03-04 2000"])
            // Earlier positions have what was known then.
            #expect(try await Self.owed(planted, at: before) == sent)
            #expect(try await Self.owed(planted, at: begun) == captured)
            // Without the bank's file, the payout is in transit again.
            _ = try await planted.withdraw(try #require(player.statements["S3"]))
            try await player.play(Self.reconcile)
            #expect(try await Self.owed(planted) == sent)
            try await Self.expectTheBalances(planted)
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// A payout and its return leave the payouts that a transfer explains: it still explains the others.
    @Test func aTransferStaysWithItsOtherPayouts() async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            let day = "2026-03-03,,PO1,,M1"
            try await player.play(Self.file("S1", "payout,-10.00,\(day)", "payout,-20.00,\(day)"))
            try await player.play(Self.file("S2", "payout,-5.00,\(day)", "payout-return,5.00,\(day)"))
            try await player.play(Self.file("S3", "payout,-6.00,\(day)", "payout-return,6.00,\(day)"))
            try await player.play(Self.file("S4", side: "bank", "deposit,30.00,2026-03-04,,,PO1,"))
            try await player.play(Self.reconcile)
            func inTransit() async throws -> [String] {
                try await Self.owed(planted).filter { $0.hasPrefix("cash-in-transit") }
            }
            #expect(try await inTransit() == [])
            // The match is named by the first payout, which stays.
            let first = try await planted.ledger.pool.query(
                "SELECT statement FROM read_statements.lines WHERE side = 'processor' ORDER BY id::text LIMIT 1",
                []
            ).first?.uuid(0)
            let file = try #require(
                first == player.statements["S2"] ? player.statements["S3"] : player.statements["S2"]
            )
            _ = try await planted.withdraw(file)
            try await player.play(Self.reconcile)
            #expect(try await inTransit() == [])
            try await Self.expectTheBalances(planted)
            try await StatementJournalTests.expectBalanced(planted)
        }
    }

    /// A payout takes the oldest money; another credit the money of its day, and then the oldest.
    @Test(
        arguments: [
            ("less than the first day", "-60.00", ["2026-03-02 3000", "2026-03-03 5000"]),
            ("a part of the second day", "-120.00", ["2026-03-03 2000"]), ("all", "-140.00", []),
            ("more than there is", "-200.00", ["2026-03-05 -6000"]),
            ("returned", "10.00", ["2026-03-02 9000", "2026-03-03 5000", "2026-03-05 1000"]),
        ]
    )
    func aPayoutTakesTheOldestMoney(note: String, payout: String, left: [String]) async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            let type = payout.hasPrefix("-") ? "payout" : "payout-return"
            try await player.play(
                Self.file(
                    "S1",
                    "sale,100.00,2026-03-02,A,,,M1",
                    "adjustment,-10.00,2026-03-02,B,,,M1",
                    "sale,50.00,2026-03-03,C,,,M1",
                    "\(type),\(payout),2026-03-05,,PO1,,M1"
                )
            )
            let owed = try await Self.owed(planted).filter { $0.hasPrefix("processor-receivable") }
            #expect(owed == left.map { "processor-receivable daybook-csv \($0)" }, "\(note)")
            try await Self.expectTheBalances(planted)
        }
    }

    /// Only the money that was asked for counts towards the most rows of an answer.
    @Test(arguments: [
        (name: "processor", value: "adyen"), (name: "merchant", value: "M1"), (name: "currency", value: "EUR"),
    ])
    func otherMoneyIsNotCounted(name: String, value: String) async throws {
        try await PlantedLedger.with { planted in
            let ledger = planted.ledger
            _ = try await ledger.pool.query(
                """
                INSERT INTO read_journal.balances (tenant, day, merchant, account, part, currency, amount)
                SELECT 'acme', DATE '2026-03-02', 'S' || n, 'processor-receivable', 'dejavoo', 'USD', 100
                FROM generate_series(1, $1::int8) n
                UNION ALL SELECT 'acme', DATE '2026-03-02', 'M1', 'processor-receivable', 'adyen', 'EUR', 700
                """,
                [.int64(Int64(JournalQuery.balanceLimit) + 1)]
            )
            await #expect(throws: BalanceError.tooMany) { try await ledger.journal.owed(to: "acme") }
            let owed = try Lists.receivables.request([(name: name, value: value)])
            let rows = try await ledger.page(owed, of: "acme", limit: 100).items(as: ReceivableJSON.self)
            #expect(rows.map(\.amount.value) == [700])
            let expected = try Lists.cashForecast.request([(name: name, value: value)])
            let deposits = try await ledger.page(expected, of: "acme", limit: 100).items(as: ExpectedDepositJSON.self)
            #expect(deposits.map(\.amount.value) == [700])
        }
    }

    // MARK: Ages

    private static let ages: [(days: Int64, age: ReceivableAge)] = [
        (-1, .notDue), (0, .upTo1), (1, .upTo1), (2, .upTo3), (3, .upTo3), (4, .upTo7), (7, .upTo7), (8, .upTo30),
        (30, .upTo30), (31, .over30),
    ]

    @Test(arguments: ages) func agesHaveTheirDays(days: Int64, age: ReceivableAge) {
        #expect(ReceivableAge(days: days) == age)
    }

    private static func money(_ processor: String, _ day: String, _ amount: Int64, inTransit: Bool = false) throws
        -> OwedMoney
    {
        OwedMoney(
            account: inTransit ? .cashInTransit : .processorReceivable,
            processor: processor,
            merchant: "M1",
            line: inTransit ? UUID128(high: 0, low: UInt64(amount)) : nil,
            day: try #require(CivilDate(day)),
            amount: Money(amount, .usd)
        )
    }

    /// With a calendar, age begins on the day on which money was due: after business days, not over a weekend.
    @Test func moneyIsDueByTheCalendar() throws {
        let calendar = ProcessorCalendar(
            processor: "daybook-csv",
            vendors: [.dejavoo],
            begins: "2026-03-02",
            depositDays: 2,
            payoutDays: 1
        )
        let owed = [
            try Self.money("dejavoo", "2026-03-05", 500), try Self.money("dejavoo", "2026-03-06", 70),
            try Self.money("dejavoo", "2026-03-07", 7), try Self.money("bridgepay", "2026-03-06", 11),
            try Self.money("daybook-csv", "2026-03-06", 300, inTransit: true),
            try Self.money("daybook-csv", "2026-03-06", 200, inTransit: true),
        ]
        let today = try #require(CivilDate("2026-03-10"))
        let aged = try Receivable.aged(owed, by: [calendar], on: today)
        let found = aged.map { one in
            "\(one.processor ?? "") \(one.age.rawValue) \(one.since) \(one.due?.description ?? "-") \(one.amount.value)"
        }
        #expect(
            found == [
                // Due on Monday, March 9, and on Tuesday: one day ago, and today.
                "bridgepay 4-7 2026-03-06 - 11", "dejavoo not-due 2026-03-07 2026-03-11 7",
                "dejavoo 0-1 2026-03-05 2026-03-09 570", "daybook-csv 0-1 2026-03-06 2026-03-09 200",
                "daybook-csv 0-1 2026-03-06 2026-03-09 300",
            ]
        )
    }

    @Test func sumsThatDoNotFitAreRefused() throws {
        let owed = [try Self.money("dejavoo", "2026-03-05", .max), try Self.money("dejavoo", "2026-03-05", 1)]
        let today = try #require(CivilDate("2026-03-10"))
        #expect(throws: BalanceError.overflow) { try Receivable.aged(owed, by: [], on: today) }
    }
}
