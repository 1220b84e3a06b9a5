import Canonical
import Composition
import DaybookTestKit
import Matching
import Postgres
import Reconciliation
import Testing

/// Lines and payments of several terminals and merchants under one number.
struct KnownPlaceTests {
    private typealias Movement = PlantedWorld.Movement
    private typealias Line = PlantedWorld.Line
    private typealias Finding = PlantedWorld.Finding

    /// As if payments had named them in the event at this position: terminals, and merchants with their roles.
    static func know(
        _ planted: PlantedLedger,
        terminals: [String] = [],
        merchants: [(name: String, role: String)] = [],
        since position: Int64 = 0
    ) async throws {
        for (name, role) in terminals.map({ (name: $0, role: "terminal") }) + merchants {
            _ = try await planted.ledger.pool.execute(
                """
                INSERT INTO read_merchants.linked_names (tenant, vendor, name, role, owner, owner_role, since)
                VALUES ('acme', 'dejavoo', $1::text, $2::text, $1::text, $2::text, $3::int8)
                """,
                [.text(name), .text(role), .int64(position)]
            )
        }
    }

    static func expectNoChanges(_ planted: PlantedLedger) async throws {
        let whole = try await planted.reconcile(whole: true).completion
        #expect(whole.matched + whole.unmatched + whole.raised + whole.cleared == 0)
    }

    /// A line and a payment of equal amounts, a day apart, under one value of a key.
    private struct Pair {
        var what: String
        var line: [String: String]
        var movement: [String: String]
        var isMatched: Bool
        /// The columns of the key in the line and in the movement.
        var key = (line: "rrn", movement: "rrn")
        var value = "r"
    }

    private static let pairs = [
        Pair(what: "one terminal", line: ["terminal": "t1"], movement: ["terminal": "t1"], isMatched: true),
        Pair(what: "two terminals", line: ["terminal": "t2"], movement: ["terminal": "t1"], isMatched: false),
        Pair(what: "the acquirer's name", line: ["terminal": "x9"], movement: ["terminal": "t1"], isMatched: true),
        Pair(what: "no terminal in the line", line: [:], movement: ["terminal": "t1"], isMatched: true),
        Pair(what: "no terminal in the payment", line: ["terminal": "t2"], movement: [:], isMatched: true),
        Pair(what: "two merchants", line: ["merchant": "m2"], movement: ["merchant": "m1"], isMatched: false),
        Pair(what: "one merchant", line: ["merchant": "m1"], movement: ["merchant": "m1"], isMatched: true),
        Pair(what: "an unknown merchant", line: ["merchant": "x9"], movement: ["merchant": "m1"], isMatched: true),
        Pair(what: "names of two roles", line: ["merchant": "p3"], movement: ["merchant": "m1"], isMatched: true),
        Pair(
            what: "two merchants at one terminal",
            line: ["merchant": "m2", "terminal": "t1"],
            movement: ["merchant": "m1", "terminal": "t1"],
            isMatched: false
        ),
        Pair(
            what: "a short id at two terminals",
            line: ["terminal": "t2"],
            movement: ["terminal": "t1"],
            isMatched: false,
            key: ("processor_id", "gateway_id")
        ),
        Pair(
            what: "a short id at two terminals with one authorization",
            line: ["terminal": "t2", "auth_code": "A1"],
            movement: ["terminal": "t1", "auth_code": "A1"],
            isMatched: false,
            key: ("processor_id", "gateway_id")
        ),
        Pair(
            what: "an id that is given once",
            line: ["terminal": "t2"],
            movement: ["terminal": "t1"],
            isMatched: true,
            key: ("processor_id", "gateway_id"),
            value: "abcdefghijklmnopqrst"
        ),
        Pair(
            what: "the id of a refund at two terminals",
            line: ["terminal": "t2"],
            movement: ["terminal": "t1"],
            isMatched: false,
            key: ("related_id", "gateway_id")
        ),
        Pair(
            what: "an invoice of two merchants",
            line: ["merchant": "m2"],
            movement: ["merchant": "m1"],
            isMatched: false,
            key: ("invoice", "invoice")
        ),
        Pair(
            what: "an invoice of two terminals",
            line: ["terminal": "t2"],
            movement: ["terminal": "t1"],
            isMatched: false,
            key: ("invoice", "invoice")
        ),
    ]

