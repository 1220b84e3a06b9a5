import Canonical
import Composition
import Journal
import Matching
import Postgres
import Testing

@testable import Reconciliation

/// Chargebacks whose lines cease to count, and count again.
struct DisputeTests {
    private static let sale: JSONValue = [
        "type": "Captured", "transaction": "T1", "capture": "sale", "vendor": "dejavoo", "tender": "credit",
        "occurredAt": "2026-03-02T12:00:00Z", "amounts": ["total": 10_000], "currency": "USD",
        "references": ["gatewayTransaction": "GW-1", "merchant": "M1"],
    ]
    /// The vendor's own report of the chargeback.
    private static let reported: JSONValue = [
        "type": "ChargedBack", "transaction": "T1", "id": "CB-1", "vendor": "dejavoo",
        "occurredAt": "2026-03-19T10:00:00Z", "amount": 10_000, "currency": "USD",
        "references": ["gatewayTransaction": "GW-1"],
    ]
    private static let chargeback = "chargeback,-100.00,2026-03-20,CB-1,GW-1"
    private static let reversal = "chargeback-reversal,100.00,2026-03-25,CB-1R,GW-1"

    private static func file(_ name: String, _ rows: String...) -> JSONValue {
        let text = (["type,gross,day,processor_id,related_id,currency"] + rows.map { $0 + ",USD" }).joined(
            separator: "\n"
        )
        return ["statement": ["id": .string(name), "side": "processor", "csv": .string(text + "\n")]]
    }

    /// What of the sale is disputed, and what suspense and the vendor's receivable hold: both must be empty.
    private static func disputed(_ planted: PlantedLedger) async throws -> Int64 {
        try await planted.ledger.catchUp()
        let balances = try await planted.ledger.journal.balances(of: "acme", by: [.account, .part])
        func balance(_ account: String, _ part: String?) -> Int64 {
            balances.first { $0.keys == [account, part] }?.balance ?? 0
        }
        #expect(balance("suspense", nil) == 0 && balance("processor-receivable", "dejavoo") == 0)
        try await StatementJournalTests.expectBalanced(planted)
        return balance("dispute-receivable", "dejavoo")
    }

    @Test func aChargebackIsRecordedWheneverItsLineCounts() async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            let reconcile: JSONValue = ["command": ["operation": "reconcile"]]
            func withdraw(_ name: String) async throws {
                _ = try await planted.withdraw(try #require(player.statements[name]))
                try await player.play(reconcile)
            }
            try await player.play(["event": Self.sale])
            try await player.play(Self.file("S1", "sale,100.00,2026-03-03,GW-1,"))
            try await player.play(Self.file("S2", Self.chargeback))
            try await player.play(reconcile)
            #expect(try await Self.disputed(planted) == 10_000)
            try await withdraw("S2")
            #expect(try await Self.disputed(planted) == 0)
            // The same line in another file.
            try await player.play(Self.file("S3", Self.chargeback, "fee,-15.00,2026-03-20,F-1,"))
            try await player.play(reconcile)
            #expect(try await Self.disputed(planted) == 10_000)
            try await player.play(Self.file("S4", Self.reversal))
            try await player.play(reconcile)
            #expect(try await Self.disputed(planted) == 0)
            // Without the line that reversed it, the chargeback holds again.
            try await withdraw("S4")
            #expect(try await Self.disputed(planted) == 10_000)
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// While the line of the reversal does not count, the line of the chargeback is recorded beside the vendor's record.
    @Test func aReversalEndsWhatReplacedTheVendorsRecord() async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            let reconcile: JSONValue = ["command": ["operation": "reconcile"]]
            try await player.play(["event": Self.sale])
            try await player.play(["event": Self.reported])
            try await player.play(Self.file("S1", "sale,100.00,2026-03-03,GW-1,"))
            try await player.play(Self.file("S2", Self.chargeback))
            try await player.play(reconcile)
            #expect(try await Self.disputed(planted) == 10_000)
            // Each file has the same line beside another fee.
            for number in 1...2 {
                let fee = "fee,-1.00,2026-03-2\(number),F-\(number),"
                try await player.play(Self.file("R\(number)", Self.reversal, fee))
                try await player.play(reconcile)
                #expect(try await Self.disputed(planted) == 0)
                _ = try await planted.withdraw(try #require(player.statements["R\(number)"]))
                try await player.play(reconcile)
                #expect(try await Self.disputed(planted) == 10_000)
            }
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// A second chargeback of the same amount after a reversal is another one, and does not take the reversal.
    @Test func aSecondChargebackDoesNotReplaceTheVendorsRecord() async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            let reconcile: JSONValue = ["command": ["operation": "reconcile"]]
            try await player.play(["event": Self.sale])
            try await player.play(["event": Self.reported])
            try await player.play(Self.file("S1", "sale,100.00,2026-03-03,GW-1,"))
            try await player.play(Self.file("S2", Self.chargeback, Self.reversal))
            try await player.play(reconcile)
            #expect(try await Self.disputed(planted) == 0)
            try await player.play(Self.file("S3", "chargeback,-100.00,2026-04-20,CB-2,GW-1"))
            try await player.play(reconcile)
            #expect(try await Self.disputed(planted) == 10_000)
            try await StatementJournalTests.expectNothingNew(planted)
        }
    }

    /// The lines differ by their batch, so that either may be the first one by its id.
    @Test(arguments: ["2", "3", "4", "5"])
    func aRepetitionIsADuplicateInAnyOrder(batch: String) async throws {
        try await PlantedLedger.with { planted in
            var player = ScenarioPlayer(planted)
            func chargeback(in batch: String) -> JSONValue {
                let text = """
                    type,gross,day,processor_id,related_id,currency,batch
                    chargeback,-100.00,2026-03-20,CB-1,GW-1,USD,\(batch)

                    """
                return ["statement": ["id": .string(batch), "side": "processor", "csv": .string(text)]]
            }
            try await player.play(["event": Self.sale])
            try await player.play(Self.file("S1", "sale,100.00,2026-03-03,GW-1,"))
            for batch in ["1", batch] {
                try await player.play(chargeback(in: batch))
                try await player.play(["command": ["operation": "reconcile"]])
            }
            let open = try await planted.ledger.pool.query(
                "SELECT class FROM read_reconciliation.exceptions WHERE tenant = 'acme' AND status <> 'cleared'",
                []
            )
            let classes = try open.map { try $0.text(0) }
            #expect(classes == ["duplicate-at-processor"])
        }
    }
}
