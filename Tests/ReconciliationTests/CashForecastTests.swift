import Canonical
import Composition
import DaybookTestKit
import Journal
import Matching
import Operations
import Payments
import Postgres
import Redaction
import Testing

@testable import Reconciliation

/// When deposits are expected, by the calendars of processors.
struct CashForecastTests {
    private static let calendar = ProcessorCalendar(
        processor: "daybook-csv",
        vendors: [.dejavoo],
        begins: "2026-04-01",
        zone: "Europe/Berlin",
        cutoff: "22:00",
        depositDays: 2,
        payoutDays: 1
    )

    private static func sale(
        _ name: String,
        _ total: Int64,
        of vendor: String = "dejavoo",
        tender: String = "credit",
        at time: String
    ) -> JSONValue {
        [
            "event": [
                "type": "Captured", "transaction": .string(name), "capture": "sale", "vendor": .string(vendor),
                "tender": .string(tender), "occurredAt": .string(time),
                "amounts": ["total": .number(.init(total))],
                "currency": "USD", "references": ["gatewayTransaction": .string("GW-\(name)"), "merchant": "M1"],
            ]
        ]
    }

    private static func file(_ id: String, side: String = "processor", _ line: String) -> JSONValue {
        let text = "type,gross,fee,net,day,processor_id,payout,bank_reference,merchant,currency\n\(line),USD\n"
        return ["statement": ["id": .string(id), "side": .string(side), "csv": .string(text)]]
    }

    private static let reconcile: JSONValue = ["command": ["operation": "reconcile"]]

    /// The rows of the forecast, as `expected 2026-03-05 daybook-csv payments 2000`. They add up to the receivables.
    private static func forecast(_ planted: PlantedLedger, _ more: [(String, String)] = []) async throws -> [String] {
        let ledger = planted.ledger
        try await ledger.catchUp()
        func page(_ list: any LedgerList, _ query: [(name: String, value: String)]) async throws -> ListDocument {
            try await ledger.page(try list.request(query), of: "acme", limit: 100)
        }
        let query = [(name: "days", value: "4")] + more.map { (name: $0.0, value: $0.1) }
        let found = try await page(Lists.cashForecast, query)
        #expect(found.head["first"] == "2026-03-05" && found.head["last"] == "2026-03-08")
        let rows = try found.items(as: ExpectedDepositJSON.self)
        if more.isEmpty {
            let owed = try await page(Lists.receivables, []).items(as: ReceivableJSON.self)
            let sums = (owed.reduce(0) { $0 + $1.amount.value }, rows.reduce(0) { $0 + $1.amount.value })
            #expect(sums.0 == sums.1)
        }
        return rows.map { row in
            let names = [row.timing.rawValue, row.day ?? "-", row.processor ?? "-", row.source.rawValue]
            return (names + ["\(row.amount.value)"]).joined(separator: " ")
        }
    }

    /// Payments are expected by their time and cut-off, lines by their day, and payouts by theirs.
    @Test func depositsFollowTheCalendar() async throws {
        let clock = ManualClock(at: try #require(Timestamp(rfc3339: "2026-03-05T12:00:00Z")))
        try await PlantedLedger.with(clock: clock) { planted in
            try await planted.setRules(MatchingRules(graceDays: 10, calendars: [Self.calendar]))
            var player = ScenarioPlayer(planted)
            try await player.play(Self.sale("T1", 1000, at: "2026-03-02T12:00:00Z"))
            // 22:30 in Berlin: of the next day.
            try await player.play(Self.sale("T2", 2000, at: "2026-03-02T21:30:00Z"))
            // Two business days after a Thursday is Monday.
            try await player.play(Self.sale("T3", 4000, at: "2026-03-05T10:00:00Z"))
            try await player.play(Self.sale("T4", 500, of: "bridgepay", at: "2026-03-03T12:00:00Z"))
            let rest = [
                "expected 2026-03-05 daybook-csv payments 2000", "later - daybook-csv payments 4000",
                "undated - bridgepay payments 500",
            ]
            #expect(try await Self.forecast(planted) == ["overdue 2026-03-04 daybook-csv payments 1000"] + rest)
            #expect(try await Self.forecast(planted, [("processor", "bridgepay")]) == [rest[2]])
            #expect(try await Self.forecast(planted, [("merchant", "M2")]) == [])
            #expect(try await Self.forecast(planted, [("currency", "EUR")]) == [])
            // The statement states the fee.
            try await player.play(Self.file("S1", "sale,10.00,-0.30,9.70,2026-03-02,GW-T1,PO1,,M1"))
            try await player.play(Self.reconcile)
            #expect(try await Self.forecast(planted) == ["overdue 2026-03-04 daybook-csv statement 970"] + rest)
            try await player.play(Self.file("S2", "payout,-9.70,,-9.70,2026-03-04,,PO1,PO1,M1"))
            try await player.play(Self.reconcile)
            #expect(
                try await Self.forecast(planted) == [
                    rest[0], "expected 2026-03-05 daybook-csv payout 970", rest[1], rest[2],
                ]
            )
            try await player.play(Self.file("S3", side: "bank", "deposit,9.70,,9.70,2026-03-05,,,PO1,"))
            try await player.play(Self.reconcile)
            #expect(try await Self.forecast(planted) == rest)
        }
    }

