import Access
import Canonical
import DaybookTestKit
import Testing

/// Lists and commands of anomalies over a socket. Every answer is checked against the OpenAPI document.
@Suite struct AnomalyTests {
    private func acknowledge(
        _ id: String,
        _ body: String,
        key: String? = nil,
        as caller: Caller
    ) async throws -> Answer {
        var fields = ["Content-Type": "application/json"]
        if let key { fields["Idempotency-Key"] = key }
        return try await caller.send("POST", "/v1/anomalies/\(id)/acknowledge", fields, body: body)
    }

    /// Records two samples and returns their anomalies, newest first.
    private func raise(_ caller: Caller) async throws -> (items: [JSONValue], position: Int64) {
        var last: Int64 = 0
        for title in ["Tip adjustment", "Tap-to-pay sale (V1)"] {
            let sample = try Sample.named(title).with("merchant", as: .string("m-\(title.count)"))
            let answer = try await caller.take(sample.vendor, sample.record)
            last = try #require(answer["positions"]?.array?.last?.int64)
        }
        let page = try await caller.get("/v1/anomalies?min_position=\(last)").json
        return (try #require(page["items"]?.array), last)
    }

    @Test func anomaliesAreFiltered() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let (items, _) = try await raise(caller)
            let kinds = ["operation-assumed", "amount-scale-assumed", "original-not-recorded"]
            #expect(items.compactMap { $0["kind"]?.string } == kinds)
            #expect(items.allSatisfy { $0["state"] == "open" && $0["transaction"] != nil })
            func count(_ query: String) async throws -> Int? {
                try await caller.get("/v1/anomalies?\(query)").json["items"]?.array?.count
            }
            #expect(try await count("kind=operation-assumed") == 1)
            #expect(try await count("vendor=dejavoo") == 2)
            #expect(try await count("vendor=handpoint") == 0)
            #expect(try await count("state=open&vendor=bridgepay&merchant=m-14") == 1)
            #expect(try await count("merchant=nobody") == 0)
            #expect(try await count("from=2001-01-01T00:00:00Z&to=2002-01-01T00:00:00Z") == 0)
            let first = try await caller.get("/v1/anomalies?limit=2").json
            let next = try #require(first["next"]?.string)
            let second = try await caller.get("/v1/anomalies?limit=2&cursor=\(next)").json
            #expect((first["items"]?.array ?? []) + (second["items"]?.array ?? []) == items && second["next"] == nil)
            let id = try #require(items[0]["id"]?.string)
            #expect(try await caller.get("/v1/anomalies/\(id)").json == items[0])
            #expect(try await api.caller(tenant: "other").get("/v1/anomalies/\(id)").status == 404)
            #expect(try await caller.get("/v1/anomalies/1").status == 404)
        }
    }

    @Test func anAcknowledgementIsRecordedOnce() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile, .audit])
            let (items, last) = try await raise(caller)
            let id = try #require(items[0]["id"]?.string)
            let body = #"{"reason":"asked the shop, card 4111111111111111"}"#
            let first = try await acknowledge(id, body, key: "k-1", as: caller)
            #expect(first.status == 201 && first.fields["daybook-position"] == "\(last + 1)")
            let reported = try #require(try first.json["acknowledgement"])
            #expect(reported["reason"]?.string?.contains("4111111111111111") == false)
            #expect(reported["by"]?.string?.hasPrefix("key:") == true)
            // A duplicate request, with and without the key, gets the first answer.
            for key in ["k-1", nil] {
                let again = try await acknowledge(id, body, key: key, as: caller)
                #expect(again.status == 201 && again.fields["idempotency-replayed"] == "true")
                #expect(try again.json == first.json)
            }
            // Another reason or another operator is refused, and so is another request with the same key.
            let other = #"{"reason":"another"}"#
            #expect(try await acknowledge(id, other, as: caller).code == "already-acknowledged")
            #expect(try await acknowledge(id, other, key: "k-1", as: caller).code == "idempotency-mismatch")
            let second = try #require(items[1]["id"]?.string)
            #expect(try await acknowledge(second, body, key: "k-1", as: caller).code == "idempotency-mismatch")
            let colleague = try await api.caller([.admin])
            #expect(try await acknowledge(id, body, as: colleague).code == "already-acknowledged")
            // The acknowledgement is in the list and in the audit feed.
            let item = try await caller.get("/v1/anomalies/\(id)?min_position=\(last + 1)").json
            #expect(item["state"] == "acknowledged" && item["acknowledgement"] == reported)
            #expect(try await caller.get("/v1/anomalies?state=open").json["items"]?.array?.count == items.count - 1)
            let feed = try await caller.get("/v1/events?type=AnomalyAcknowledged").json["items"]?.array ?? []
            #expect(feed.count == 1 && feed.first?["actor"] == reported["by"])
            #expect(feed.first?["data"]?["anomaly"]?.string == id)
        }
    }

    @Test func invalidAcknowledgementsAreRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            let (items, last) = try await raise(caller)
            let id = try #require(items[0]["id"]?.string)
            let good = #"{"reason":"x"}"#
            #expect(try await acknowledge("0198c1c2-6a00-7000-8000-00000000000f", good, as: caller).status == 404)
            #expect(try await acknowledge(id, good, as: api.caller([.reconcile], tenant: "other")).status == 404)
            #expect(
                try await acknowledge(id, good, as: api.caller([.documents, .events, .evidence, .read])).code
                    == "insufficient-scope"
            )
            #expect(try await acknowledge(id, "{", as: caller).code == "malformed-json")
            let long = String(repeating: "x", count: 1001)
            for body in [
                "{}", "[]", #"{"reason":""}"#, #"{"reason":"  "}"#, #"{"reason":7}"#, #"{"reason":"\#(long)"}"#,
                #"{"reason":"x","by":"me"}"#,
            ] {
                #expect(try await acknowledge(id, body, as: caller).code == "malformed-record", "\(body.prefix(40))")
            }
            #expect(try await api.events().count == Int(last))
        }
    }
}
