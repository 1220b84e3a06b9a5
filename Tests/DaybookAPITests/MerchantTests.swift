import Access
import Canonical
import DaybookTestKit
import Testing

/// `/v1/merchants` over a socket, and the business days it defines, checked against the OpenAPI document.
@Suite struct MerchantTests {
    private func describe(_ name: String, _ body: String, key: String? = nil, as caller: Caller) async throws -> Answer
    {
        var fields = ["Content-Type": "application/json"]
        if let key { fields["Idempotency-Key"] = key }
        return try await caller.send("PUT", "/v1/merchants/\(name)", fields, body: body)
    }

    /// Records a sale of a merchant, captured at a time.
    private func sell(_ number: Int, _ merchant: String, at time: String, _ caller: Caller) async throws -> Int64 {
        let amounts: JSONValue = ["total": ["value": 100, "currency": "USD"]]
        let record: JSONValue = [
            "stream": .string("transaction/0198c1c2-6a00-7000-8000-00000000001\(number)"),
            "events": [
                [
                    "schema": 1, "occurredAt": .string(time), "type": "AuthorizationApproved",
                    "data": [
                        "amounts": amounts, "evidence": "gateway", "response": [:],
                        "references": ["merchant": .string(merchant)],
                    ],
                ],
                [
                    "schema": 1, "occurredAt": .string(time), "type": "Captured",
                    "data": [
                        "id": "sale", "amounts": amounts, "evidence": "gateway", "response": [:], "references": [:],
                        "batch": ["vendor": "dejavoo", "account": "t-1"],
                    ],
                ],
            ],
        ]
        let fields = ["Content-Type": "application/json"]
        let reported = try await caller.send("POST", "/v1/events", fields, body: record.text)
        return try #require(try reported.json["positions"]?.array?.last?.int64, "\(reported.body)")
    }

