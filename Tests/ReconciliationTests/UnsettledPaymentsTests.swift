import Canonical
import Composition
import DaybookTestKit
import Matching
import Payments
import Postgres
import Testing

@testable import Reconciliation

/// Payments that no processor settles are not missing in its statement.
struct UnsettledPaymentsTests {
    private static func sale(
        _ name: String,
        _ total: Int64,
        tender: String = "credit",
        isTest: Bool = false,
        day: String = "2026-03-02"
    ) -> JSONValue {
        [
            "event": [
                "type": "Captured", "transaction": .string(name), "capture": "sale", "vendor": "bridgepay",
                "tender": .string(tender), "test": .bool(isTest), "occurredAt": .string("\(day)T12:00:00Z"),
                "amounts": ["total": .number(.init(total))],
                "currency": "USD", "references": ["gatewayTransaction": .string("GW-\(name)"), "merchant": "M1"],
            ]
        ]
    }

    /// Past the days of grace, a sale without a line is missing. A sale at the test system is not, nor one with a
    /// card of the merchant, state benefits, a bank account or cash.
    @Test func onlySalesThatAProcessorSettlesAreMissing() async throws {
        let clock = ManualClock(at: try #require(Timestamp(rfc3339: "2026-03-09T12:00:00Z")))
        try await PlantedLedger.with(clock: clock) { planted in
            try await planted.setRules(MatchingRules(graceDays: 1))
            var player = ScenarioPlayer(planted)
            try await player.play(Self.sale("LIVE", 1_000))
            try await player.play(Self.sale("TEST", 2_000, isTest: true))
            let others = ["gift", "loyalty", "EBT-Cash", "ebt-food", "bank-account-checking", "check", "cash"]
            for (index, tender) in others.enumerated() {
                try await player.play(Self.sale("T\(index)", 3_000 + Int64(index), tender: tender))
            }
            try await player.play(Self.sale("PAID", 500, day: "2026-03-05"))
            let file = """
                type,gross,net,day,processor_id,merchant,currency
                sale,5.00,5.00,2026-03-06,GW-PAID,M1,USD

                """
            try await player.play(["statement": ["id": "S1", "side": "processor", "csv": .string(file)]])
            try await player.play(["command": ["operation": "reconcile"]])
            let raised = try await planted.ledger.pool.query(
                "SELECT concat_ws(' ', class, amount, currency) FROM read_reconciliation.exceptions ORDER BY 1",
                []
            )
            #expect(try raised.map { try $0.text(0) } == ["missing-at-processor -1000 USD"])
        }
    }
}
