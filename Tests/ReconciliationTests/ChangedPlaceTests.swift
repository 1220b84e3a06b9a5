import Composition
import DaybookTestKit
import Matching
import Reconciliation
import Testing

/// Terminals and merchants that become known, or known in another role, after runs have matched lines with payments.
struct ChangedPlaceTests {
    private typealias Movement = PlantedWorld.Movement
    private typealias Line = PlantedWorld.Line
    private typealias Finding = PlantedWorld.Finding

    /// The terminal or merchant of the line is known when its first payment arrives, under another number.
    @Test(arguments: ["terminal", "merchant"])
    func aPlaceThatBecomesKnownEndsItsWrongMatches(column: String) async throws {
        @Sendable func know(_ planted: PlantedLedger, _ names: [String], since position: Int64 = 0) async throws {
            try await KnownPlaceTests.know(
                planted,
                terminals: column == "terminal" ? names : [],
                merchants: column == "merchant" ? names.map { (name: $0, role: "sender") } : [],
                since: position
            )
        }
        try await PlantedLedger.with { planted in
            try await know(planted, ["t1", "t3"])
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: ["rrn": "1", column: "t1"])
            ])
            try await planted.import([Line(name: "a", gross: 1000, day: 4, keys: ["rrn": "1", column: "t2"])])
            let before = try await planted.reconcile()
            #expect(try await planted.links() == [Finding(what: "rrn", line: "a", transaction: 1)])
            try await know(planted, ["t2"], since: before.position)
            try await planted.put(
                [Movement(transaction: 2, amount: 700, day: 3, keys: ["rrn": "2", column: "t2"])],
                position: before.position
            )
            #expect(try await !planted.reconcile().isWhole)
            #expect(try await planted.links().isEmpty)
            try await KnownPlaceTests.expectNoChanges(planted)
        }
    }

    /// The merchant of the payment was only known as an account, which is compared with no processor's name.
    @Test func aMerchantWithABetterRoleEndsItsWrongMatches() async throws {
        try await PlantedLedger.with { planted in
            try await KnownPlaceTests.know(planted, merchants: [("m1", "processor"), ("m2", "account")])
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: ["rrn": "1", "merchant": "m2"])
            ])
            try await planted.import([Line(name: "a", gross: 1000, day: 4, keys: ["rrn": "1", "merchant": "m1"])])
            let before = try await planted.reconcile()
            #expect(try await planted.links() == [Finding(what: "rrn", line: "a", transaction: 1)])
            try await KnownPlaceTests.know(planted, merchants: [("m2", "processor")], since: before.position)
            try await planted.reconcile()
            #expect(try await planted.links().isEmpty)
            try await KnownPlaceTests.expectNoChanges(planted)
        }
    }

    /// With a second terminal, recurring rows are paired by their terminals first.
    @Test func aSecondTerminalPairsEarlierRowsAgain() async throws {
        try await PlantedLedger.with { planted in
            try await KnownPlaceTests.know(planted, terminals: ["t1"])
            try await planted.put([
                Movement(transaction: 1, amount: 1000, day: 3, keys: ["rrn": "1", "terminal": "t1"]),
                Movement(transaction: 2, amount: 1000, day: 3, keys: ["rrn": "1"]),
            ])
            try await planted.import([
                Line(name: "first", gross: 1000, day: 4, keys: ["rrn": "1"]),
                Line(name: "second", gross: 1000, day: 5, keys: ["rrn": "1", "terminal": "t1"]),
            ])
            let before = try await planted.reconcile()
            #expect(
                try await planted.links() == [
                    Finding(what: "rrn", line: "first", transaction: 1),
                    Finding(what: "rrn", line: "second", transaction: 2),
                ]
            )
            try await KnownPlaceTests.know(planted, terminals: ["t2"], since: before.position)
            try await planted.reconcile()
            #expect(
                try await planted.links() == [
                    Finding(what: "rrn", line: "first", transaction: 2),
                    Finding(what: "rrn", line: "second", transaction: 1),
                ]
            )
            try await KnownPlaceTests.expectNoChanges(planted)
        }
    }
}
