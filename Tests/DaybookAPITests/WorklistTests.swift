import Canonical
import DaybookTestKit
import Testing

/// `/v1/doubts` and `/v1/duplicates` over a socket. Every answer is checked against the OpenAPI document.
@Suite struct WorklistTests {
    private static let start = "2026-03-01T12:00:00Z"

    /// Appends a sale in the ledger's own form of events.
    ///
    /// - Returns: The position of the last event.
    @discardableResult
    private func sell(
        _ number: Int,
        _ amount: Int64,
        at time: String,
        brand: String = "Visa",
        terminal: String = "t-1",
        isAnswered: Bool = true,
        _ caller: Caller
    ) async throws -> Int64 {
        let id = "0198c1c2-6a00-7000-8000-0000000000\(10 + number)"
        let references = #"{"terminal":"\#(terminal)"}"#
        let amounts = #"{"total":{"value":\#(amount),"currency":"USD"}}"#
        let request = #"{"amounts":\#(amounts),"references":\#(references)}"#
        let answer =
            isAnswered
            ? #""AuthorizationApproved","data":{"amounts":\#(amounts),"evidence":"gateway","response":{},"references":{},"card":{"brand":"\#(brand)","lastFour":"4242"}}"#
            : #""OutcomeUnknown","data":{"evidence":"gateway","response":{},"references":{}}"#
        let record = #"""
            {"stream":"transaction/\#(id)","events":[
            {"schema":1,"occurredAt":"\#(time)","type":"SaleRequested","data":\#(request)},
            {"schema":1,"occurredAt":"\#(time)","type":\#(answer)}]}
            """#
        let reported = try await caller.send("POST", "/v1/events", ["Content-Type": "application/json"], body: record)
        #expect(reported.status == 201, "\(reported.body)")
        return try #require(try reported.json["positions"]?.array?.last?.int64)
    }

    @Test func paymentsInDoubtAreListedWithAgeAndAmount() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller()
            let hourAgo = clock.now().adding(microseconds: -3_600_000_000).rfc3339
            try await sell(1, 500, at: hourAgo, isAnswered: false, caller)
            try await sell(2, 900, at: hourAgo, caller)
            let last = try await sell(3, 700, at: hourAgo, terminal: "t-2", isAnswered: false, caller)
            let page = try await caller.get("/v1/doubts?min_position=\(last)").json
            #expect(page["items"]?.array?.compactMap { $0["atRisk"]?["value"]?.int64 } == [500, 700])
            #expect(page["items"]?[0]?["ageSeconds"] == 3600 && page["items"]?[0]?["status"] == "in-doubt")
            #expect(page["totals"] == [["count": 2, "atRisk": ["value": 1200, "currency": "USD"]]])
            let one = try await caller.get("/v1/doubts?terminal=t-2").json
            #expect(one["items"]?.array?.count == 1 && one["totals"]?[0]?["count"] == 1)
            let first = try await caller.get("/v1/doubts?limit=1").json
            let next = try #require(first["next"]?.string)
            let second = try await caller.get("/v1/doubts?limit=1&cursor=\(next)").json
            #expect(second["items"]?[0]?["atRisk"]?["value"] == 700 && second["next"] == nil)
            #expect(try await api.caller(tenant: "other").get("/v1/doubts").json["items"] == [])
        }
    }

    @Test func suspectedDuplicatesArePaired() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller()
            try await sell(1, 500, at: "2026-03-01T12:00:00Z", caller)
            try await sell(2, 500, at: "2026-03-01T12:01:00Z", brand: "VISA", caller)
            // Another amount, card, till or time, and a payment that was not approved.
            try await sell(3, 501, at: "2026-03-01T12:01:00Z", caller)
            try await sell(4, 500, at: "2026-03-01T12:01:00Z", brand: "AMEX", caller)
            try await sell(5, 500, at: "2026-03-01T12:01:00Z", terminal: "t-2", caller)
            try await sell(6, 500, at: "2026-03-01T13:00:00Z", caller)
            let last = try await sell(7, 500, at: "2026-03-01T12:01:00Z", isAnswered: false, caller)
            let found = try await caller.get("/v1/duplicates?min_position=\(last)").json["items"]?.array ?? []
            #expect(found.count == 1)
            #expect(found.first?["gapSeconds"] == 60 && found.first?["amount"]?["value"] == 500)
            #expect(found.first?["later"]?["transaction"]?.string?.hasSuffix("12") == true)
            #expect(found.first?["earlier"]?["transaction"]?.string?.hasSuffix("11") == true)
            func count(_ query: String) async throws -> Int? {
                try await caller.get("/v1/duplicates?\(query)").json["items"]?.array?.count
            }
            #expect(try await count("window=59") == 0)
            #expect(try await count("window=7200") == 2)
            #expect(try await count("terminal=t-2") == 0)
            #expect(try await count("to=2026-03-01T12:00:30Z") == 0)
            #expect(try await api.caller(tenant: "other").get("/v1/duplicates").json["items"] == [])
            // Without times, payments first reported within the last thirty days.
            clock.advance(seconds: 31 * 86_400)
            #expect(try await count("window=300") == 0)
            #expect(try await count("from=2026-03-01T00:00:00Z") == 1)
        }
    }
}
