import Canonical
import Composition
import DaybookTestKit
import EventLog
import Matching
import Projections
import Reconciliation
import Testing

/// Money that no line names is reported missing by the progress of its account, and once.
struct HorizonTests {
    private static func movement(_ number: Int, _ merchant: String, day: Int) -> PlantedWorld.Movement {
        PlantedWorld.Movement(
            transaction: number,
            amount: 1000,
            day: day,
            keys: ["gateway_id": "g-\(number)", "merchant": merchant]
        )
    }

    private static func line(_ number: Int, _ merchant: String, day: Int) -> PlantedWorld.Line {
        PlantedWorld.Line(
            name: "n-\(number)",
            gross: 1000,
            day: day,
            keys: ["processor_id": "g-\(number)", "merchant": merchant]
        )
    }

    /// Two merchants have a payment of day 36 each; the line of the second one's is in its second file.
    private static let movements = [
        movement(1, "A", day: 36), movement(2, "B", day: 36), movement(3, "A", day: 40), movement(4, "B", day: 33),
        movement(5, "A", day: 47), movement(6, "B", day: 44),
    ]
    private static let files: [String: [PlantedWorld.Line]] = [
        "A1": [line(3, "A", day: 40)], "B1": [line(4, "B", day: 33)], "A2": [line(5, "A", day: 47)],
        "B2": [line(2, "B", day: 36), line(6, "B", day: 44)],
    ]

    private func missing(in planted: PlantedLedger) async throws -> [Int] {
        try await planted.exceptions().filter { $0.what == "missing-at-processor" }.compactMap(\.transaction).sorted()
    }

    /// The missing payments after each file, in several orders; a complete run finds nothing else.
    @Test(arguments: [
        // B's account has reached day 33 when A's has reached 40. When A's has reached 47, the wait for B's ends.
        (["A1", "B1", "A2", "B2"], [[1, 2, 4], [1], [1, 2], [1]]), (["B1", "A1", "B2", "A2"], [[], [1], [1], [1]]),
        (["B2", "A2", "B1", "A1"], [[1, 3, 4], [1, 3, 4], [1, 3], [1]]),
        (["A2", "B1", "B2", "A1"], [[1, 2, 3, 4, 6], [1, 2, 3], [1, 3], [1]]),
        (["B1", "B2", "A1", "A2"], [[], [1, 3], [1], [1]]),
    ])
    func anotherAccountsFileMakesNothingMissing(files: [String], expected: [[Int]]) async throws {
        try await PlantedLedger.with { planted in
            try await planted.put(Self.movements)
            for (file, expected) in zip(files, expected) {
                try await planted.import(try #require(Self.files[file]))
                try await planted.reconcile()
                #expect(try await missing(in: planted) == expected, "\(file) of \(files)")
                let whole = try await planted.reconcile(whole: true).completion
                let changes = whole.matched + whole.unmatched + whole.raised + whole.cleared
                #expect(changes == 0, "\(file) of \(files): \(whole)")
            }
        }
    }

    @Test func theWaitForAnAccountIsARule() async throws {
        try await PlantedLedger.with { planted in
            try await planted.setRules(MatchingRules(graceDays: 2, silentDays: 2))
            try await planted.put(Self.movements)
            for file in ["A1", "B1"] { try await planted.import(try #require(Self.files[file])) }
            try await planted.reconcile()
            #expect(try await missing(in: planted) == [1, 2])
            try await planted.setRules(MatchingRules(graceDays: 2, silentDays: 3))
            let outcome = try await planted.reconcile()
            #expect(outcome.isWhole && outcome.completion.cleared == 1)
            #expect(try await missing(in: planted) == [1])
        }
    }

    /// A total that differs from the ledger is one exception, whatever it counts; so is a repeated total.
    @Test func aWrongTotalCoversItsPayments() async throws {
        @Sendable func total(_ name: String, _ amount: Int64) -> PlantedWorld.Line {
            let keys = ["terminal": "t-1", "batch": "7"]
            return PlantedWorld.Line(name: name, type: "batch", gross: amount, day: 1, role: "total", keys: keys)
        }
        try await PlantedLedger.with { planted in
            var parts = [Self.movement(1, "A", day: 1), Self.movement(2, "A", day: 1), Self.movement(3, "A", day: 1)]
            for place in parts.indices { parts[place].keys = ["terminal": "t-1", "batch": "7"] }
            try await planted.put(parts + [Self.movement(4, "A", day: 1), Self.movement(5, "A", day: 9)])
            try await planted.import([total("first", 3500), Self.line(5, "A", day: 9)])
            try await planted.reconcile()
            try await expectSum(-500, ["batch-out-of-balance", "missing-at-processor"], of: 2, in: planted)
            #expect(try await missing(in: planted) == [4])
            try await planted.import([total("second", 100)])
            try await planted.reconcile()
            // One of the totals counts the payments; which one does not matter.
            let classes = ["batch-out-of-balance", "missing-at-processor", "missing-in-ledger"]
            try await expectSum(-400, classes, of: 3, in: planted)
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole.raised + whole.cleared == 0)
        }
    }

    /// The sum of a report's exceptions equals the processors' money less the ledger's.
    private func expectSum(
        _ sum: Int64,
        _ classes: [String],
        of count: Int64,
        in planted: PlantedLedger
    ) async throws {
        let report = try await planted.ledger.reconciliation.query.report(
            of: "acme",
            ReportScope(),
            at: try await planted.ledger.reader.head(),
            now: planted.ledger.clock.now()
        )
        #expect(report.exceptions.map(\.exceptionClass) == classes)
        #expect(report.exceptions.map(\.open).reduce(0, +) == count)
        #expect(report.exceptions.compactMap(\.openAmount).reduce(0, +) == sum)
    }
}