    @Test func whatWasAtAnotherPlaceIsAnotherPayment() async throws {
        try await PlantedLedger.with { planted in
            try await Self.know(
                planted,
                terminals: ["t1", "t2"],
                merchants: [("m1", "sender"), ("m2", "sender"), ("p3", "processor")]
            )
            func keyed(_ place: Int, _ column: String, _ others: [String: String]) -> [String: String] {
                others.merging([column: "\(Self.pairs[place].value)-\(place)"]) { first, _ in first }
            }
            try await planted.put(
                Self.pairs.enumerated().map { place, pair in
                    let keys = keyed(place, pair.key.movement, pair.movement)
                    return Movement(transaction: place + 1, amount: 1000, day: 3, keys: keys)
                }
            )
            try await planted.import(
                Self.pairs.enumerated().map { place, pair in
                    Line(name: pair.what, gross: 1000, day: 4, keys: keyed(place, pair.key.line, pair.line))
                }
            )
            try await planted.reconcile()
            let matched = Set(try await planted.links().compactMap(\.line))
            #expect(matched == Set(Self.pairs.filter(\.isMatched).map(\.what)))
            // A line of another place is no second line of the payment, and no wrong amount of it.
            let found = try await planted.exceptions().filter { $0.line != nil }
            #expect(Set(found.map(\.what)) == ["missing-in-ledger"])
            try await Self.expectNoChanges(planted)
        }
    }

