import Access
import Canonical
import Composition
import DaybookTestKit
import Postgres
import Testing

/// Tips and taxes that are owed, over HTTP.
@Suite struct PayableTests {
    /// A sale with a tip for a clerk and a tax, whose number is part of its id.
    private func sell(_ number: Int, clerk: String, tip: Int, tax: Int, _ caller: Caller) async throws {
        func money(_ value: Int) -> JSONValue { ["value": .number(.init(Int64(value))), "currency": "USD"] }
        let amounts: JSONValue = [
            "total": money(1000 + tip + tax), "tip": money(tip), "tax": money(tax),
            "parts": [["kind": "tax", "label": "state", "amount": money(tax)]],
        ]
        let events: JSONValue = [
            [
                "type": "SaleRequested", "schema": 1, "occurredAt": "2026-03-01T12:00:00Z",
                "data": ["amounts": amounts, "references": ["merchant": "shop", "clerk": .string(clerk)]],
            ],
            [
                "type": "Captured", "schema": 1, "occurredAt": "2026-03-0\(number)T12:00:00Z",
                "data": [
                    "id": "sale", "amounts": amounts, "evidence": "gateway", "response": [:], "references": [:],
                ],
            ],
        ]
        let stream = "transaction/01970000-0000-7000-8000-00000000000\(number)"
        let record: JSONValue = ["stream": .string(stream), "events": events]
        let json = ["Content-Type": "application/json"]
        let answer = try await caller.send("POST", "/v1/events", json, body: record.text)
        #expect(answer.status == 201, "\(answer.body)")
    }

    @Test func tipsAndTaxesAreListed() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.events, .evidence, .read])
            try await sell(1, clerk: "ann", tip: 100, tax: 70, caller)
            try await sell(2, clerk: "ben", tip: 20, tax: 70, caller)
            try await sell(3, clerk: "ann", tip: 5, tax: 70, caller)
            try await api.ledger.catchUp()
            for (target, rows) in [
                ("/v1/tips", ["ann 105", "ben 20"]), ("/v1/tips?recipient=ann&by=day,recipient", ["ann 5", "ann 100"]),
                ("/v1/tips?from_day=2026-03-02&to_day=2026-03-02", ["ben 20"]), ("/v1/tips?by=merchant", ["- 125"]),
                ("/v1/taxes", ["state 210"]), ("/v1/taxes?authority=city", []),
            ] {
                let items = try #require(try await caller.get(target).json["items"]?.array)
                let found = items.map { item in
                    let name = item["recipient"]?.string ?? item["authority"]?.string ?? "-"
                    return "\(name) \(item["amount"]?["value"]?.int64 ?? 0)"
                }
                #expect(found.sorted() == rows.sorted(), "\(target)")
            }
            let owed = try await caller.get("/v1/trial-balance?account=tips-payable").json["items"]?[0]
            #expect(owed?["credit"]?["value"] == 125)
            #expect(try await caller.get("/v1/tips?by=authority").code == "invalid-parameter")
            #expect(try await caller.get("/v1/taxes?recipient=ann").code == "unknown-parameter")
        }
    }

    /// A sum of the journal that exceeds 64 bits is refused wherever it is shown, and no answer is a failure.
    @Test func sumsBeyond64BitsAreRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.events, .evidence, .read])
            for number in 1...2 { try await sell(number, clerk: "ann", tip: 100, tax: 70, caller) }
            try await api.ledger.catchUp()
            for change in [
                "UPDATE read_journal.entries SET amount = amount * 10000000000000000000",
                "UPDATE read_journal.balances SET amount = amount * 10000000000000000000",
                "UPDATE read_movements.movements SET amount = 9223372036854775807, occurred_at = '2026-03-01T12:00:00Z'",
            ] {
                _ = try await api.ledger.pool.query(change, [])
            }
            for target in [
                "tips", "taxes", "trial-balance", "trial-balance?by=day,account", "accounts", "journal",
                "accounts/tips-payable/statement", "receivables", "cash-forecast",
            ] {
                let answer = try await caller.get("/v1/\(target)")
                #expect(answer.status == 422 && answer.code == "balance-overflow", "\(target): \(answer.body)")
                let csv = try await caller.get("/v1/\(target)", ["Accept": "text/csv"])
                #expect(csv.status == 422 && csv.code == "balance-overflow", "\(target): \(csv.body)")
            }
        }
    }
}
