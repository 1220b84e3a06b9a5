import Canonical
import Composition
import DaybookTestKit
import Matching
import Postgres
import Projections
import Reconciliation
import Testing

/// Recurring names, batches with several totals, and fees that were not charged.
struct LadderCaseTests {
    private typealias Movement = PlantedWorld.Movement
    private typealias Line = PlantedWorld.Line
    private typealias Finding = PlantedWorld.Finding

    private static func total(_ name: String, _ gross: Int64, day: Int) -> Line {
        Line(name: name, gross: gross, day: day, role: "total", keys: ["terminal": "t1", "batch": "7"])
    }

    private static func batched(_ number: Int, _ amount: Int64, day: Int) -> Movement {
        Movement(transaction: number, amount: amount, day: day, keys: ["terminal": "t1", "batch": "7"])
    }

    /// Two applications of a terminal, each with its own total of the same batch.
    @Test func totalsOfOneBatchAreSummed() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([
                Self.batched(1, 1000, day: 3), Self.batched(2, 250, day: 3), Self.batched(3, 4000, day: 4),
            ])
            try await planted.import([Self.total("credit", 1250, day: 4), Self.total("debit", 4000, day: 4)])
            try await planted.reconcile()
            let links = try await planted.links()
            #expect(Set(links.map(\.what)) == ["terminal-batch"])
            #expect(Set(links.compactMap(\.line)) == ["credit", "debit"])
            #expect(Set(links.compactMap(\.transaction)) == [1, 2, 3])
            #expect(try await planted.exceptions().isEmpty)
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole.matched + whole.unmatched + whole.raised + whole.cleared == 0)
        }
    }

    /// A terminal that has counted to 999 begins at 1 again.
    @Test func aReusedBatchNumberIsAnotherBatch() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([Self.batched(1, 1000, day: 3), Self.batched(2, 300, day: 103)])
            try await planted.import([Self.total("before", 1000, day: 3)])
            try await planted.reconcile()
            let before = Finding(what: "terminal-batch", line: "before", transaction: 1)
            #expect(try await planted.links() == [before])
            try await planted.import([Self.total("after", 300, day: 103)])
            try await planted.reconcile()
            #expect(
                try await planted.links() == [before, Finding(what: "terminal-batch", line: "after", transaction: 2)]
            )
            #expect(try await planted.exceptions().isEmpty)
        }
    }

    /// A wrong batch total affects only its own payments.
    @Test func aWrongTotalIsAboutThePaymentsOfItsDays() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([Self.batched(1, 1000, day: 3), Self.batched(2, 300, day: 103)])
            try await planted.import([Self.total("wrong", 900, day: 3), Self.total("right", 300, day: 103)])
            try await planted.reconcile()
            #expect(try await planted.links() == [Finding(what: "terminal-batch", line: "right", transaction: 2)])
            let wrong = Finding(what: "batch-out-of-balance", line: "wrong", transaction: nil)
            #expect(try await planted.exceptions() == [wrong])
        }
    }

    /// The line of the first payment with a reference never came; the reference recurs.
    @Test func aReusedReferenceIsAnotherPayment() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: ["rrn": "000000000042"]),
                Movement(transaction: 2, amount: 1000, day: 203, keys: ["rrn": "000000000042"]),
                Movement(transaction: 3, amount: 1000, day: 204, keys: ["rrn": "000000000042"]),
            ])
            let keys = ["rrn": "000000000042"]
            try await planted.import([
                Line(name: "second", gross: 1000, day: 205, keys: keys),
                Line(name: "first", gross: 1000, day: 204, keys: keys),
                Line(name: "later", gross: 1, day: 230, keys: ["processor_id": "g-9"]),
            ])
            try await planted.reconcile()
            #expect(
                try await planted.links() == [
                    Finding(what: "rrn", line: "first", transaction: 2),
                    Finding(what: "rrn", line: "second", transaction: 3),
                ]
            )
            #expect(
                try await planted.exceptions() == [
                    Finding(what: "missing-at-processor", line: nil, transaction: 1),
                    Finding(what: "missing-in-ledger", line: "later", transaction: nil),
                ]
            )
        }
    }

    /// A short id may be another payment's after years. An id of 20 characters is not, whatever the terminal's clock was.
    @Test(arguments: [(7, false), (19, false), (20, true), (36, true)])
    func aLongIdIsTheSamePaymentAtAnyDistance(length: Int, isMatched: Bool) async throws {
        try await PlantedLedger.with { planted in
            let id = String(repeating: "x", count: length)
            try await planted.put([Movement(transaction: 1, amount: 1000, day: 3, keys: ["gateway_id": id])])
            try await planted.import([Line(name: "a", gross: 1000, day: 1100, keys: ["processor_id": id])])
            try await planted.reconcile()
            #expect(try await planted.links().count == (isMatched ? 1 : 0))
        }
    }

    /// The clock of the terminal was wrong in the file, and its counter began again. The authorization distinguishes
    /// the two payments, and relates a line of another amount.
    @Test func anIdWithTheSameAuthorizationIsTheSamePayment() async throws {
        try await PlantedLedger.with { planted in
            func keys(_ column: String, _ id: String, _ code: String) -> [String: String] {
                [column: id, "auth_code": code]
            }
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: keys("gateway_id", "42", "A1")),
                Movement(transaction: 2, amount: 1000, day: 203, keys: keys("gateway_id", "42", "B2")),
                Movement(transaction: 3, amount: 500, day: 3, keys: keys("gateway_id", "77", "C3")),
            ])
            try await planted.import([
                Line(name: "first", gross: 1000, day: 103, keys: keys("processor_id", "42", "A1")),
                Line(name: "second", gross: 1000, day: 204, keys: keys("processor_id", "42", "B2")),
                Line(name: "differs", gross: 700, day: 103, keys: keys("processor_id", "77", "C3")),
                Line(name: "other", gross: 1000, day: 103, keys: keys("processor_id", "42", "D4")),
            ])
            try await planted.reconcile()
            #expect(
                try await planted.links() == [
                    Finding(what: "gateway-id", line: "first", transaction: 1),
                    Finding(what: "gateway-id", line: "second", transaction: 2),
                ]
            )
            #expect(
                try await planted.exceptions() == [
                    Finding(what: "late", line: "first", transaction: 1),
                    Finding(what: "amount-differs", line: "differs", transaction: 3),
                    Finding(what: "missing-in-ledger", line: "other", transaction: nil),
                ]
            )
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole.matched + whole.unmatched + whole.raised + whole.cleared == 0)
        }
    }

    /// Two captures in one line, and months later, under the same reference, one capture in two lines.
    @Test func reusedNumbersAreSummedSeparately() async throws {
        try await PlantedLedger.with { planted in
            let keys = ["rrn": "000000000042"]
            try await planted.put([
                Movement(transaction: 1, amount: 600, day: 3, keys: keys),
                Movement(transaction: 2, amount: 400, day: 4, keys: keys),
                Movement(transaction: 3, amount: 500, day: 203, keys: keys),
            ])
            try await planted.import([Line(name: "both", gross: 1000, day: 5, keys: keys)])
            try await planted.reconcile()
            let first: Set = [
                Finding(what: "rrn-sum", line: "both", transaction: 1),
                Finding(what: "rrn-sum", line: "both", transaction: 2),
            ]
            #expect(try await planted.links() == first)
            try await planted.import([
                Line(name: "one", gross: 200, day: 204, keys: keys),
                Line(name: "two", gross: 300, day: 206, keys: keys),
                // Months after its sale, as is usual for chargebacks.
                Line(name: "back", type: "chargeback", gross: -500, day: 300, keys: keys),
            ])
            try await planted.reconcile()
            let second: Set = [
                Finding(what: "rrn-sum", line: "one", transaction: 3),
                Finding(what: "rrn-sum", line: "two", transaction: 3),
            ]
            #expect(try await planted.links() == first.union(second))
            // Three payments have its reference.
            let unrecorded: Set = [Finding(what: "chargeback-not-recorded", line: "back", transaction: nil)]
            #expect(try await planted.exceptions() == unrecorded)
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole.matched + whole.unmatched + whole.raised + whole.cleared == 0)
        }
    }

    /// The same in a report: payments months later under the number of a wrong batch are not in its exception.
    @Test func aReportCountsTheBatchOfItsDays() async throws {
        try await PlantedLedger.with { planted in
            let movements = [Self.batched(1, 1000, day: 3), Self.batched(2, 300, day: 103)]
            try await planted.put(movements)
            try await planted.put(batched: movements)
            try await planted.import([Self.total("wrong", 900, day: 3)])
            let run = try await planted.reconcile()
            #expect(try await planted.exceptions().map(\.what) == ["batch-out-of-balance"])
            try await planted.ledger.catchUp()
            let report = try await planted.ledger.reconciliation.query.report(
                of: "acme",
                ReportScope(),
                at: run.position,
                now: Timestamp(microsecondsSince1970: 0)
            )
            let shares = report.ledger.map { "\($0.state.rawValue) \($0.amount ?? 0)" }
            #expect(shares == ["exception 1000", "pending 300"])
        }
    }

    @Test func onlyConvertedAmountsMayDifferByRounding() async throws {
        try await PlantedLedger.with { planted in
            var rules = MatchingRules()
            rules.ladder = [MatchingRule("invoice", [.invoice], .unique, days: 7, tolerance: 1)]
            try await planted.setRules(rules)
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: ["invoice": "a"]),
                Movement(transaction: 2, amount: 1000, day: 3, keys: ["invoice": "b"]),
            ])
            try await planted.import([
                Line(name: "a", gross: 1001, day: 3, keys: ["invoice": "a"]),
                Line(name: "b", gross: 850, day: 3, keys: ["invoice": "b"]),
            ])
            try await planted.reconcile()
            #expect(try await planted.links().isEmpty)
            // The second was paid in dollars and settled in euros.
            try await planted.ledger.pool.execute(
                """
                UPDATE read_statements.lines SET currency = 'EUR', paid = 1001, paid_currency = 'USD'
                WHERE view -> 'references' ->> 'other_reference' = 'b'
                """,
                []
            )
            try await planted.reconcile(whole: true)
            #expect(try await planted.links() == [Finding(what: "invoice", line: "b", transaction: 2)])
        }
    }

    /// In a file with fees, a missing fee is a fee of zero; a file without fees is no evidence about them.
    @Test func aSaleThatWasChargedNothingDiffersFromItsFee() async throws {
        try await PlantedLedger.with { planted in
            try await planted.setRules(
                MatchingRules(fees: [
                    ExpectedFee(currency: "USD", basisPoints: 200, tolerance: 1),
                    // A fee in another currency: for dollars the brand is not a special one.
                    ExpectedFee(brand: "visa", currency: "EUR", basisPoints: 100),
                ])
            )
            try await planted.put(
                (1...3).map { Movement(transaction: $0, amount: 1000, day: 3, keys: ["gateway_id": "g-\($0)"]) }
            )
            func line(_ number: Int, _ fee: Int64?) -> Line {
                Line(name: "\(number)", gross: 1000, fee: fee, day: 3, keys: ["processor_id": "g-\(number)"])
            }
            try await planted.import([line(1, -20), line(2, nil)])
            try await planted.import([line(3, nil)])
            try await planted.reconcile()
            try await planted.ledger.pool.execute("UPDATE read_statements.lines SET brand = 'Visa'", [])
            try await planted.reconcile(whole: true)
            #expect(try await planted.exceptions() == [Finding(what: "fee-differs", line: "2", transaction: 2)])
            let reported = try await planted.ledger.pool.query(
                "SELECT amount FROM read_reconciliation.exceptions WHERE tenant = 'acme' AND class = 'fee-differs'",
                []
            )
            #expect(try reported.first?.int64(0) == 20)
        }
    }

    /// A fee is in the currency in which the processor settles, whatever the cardholder paid in.
    @Test func aFeeIsInTheCurrencyOfItsAccount() async throws {
        try await PlantedLedger.with { planted in
            try await planted.setRules(MatchingRules(fees: [ExpectedFee(currency: "USD", basisPoints: 200)]))
            try await planted.put([
                Movement(transaction: 1, currency: "EUR", amount: 900, day: 3, keys: ["gateway_id": "g-1"])
            ])
            try await planted.import([
                Line(name: "1", gross: 1000, fee: -50, day: 3, keys: ["processor_id": "g-1"])
            ])
            try await planted.ledger.catchUp()
            try await planted.ledger.pool.execute(
                "UPDATE read_statements.lines SET paid = 900, paid_currency = 'EUR'",
                []
            )
            try await planted.reconcile()
            #expect(try await planted.exceptions() == [Finding(what: "fee-differs", line: "1", transaction: 1)])
            let details = try await planted.ledger.pool.query(
                """
                SELECT concat_ws(' ', details ->> 'amount', details ->> 'currency', details ->> 'lineAmount',
                    details ->> 'ledgerAmount', details ->> 'ledgerCurrency') FROM read_reconciliation.exceptions
                """,
                []
            )
            #expect(try details.first?.text(0) == "-30 USD 1000 900 EUR")
        }
    }
}