    /// A chargeback that the vendor reports is taken from the expected money until a line has it; a reversal that the
    /// vendor reports is expected until a line has it.
    @Test func theVendorsChargebacksAreExpected() async throws {
        let clock = ManualClock(at: try #require(Timestamp(rfc3339: "2026-03-05T12:00:00Z")))
        try await PlantedLedger.with(clock: clock) { planted in
            try await planted.setRules(MatchingRules(graceDays: 10, calendars: [Self.calendar]))
            var player = ScenarioPlayer(planted)
            func report(_ type: String, at time: String) -> JSONValue {
                [
                    "event": [
                        "type": .string(type), "transaction": "T1", "id": "CB-1", "vendor": "dejavoo",
                        "occurredAt": .string(time), "amount": 1000, "currency": "USD",
                        "references": ["gatewayTransaction": "GW-T1"],
                    ]
                ]
            }
            try await player.play(Self.sale("T1", 1000, at: "2026-03-02T12:00:00Z"))
            try await player.play(Self.sale("T2", 2500, at: "2026-03-04T12:00:00Z"))
            try await player.play(report("ChargedBack", at: "2026-03-04T10:00:00Z"))
            #expect(
                try await Self.forecast(planted) == [
                    "overdue 2026-03-04 daybook-csv payments 1000", "expected 2026-03-06 daybook-csv payments 1500",
                ]
            )
            let text = """
                type,gross,net,day,processor_id,related_id,merchant,currency
                sale,10.00,10.00,2026-03-02,GW-T1,,M1,USD
                chargeback,-10.00,-10.00,2026-03-05,CB-1,GW-T1,M1,USD

                """
            try await player.play(["statement": ["id": "S1", "side": "processor", "csv": .string(text)]])
            try await player.play(Self.reconcile)
            // The two lines add up to nothing.
            #expect(try await Self.forecast(planted) == ["expected 2026-03-06 daybook-csv payments 2500"])
            try await player.play(report("ChargebackReversed", at: "2026-03-05T10:00:00Z"))
            #expect(try await Self.forecast(planted) == ["expected 2026-03-06 daybook-csv payments 3500"])
        }
    }

