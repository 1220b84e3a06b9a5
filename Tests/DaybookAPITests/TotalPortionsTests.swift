import Access
import Canonical
import DaybookTestKit
import Testing

/// `portions` of `GET /v1/totals`. Every answer is checked against the OpenAPI document.
@Suite struct TotalPortionsTests {
    /// Taxes and health-care portions are beside the totals, and equal those of the payments.
    @Test func totalsHaveTheTaxesOfThePayments() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.events, .read])
            func money(_ value: Int64) -> JSONValue { Reported.money(value) }
            let parts: JSONValue = [
                ["kind": "tax", "label": "State Tax", "amount": money(60)],
                ["kind": "fee", "label": "Bag", "amount": money(10)],
            ]
            let amounts: [JSONValue] = [
                ["total": money(1000), "tax": money(80), "fee": money(10), "parts": parts],
                ["total": money(500), "tax": money(25)], ["total": money(700), "tax": money(35)],
                ["total": money(300)],
            ]
            let care: JSONValue = ["healthCare": ["amount": money(400), "prescription": money(150)]]
            var last: Int64 = 0
            var beforeVoid: Int64 = 0
            for (number, amounts) in amounts.enumerated() {
                var request: JSONObject = ["amounts": amounts, "references": ["merchant": .string("m-\(number % 2)")]]
                if number == 0 { request["circumstances"] = care }
                let captured: JSONValue = [
                    "id": "sale", "amounts": amounts, "evidence": "reader", "response": [:], "references": [:],
                ]
                let events = [
                    Reported.event("SaleRequested", .object(request)), Reported.event("Captured", captured),
                ]
                last = try await ReaderWorkTests.append(events, on: ReaderWorkTests.stream(number), by: caller)
                if number == 1 { beforeVoid = last }
                let void: JSONObject = ["id": "v", "evidence": "reader", "response": [:], "references": [:]]
                if number == 1 {
                    last = try await ReaderWorkTests.append(
                        [Reported.event("Voided", .object(void))],
                        on: ReaderWorkTests.stream(1),
                        by: caller
                    )
                }
                if number == 2 {
                    var part = void
                    part["amount"] = money(650)
                    last = try await ReaderWorkTests.append(
                        [Reported.event("Voided", .object(part))],
                        on: ReaderWorkTests.stream(2),
                        by: caller
                    )
                }
            }
            func portions(_ query: String) async throws -> [String] {
                let rows = try await caller.get("/v1/totals?min_position=\(last)\(query)").json["items"]?.array ?? []
                return rows.flatMap { $0["portions"]?.array ?? [] }.map { portion in
                    let label = portion["label"]?.string ?? "-"
                    return "\(portion["kind"]?.string ?? "") \(label) \(portion["amount"]?["value"]?.text ?? "")"
                }
            }
            let all = [
                "health-care Health care 400", "health-care Prescription 150", "tax - 55", "tax State Tax 60",
            ]
            #expect(try await portions("") == all)
            #expect(try await portions("&merchant=m-0") == all)
            #expect(try await portions("&by=merchant").count == 4)
            #expect(try await portions("&merchant=m-1") == [])
            // The taxes of the payments, without that of the one that was voided in full.
            let payments = try await caller.get("/v1/transactions?limit=10").json["items"]?.array ?? []
            let taxes = payments.filter { $0["status"] != "voided" }
                .reduce(Int64(0)) { $0 + ($1["breakdown"]?["tax"]?["value"]?.int64 ?? 0) }
            #expect(taxes == 55 + 60)
            // Before the void.
            let then =
                try await caller.get("/v1/totals?as_of_position=\(beforeVoid)").json["items"]?[0]?["portions"]?.array
                ?? []
            #expect(then.compactMap { $0["amount"]?["value"]?.int64 } == [400, 150, 45, 60])
        }
    }
}