    /// Without a second terminal or merchant, and without known names, nothing is refused.
    @Test func namesThatNoPaymentUsesSayNothing() async throws {
        try await PlantedLedger.with { planted in
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: ["rrn": "1", "terminal": "t1", "merchant": "m1"])
            ])
            try await planted.import([
                Line(name: "a", gross: 1000, day: 4, keys: ["rrn": "1", "terminal": "t2", "merchant": "m2"])
            ])
            try await planted.reconcile()
            #expect(try await planted.links() == [Finding(what: "rrn", line: "a", transaction: 1)])
        }
    }

    /// The line of the first terminal's payment comes last: each line finds the payment of its terminal.
    @Test(arguments: ["terminal", "merchant"])
    func aNumberThatTwoPlacesUseInTenDays(column: String) async throws {
        try await PlantedLedger.with { planted in
            try await Self.know(planted, terminals: ["a", "b"], merchants: [("a", "sender"), ("b", "sender")])
            func keys(_ place: String) -> [String: String] { ["rrn": "000000000042", column: place] }
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: keys("a")),
                Movement(transaction: 2, amount: 1000, day: 13, keys: keys("b")),
            ])
            try await planted.import([Line(name: "second", gross: 1000, day: 14, keys: keys("b"))])
            try await planted.reconcile()
            let second = Finding(what: "rrn", line: "second", transaction: 2)
            #expect(try await planted.links() == [second])
            #expect(
                try await planted.exceptions() == [Finding(what: "missing-at-processor", line: nil, transaction: 1)]
            )
            try await planted.import([Line(name: "first", gross: 1000, day: 4, keys: keys("a"))])
            try await planted.reconcile()
            #expect(try await planted.links() == [Finding(what: "rrn", line: "first", transaction: 1), second])
            #expect(try await planted.exceptions().isEmpty)
            try await Self.expectNoChanges(planted)
        }
    }

    /// The earlier line is of another terminal than the payment.
    @Test func aRefusedPairLeavesThePaymentToAnotherLine() async throws {
        try await PlantedLedger.with { planted in
            try await Self.know(planted, terminals: ["t1", "t2"])
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: ["rrn": "1", "terminal": "t2"])
            ])
            try await planted.import([
                Line(name: "other", gross: 1000, day: 3, keys: ["rrn": "1", "terminal": "t1"]),
                Line(name: "own", gross: 1000, day: 4, keys: ["rrn": "1"]),
            ])
            try await planted.reconcile()
            #expect(try await planted.links() == [Finding(what: "rrn", line: "own", transaction: 1)])
            #expect(
                try await planted.exceptions() == [Finding(what: "missing-in-ledger", line: "other", transaction: nil)]
            )
            try await Self.expectNoChanges(planted)
        }
    }

    /// The sum of two terminals is the line of neither.
    @Test func aSumIsOfOneTerminal() async throws {
        try await PlantedLedger.with { planted in
            try await Self.know(planted, terminals: ["t1", "t2"])
            func movement(_ number: Int, _ amount: Int64, _ rrn: String, _ terminal: String) -> Movement {
                Movement(transaction: number, amount: amount, day: 3, keys: ["rrn": rrn, "terminal": terminal])
            }
            try await planted.put([
                movement(1, 600, "1", "t1"), movement(2, 400, "1", "t2"),
                movement(3, 600, "2", "t1"), movement(4, 400, "2", "t1"),
            ])
            try await planted.import([
                Line(name: "of two", gross: 1000, day: 4, keys: ["rrn": "1", "terminal": "t1"]),
                Line(name: "of one", gross: 1000, day: 4, keys: ["rrn": "2", "terminal": "t1"]),
            ])
            try await planted.reconcile()
            #expect(
                try await planted.links() == [
                    Finding(what: "rrn-sum", line: "of one", transaction: 3),
                    Finding(what: "rrn-sum", line: "of one", transaction: 4),
                ]
            )
            try await Self.expectNoChanges(planted)
        }
    }

    /// Two merchants name a terminal alike, and both close a batch with one number on one day.
    @Test func aTotalIsOfOneMerchant() async throws {
        try await PlantedLedger.with { planted in
            try await Self.know(planted, merchants: [("m1", "sender"), ("m2", "sender")])
            func keys(_ merchant: String) -> [String: String] {
                ["merchant": merchant, "terminal": "1", "batch": "7"]
            }
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: keys("m1")),
                Movement(transaction: 2, amount: 300, day: 3, keys: keys("m2")),
            ])
            try await planted.import([
                Line(name: "wrong", gross: 900, day: 3, role: "total", keys: keys("m1")),
                Line(name: "right", gross: 300, day: 3, role: "total", keys: keys("m2")),
            ])
            try await planted.reconcile()
            #expect(try await planted.links() == [Finding(what: "terminal-batch", line: "right", transaction: 2)])
            #expect(
                try await planted.exceptions() == [
                    Finding(what: "batch-out-of-balance", line: "wrong", transaction: nil)
                ]
            )
            try await Self.expectNoChanges(planted)
        }
    }

    /// The payment of another merchant in a batch of the same number is not explained by a total's exception.
    @Test func theReportTellsTheMerchantsOfATotalApart() async throws {
        try await PlantedLedger.with { planted in
            try await Self.know(planted, merchants: [("m1", "sender"), ("m2", "sender")])
            func movement(_ number: Int, _ amount: Int64, _ merchant: String) -> Movement {
                let keys = ["merchant": merchant, "terminal": "1", "batch": "7"]
                return Movement(transaction: number, amount: amount, day: 3, keys: keys)
            }
            let movements = [movement(1, 1000, "m1"), movement(2, 300, "m2")]
            try await planted.put(movements)
            try await planted.put(batched: movements)
            try await planted.import([
                Line(
                    name: "wrong",
                    gross: 900,
                    day: 3,
                    role: "total",
                    keys: ["merchant": "m1", "terminal": "1", "batch": "7"]
                )
            ])
            let run = try await planted.reconcile()
            #expect(
                try await planted.exceptions() == [
                    Finding(what: "batch-out-of-balance", line: "wrong", transaction: nil)
                ]
            )
            try await planted.ledger.catchUp()
            let report = try await planted.ledger.reconciliation.query.report(
                of: "acme",
                ReportScope(),
                at: run.position,
                now: Timestamp(microsecondsSince1970: 0)
            )
            #expect(Set(report.ledger.map { "\($0.state.rawValue) \($0.count)" }) == ["exception 1", "pending 1"])
        }
    }
}