    /// What a deposit paid is not expected again. Money that went back later is a deduction until a deposit is less by
    /// it.
    @Test(arguments: ["Refunded", "ChargedBack"])
    func depositedMoneyIsNotExpectedAgain(_ type: String) async throws {
        let clock = ManualClock(at: try #require(Timestamp(rfc3339: "2026-03-05T12:00:00Z")))
        try await PlantedLedger.with(clock: clock) { planted in
            try await planted.setRules(MatchingRules(graceDays: 10, calendars: [Self.calendar]))
            var player = ScenarioPlayer(planted)
            func report(_ type: String, _ id: String, of name: String, _ amount: Int64, at time: String) -> JSONValue {
                [
                    "event": [
                        "type": .string(type), "transaction": .string(name), "id": .string(id), "vendor": "dejavoo",
                        "occurredAt": .string(time), "amount": .number(.init(amount)), "currency": "USD",
                        "references": ["gatewayTransaction": .string("GW-\(name)")],
                    ]
                ]
            }
            try await player.play(Self.sale("T1", 1000, at: "2026-03-02T12:00:00Z"))
            try await player.play(report("Funded", "F1", of: "T1", 1000, at: "2026-03-04T08:00:00Z"))
            #expect(try await Self.forecast(planted) == [])
            try await player.play(report(type, "R1", of: "T1", 300, at: "2026-03-04T10:00:00Z"))
            #expect(try await Self.forecast(planted) == ["expected 2026-03-06 daybook-csv payments -300"])
            try await player.play(report("Funded", "F2", of: "T1", -300, at: "2026-03-05T08:00:00Z"))
            #expect(try await Self.forecast(planted) == [])
            if type == "ChargedBack" {
                try await player.play(report("ChargebackReversed", "R1", of: "T1", 300, at: "2026-03-05T10:00:00Z"))
                #expect(try await Self.forecast(planted) == ["expected 2026-03-06 daybook-csv payments 300"])
                try await player.play(report("Funded", "F3", of: "T1", 300, at: "2026-03-05T11:00:00Z"))
                #expect(try await Self.forecast(planted) == [])
            }
            // The first deposit is less by what went back before it, and by a fee.
            try await player.play(Self.sale("T2", 2000, at: "2026-03-02T12:00:00Z"))
            try await player.play(report(type, "R2", of: "T2", 300, at: "2026-03-03T10:00:00Z"))
            try await player.play(report("Funded", "F4", of: "T2", 1670, at: "2026-03-04T08:00:00Z"))
            #expect(try await Self.forecast(planted, [("currency", "USD")]) == [])
            // Everything went back, and a deduction took it.
            try await player.play(Self.sale("T3", 1000, at: "2026-03-02T12:00:00Z"))
            try await player.play(report("Funded", "F5", of: "T3", 1000, at: "2026-03-04T08:00:00Z"))
            try await player.play(report(type, "R3", of: "T3", 1000, at: "2026-03-04T10:00:00Z"))
            try await player.play(report("Funded", "F6", of: "T3", -1000, at: "2026-03-05T08:00:00Z"))
            #expect(try await Self.forecast(planted, [("currency", "USD")]) == [])
        }
    }

    /// A sum that exceeds 64 bits is refused, and none is wrapped.
    @Test func sumsThatDoNotFitAreRefused() async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            for name in ["T1", "T2"] {
                try await player.play(Self.sale(name, 1000, at: "2026-03-02T12:00:00Z"))
            }
            _ = try await planted.ledger.pool.query(
                "UPDATE read_movements.movements SET amount = $1",
                [.int64(.max)]
            )
            let request = try Lists.cashForecast.request([])
            await #expect(throws: BalanceError.overflow) {
                try await planted.ledger.page(request, of: "acme", limit: 100)
            }
        }
    }

    /// Tenders that no acquirer settles are in no statement: they would be overdue for ever.
    @Test(arguments: ["gift", "cash", "EBT-Food", "ebt_cash", "bank-account-checking"])
    func otherTendersAreNotExpected(_ tender: String) async throws {
        let clock = ManualClock(at: try #require(Timestamp(rfc3339: "2026-03-05T12:00:00Z")))
        try await PlantedLedger.with(clock: clock) { planted in
            try await planted.setRules(MatchingRules(graceDays: 10, calendars: [Self.calendar]))
            var player = ScenarioPlayer(planted)
            try await player.play(Self.sale("T1", 1000, tender: tender, at: "2026-03-02T12:00:00Z"))
            try await player.play(Self.sale("T2", 2000, at: "2026-03-03T12:00:00Z"))
            #expect(
                try await Self.forecast(planted, [("currency", "USD")]) == [
                    "expected 2026-03-05 daybook-csv payments 2000"
                ]
            )
        }
    }

    /// Money about which an exception asks is not expected, unless an operator found that it is a matter of time.
    @Test(arguments: [ExceptionResolution.Kind.timing, .writtenOff])
    func missingMoneyIsNotExpected(_ kind: ExceptionResolution.Kind) async throws {
        let clock = ManualClock(at: try #require(Timestamp(rfc3339: "2026-03-05T12:00:00Z")))
        try await PlantedLedger.with(clock: clock) { planted in
            try await planted.setRules(MatchingRules(graceDays: 1, calendars: [Self.calendar]))
            var player = ScenarioPlayer(planted)
            try await player.play(Self.sale("T1", 1000, at: "2026-03-02T12:00:00Z"))
            try await player.play(Self.sale("T2", 2000, at: "2026-03-04T12:00:00Z"))
            let paid = "later - daybook-csv statement 2000"
            let open = "overdue 2026-03-04 daybook-csv payments 1000"
            try await player.play(Self.file("S1", "sale,20.00,,20.00,2026-03-05,GW-T2,,,M1"))
            try await player.play(Self.reconcile)
            // The line's day is a Thursday.
            #expect(try await Self.forecast(planted) == [paid])
            let found = try await planted.ledger.reconciliation.exceptions.exceptions(of: "acme", limit: 10)
            let missing = try #require(found.first { $0.exceptionClass == "missing-at-processor" })
            _ = try await planted.ledger.reconciliation.exceptionCommands.act(
                .resolve(ExceptionResolution(kind)),
                on: missing.id,
                reason: "the file is late",
                sender: PlantedLedger.sender
            )
            _ = try await planted.approve(missing.id, by: PlantedLedger.approver)
            #expect(try await Self.forecast(planted) == (kind == .timing ? [open, paid] : [paid]))
        }
    }
}
