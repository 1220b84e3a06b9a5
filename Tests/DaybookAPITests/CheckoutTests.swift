import Canonical
import DaybookTestKit
import Testing

/// `/v1/checkouts` over a socket. Every answer is checked against the OpenAPI document.
@Suite struct CheckoutTests {
    private static let payment = "0198c1c2-6a00-7000-8000-000000000011"

    private static func digest(_ number: Int) -> String { "sha256:" + String(repeating: "\(number)", count: 64) }

    private static func report(_ number: Int, _ more: String = "") -> String {
        #"{"checkout":{"vendor":"paydiant","digest":"\#(digest(number))"},"response":{},"references":{}\#(more)}"#
    }

    private func append(_ stream: String, _ events: [(type: String, data: String)], _ caller: Caller) async throws
        -> Int64
    {
        let texts = events.map {
            #"{"type":"\#($0.type)","schema":1,"occurredAt":"2026-03-01T12:00:00Z","data":\#($0.data)}"#
        }
        let answer = try await caller.send(
            "POST",
            "/v1/events",
            ["Content-Type": "application/json"],
            body: #"{"stream":"\#(stream)","events":[\#(texts.joined(separator: ","))]}"#
        )
        #expect(answer.status == 201, "\(answer.body)")
        return try #require(try answer.json["positions"]?.array?.last?.int64)
    }

    @Test func reportedCheckoutsAreListedAndShown() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let due =
                #","amounts":{"total":{"value":1250,"currency":"USD"}},"details":[{"name":"supportedTender","value":"card"}]"#
            // Reported on the checkout's own stream, then on the payment's.
            _ = try await append("checkout/\(Self.digest(1))", [("CheckoutTokenIssued", Self.report(1))], caller)
            _ = try await append(
                "transaction/\(Self.payment)",
                [
                    ("SaleRequested", #"{"amounts":{"total":{"value":1250,"currency":"USD"}},"references":{}}"#),
                    ("CheckoutDescribed", Self.report(1, due)), ("CheckoutFailed", Self.report(1)),
                    ("CheckoutCompleted", Self.report(1)),
                ],
                caller
            )
            // It is released later; the payment keeps it.
            _ = try await append("checkout/\(Self.digest(1))", [("CheckoutTokenReleased", Self.report(1))], caller)
            let last = try await append(
                "checkout/\(Self.digest(2))",
                [("CheckoutTokenExpired", Self.report(2)), ("CheckoutTokenIssued", Self.report(2))],
                caller
            )
            let all = try await caller.get("/v1/checkouts?min_position=\(last)").json["items"]?.array ?? []
            #expect(all.compactMap { $0["id"]?.string } == [Self.digest(2), Self.digest(1)])
            #expect(all.compactMap { $0["status"]?.string } == ["expired", "completed"])
            let one = try await caller.get("/v1/checkouts/\(Self.digest(1))").json
            #expect(one == all.last)
            #expect(one["transactions"] == [.string(Self.payment)] && one["amounts"]?["total"]?["value"] == 1250)
            #expect(one["events"] == 5 && one["failures"] == 1 && one["details"]?.array?.count == 1)
            #expect(one["state"]?["event"] == "CheckoutTokenReleased")
            for (query, count) in [
                ("status=expired", 1), ("status=cancelled", 0), ("vendor=paydiant", 2), ("vendor=dejavoo", 0),
                ("transaction=\(Self.payment)", 1),
            ] {
                #expect(try await caller.get("/v1/checkouts?\(query)").json["items"]?.array?.count == count, "\(query)")
            }
            #expect(try await caller.get("/v1/checkouts?status=x").code == "invalid-parameter")
            let first = try await caller.get("/v1/checkouts?limit=1").json
            let next = try #require(first["next"]?.string)
            let second = try await caller.get("/v1/checkouts?limit=1&cursor=\(next)").json
            #expect(second["items"]?[0]?["id"]?.string == Self.digest(1) && second["next"] == nil)
            #expect(try await caller.get("/v1/checkouts?cursor=c1").code == "invalid-cursor")
            #expect(try await caller.get("/v1/checkouts/\(Self.digest(3))").status == 404)
            #expect(try await api.caller(tenant: "other").get("/v1/checkouts").json["items"] == [])
            #expect(try await api.caller(tenant: "other").get("/v1/checkouts/\(Self.digest(1))").status == 404)
            let rows = try await caller.get("/v1/checkouts?columns=id,due_decimal", ["Accept": "text/csv"]).body
            #expect(rows.split(whereSeparator: \.isNewline).last == "\(Self.digest(1)),12.50")
        }
    }
}