    @Test func eachMerchantHasItsOwnDay() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile, .audit])
            // 03:30 on 2 July in New York belongs to 1 July, because the day begins at 04:00.
            _ = try await sell(1, "m-1", at: "2026-07-02T07:30:00Z", caller)
            _ = try await sell(2, "m-1", at: "2026-07-02T08:00:00Z", caller)
            let last = try await sell(3, "m-2", at: "2026-07-02T07:30:00Z", caller)
            func days(_ query: String) async throws -> JSONValue {
                try await caller.get("/v1/totals?by=day&\(query)&min_position=\(last)").json
            }
            let before = try await days("merchant=m-1")
            #expect(before["zone"] == "+00:00" && before["items"]?.array?.compactMap { $0["day"] } == ["2026-07-02"])

            let body =
                #"{"zone":"America/New_York","cutoff":"04:00","reason":"the bar, 4111111111111111, closes at 3"}"#
            let reported = try await describe("m-1", body, key: "k-1", as: caller)
            #expect(reported.status == 201 && reported.fields["daybook-position"] == "\(last + 1)", "\(reported.body)")
            let merchant = try reported.json
            #expect(merchant["by"]?.string?.hasPrefix("key:") == true)
            #expect(merchant["reason"]?.string?.contains("4111111111111111") == false)
            let again = try await describe("m-1", body, key: "k-1", as: caller)
            #expect(again.fields["idempotency-replayed"] == "true")
            #expect(try again.json == merchant)
            #expect(try await caller.get("/v1/merchants/m-1?min_position=\(last + 1)").json == merchant)
            #expect(try await caller.get("/v1/merchants").json["items"] == [merchant])

            let own = try await days("merchant=m-1")
            #expect(own["zone"] == "America/New_York" && own["cutoff"] == "04:00")
            #expect(own["items"]?.array?.compactMap { $0["day"] } == ["2026-07-01", "2026-07-02"])
            let day = try await caller.get("/v1/days/2026-07-01?merchant=m-1").json
            #expect(day["count"] == 1 && day["zone"] == "America/New_York")
            // A zone in the request takes precedence. Other merchants keep their day.
            #expect(try await days("merchant=m-1&zone=UTC")["items"]?.array?.count == 1)
            #expect(try await days("merchant=m-2")["zone"] == "+00:00")
            #expect(try await days("currency=USD")["zone"] == "+00:00")

            // The later description applies; the log keeps both.
            _ = try await describe("m-1", #"{"zone":"-05:00","reason":"moved"}"#, as: caller)
            let moved = try await caller.get("/v1/merchants/m-1?min_position=\(last + 2)").json
            #expect(moved["zone"] == "-05:00" && moved["cutoff"] == "00:00")
            let feed = try await caller.get("/v1/events?type=MerchantDescribed").json["items"]?.array ?? []
            #expect(feed.compactMap { $0["data"]?["zone"]?.string } == ["America/New_York", "-05:00"])
            let lines = try await caller.get("/v1/merchants", ["Accept": "application/x-ndjson"]).lines
            #expect(try lines.map { try JSONValue(parsing: $0) } == [moved])
            #expect(try await api.caller(tenant: "other").get("/v1/merchants").json["items"] == [])
        }
    }

    @Test func whatChangedIsByTheMerchantsDays() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            _ = try await sell(1, "m-1", at: "2026-07-02T07:30:00Z", caller)
            _ = try await sell(2, "m-1", at: "2026-07-02T07:45:00Z", caller)
            _ = try await sell(3, "m-1", at: "2026-07-02T08:00:00Z", caller)
            let last = try await sell(4, "m-2", at: "2026-07-02T07:30:00Z", caller)
            func changes(_ query: String) async throws -> JSONValue {
                try await caller.get("/v1/totals/changes?\(query)").json
            }
            func count(_ query: String) async throws -> Int? { try await changes(query)["items"]?.array?.count }
            #expect(try await count("min_position=\(last)") == 4)
            #expect(try await count("merchant=m-1") == 3)
            #expect(try await count("merchant=m-1&day=2026-07-02") == 3)
            #expect(try await count("merchant=m-1&day=2026-07-02&from_position=\(last - 6)") == 2)
            #expect(try await changes("merchant=m-1")["zone"] == nil)

            let body = #"{"zone":"America/New_York","cutoff":"04:00","reason":"as agreed"}"#
            #expect(try await describe("m-1", body, as: caller).status == 201)
            _ = try await caller.get("/v1/merchants?min_position=\(last + 1)")
            let own = try await changes("merchant=m-1&day=2026-07-01&limit=1")
            #expect(own["day"] == "2026-07-01" && own["zone"] == "America/New_York" && own["cutoff"] == "04:00")
            #expect(try await count("merchant=m-1&day=2026-07-01") == 2)
            #expect(try await count("merchant=m-1&day=2026-07-02") == 1)
            // A day in the request takes precedence. Other merchants, and answers about earlier positions, keep theirs.
            #expect(try await count("merchant=m-1&day=2026-07-02&zone=UTC") == 3)
            #expect(try await count("merchant=m-2&day=2026-07-02") == 1)
            #expect(try await count("day=2026-07-02") == 4)
            let before = try await changes("merchant=m-1&day=2026-07-02&to_position=\(last)")
            #expect(before["items"]?.array?.count == 3 && before["zone"] == "+00:00")
            // A later page has the day of the first page, even if the description changes in between.
            #expect(try await describe("m-1", #"{"zone":"UTC","reason":"moved"}"#, as: caller).status == 201)
            _ = try await caller.get("/v1/merchants?min_position=\(last + 2)")
            let next = try #require(own["next"]?.string)
            let rest = try await changes("merchant=m-1&day=2026-07-01&cursor=\(next)")
            #expect(rest["items"]?.array?.count == 1 && rest["zone"] == "America/New_York" && rest["next"] == nil)
            #expect(try await count("merchant=m-1&day=2026-07-01") == 0)
            let path = "/v1/totals/changes?merchant=m-1&day=2026-07-01&to_position=\(last + 1)"
            #expect(try await caller.get(path, ["Accept": "application/x-ndjson"]).lines.count == 2)
            // Totals about a past position use the days of that position.
            let totals = "/v1/totals?by=day&merchant=m-1"
            #expect(try await caller.get("\(totals)&as_of_position=\(last + 1)").json["items"]?.array?.count == 2)
            #expect(try await caller.get("\(totals)&as_of_position=\(last)").json["items"]?.array?.count == 1)
        }
    }

    @Test func invalidDescriptionsAreRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            for body in [
                "{}", "[]", #"{"zone":"Europe/Atlantis","reason":"x"}"#, #"{"zone":"Europe/Berlin"}"#,
                #"{"zone":"Europe/Berlin","reason":" "}"#, #"{"zone":"Europe/Berlin","cutoff":"4","reason":"x"}"#,
                #"{"zone":"Europe/Berlin","cutoff":4,"reason":"x"}"#, #"{"zone":"Berlin","reason":"x"}"#,
                #"{"zone":"Europe/Berlin","reason":"x","by":"me"}"#,
            ] { #expect(try await describe("m-1", body, as: caller).code == "malformed-record", "\(body)") }
            let good = #"{"zone":"Europe/Berlin","reason":"x"}"#
            #expect(try await describe("4111111111111111", good, as: caller).status == 404)
            #expect(try await describe("m-1", "{", as: caller).code == "malformed-json")
            #expect(
                try await describe("m-1", good, as: api.caller([.read, .documents, .events, .evidence])).code
                    == "insufficient-scope"
            )
            #expect(try await caller.get("/v1/merchants/m-1").status == 404)
            #expect(try await api.events().isEmpty)
        }
    }
}
