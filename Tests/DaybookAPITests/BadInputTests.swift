import Canonical
import DaybookTestKit
import EventLog
import Testing

/// Unreadable input is refused with a code for its kind. It leaves a trace and nothing else.
@Suite struct BadInputTests {
    struct Case: Sendable {
        let name: String
        var vendor = "bridgepay"
        let body: String
        let status: Int
        let code: String
        /// The part of the document that the trace shows.
        var kept = ""
    }

    /// The manual's plain sale with its three amounts replaced.
    private static func money(_ figure: String?, currency: String = "USD") throws -> String {
        let value = figure.map(JSONValue.string)
        return try Sample.named("MSR sale").with("body", "BPNPaymentRequest", "amount", as: value)
            .with("body", "BridgeCommResponse", "authorizedAmount", as: value)
            .with("body", "BridgeCommResponse", "originalAmount", as: value)
            .with("body", "BPNReceipt", "totalAmount", as: value)
            .with("body", "BridgeCommResponse", "ISOCurrencyCode", as: .string(currency)).record.text
    }

    static func cases() throws -> [Case] {
        let sale = try Sample.named("MSR sale")
        return [
            Case(name: "half", body: "{\"kind\":\"BPN", status: 400, code: "malformed-json", kept: "BPN"),
            Case(name: "not JSON", body: "<sale/>", status: 400, code: "malformed-json", kept: "<sale/>"),
            Case(name: "a key twice", body: "{\"kind\":\"a\",\"kind\":\"b\"}", status: 400, code: "malformed-json"),
            Case(name: "nothing", body: "", status: 400, code: "malformed-json"),
            Case(
                name: "too deep",
                body: String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
                status: 400,
                code: "malformed-json"
            ),
            // A list of scalars may be the answer of a call that returns a secret.
            Case(name: "a list", body: "[1]", status: 400, code: "malformed-record", kept: "null"),
            Case(name: "no kind", body: "{\"body\":{}}", status: 400, code: "malformed-record"),
            Case(name: "no body", body: "{\"kind\":\"BPNPayment\"}", status: 400, code: "malformed-record"),
            Case(
                name: "null body",
                body: sale.with("body", as: .null).record.text,
                status: 400,
                code: "malformed-record"
            ),
            Case(
                name: "a field of nobody",
                body: sale.with("tenant", as: "other").record.text,
                status: 400,
                code: "malformed-record"
            ),
            Case(
                name: "no time",
                body: sale.with("occurredAt", as: "noon").record.text,
                status: 400,
                code: "malformed-record"
            ),
            Case(
                name: "unknown vendor",
                vendor: "acme-pay",
                body: sale.record.text,
                status: 404,
                code: "unknown-vendor"
            ),
            Case(
                name: "no document",
                body: sale.with("body", as: "sale").record.text,
                status: 422,
                code: "malformed-document"
            ),
            Case(
                name: "no code",
                vendor: "dejavoo",
                body: try Sample.named("Batch settlement (V2)").with("body", "statusCode", as: nil).record.text,
                status: 422,
                code: "missing-field",
                kept: "BATCH SETTLED"
            ),
            Case(name: "no money", body: try money(nil), status: 422, code: "missing-money", kept: "290144"),
            Case(name: "bad money", body: try money("five"), status: 422, code: "malformed-money", kept: "five"),
            Case(name: "negative", body: try money("-5.50"), status: 422, code: "negative-amount", kept: "-5.50"),
            Case(
                name: "too much",
                body: try money("99999999999999999999.00"),
                status: 422,
                code: "amount-too-large"
            ),
            Case(
                name: "no such currency",
                body: try money("5.50", currency: "XXQ"),
                status: 422,
                code: "unknown-currency",
                kept: "XXQ"
            ),
        ]
    }

    /// All cases run on one server, each with its own tenant.
    @Test func eachIsRefusedAndTraced() async throws {
        try await TestAPI.serve { api in
            for (number, one) in try Self.cases().enumerated() {
                try await expectTrace(of: one, by: api.caller(tenant: "tenant-\(number)"))
            }
            #expect(try await api.events().allSatisfy { $0.type == "IntakeRefused" })
        }
    }

    private func expectTrace(of one: Case, by caller: Caller) async throws {
        let type = ["Content-Type": "application/json"]
        let path = "/v1/intake/\(one.vendor)"
        let answer = try await caller.send("POST", path, type, body: one.body)
        #expect(answer.status == one.status, "\(one.name): \(answer.body)")
        #expect(answer.code == one.code, "\(one.name)")
        #expect(try answer.json["retryable"] == false)
        let position = try #require(try answer.json["tracePosition"]?.int64)
        let event = try await caller.get("/v1/events/\(position)").json
        #expect(event["type"] == "IntakeRefused")
        #expect(event["stream"]?.string?.hasPrefix("tenant/tenant-") == true)
        #expect(event["correlation"]?.string == answer.fields["x-request-id"])
        let trace = event["data"]
        #expect(trace?["code"]?.string == one.code)
        #expect(trace?["detail"] == (try answer.json["detail"]))
        #expect(trace?["vendor"]?.string == one.vendor)
        let document = try #require(trace?["document"]?.string)
        #expect(document.utf8.count <= 4096)
        #expect(document.contains(one.kept), "\(one.name): \(document)")
        #expect(!document.contains("57!sE@3Fm"))
        // A duplicate request gets the same answer and leaves no second trace.
        let again = try await caller.send("POST", path, type, body: one.body)
        #expect(again.code == one.code)
        #expect(try again.json["tracePosition"]?.int64 == position)
        #expect(try await caller.get("/v1/events").json["items"] == [event])
        #expect(try await caller.get("/v1/transactions").json["items"] == [])
    }

    @Test func everyRefusalOfAnAdapterHasACase() throws {
        let codes = Set(try Self.cases().map(\.code))
        let contract = try Contract.published.get()
        let traced = contract.document["components"]?["schemas"]?["IntakeRefusal"]?["properties"]?["code"]?["enum"]
        // Unknown kinds and operations are recorded, so intake never answers with these codes. Older logs have traces
        // of unknown operations.
        let kept: Set<String> = ["unknown-kind", "unsupported-operation"]
        #expect(codes.union(kept).union(["body-too-large"]) == Set(traced?.strings ?? []))
    }

    @Test(arguments: ["application/json", "application/x-ndjson"])
    func aBodyWithATooLargeLengthIsTraced(_ type: String) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let fields = ["Content-Type": type, "Content-Length": "2000000000", "Expect": "100-continue"]
            // The server answers without requesting the body.
            for id in ["first", "second"] {
                let answer = try await caller.send(
                    "POST",
                    "/v1/intake/bridgepay",
                    fields.merging(["X-Request-Id": id]) { given, _ in given }
                )
                #expect(answer.status == 413)
                #expect(answer.code == "body-too-large")
            }
            let events = try await api.events()
            #expect(events.map(\.type) == ["IntakeRefused", "IntakeRefused"])
            let trace = try await caller.get("/v1/events/1").json["data"]
            #expect(trace?["code"] == "body-too-large")
            #expect(trace?["document"] == nil)
        }
    }

    @Test func aBodyThatGrowsTooLargeIsTraced() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let piece = String(repeating: "x", count: 64 * 1024)
            let body = String(repeating: "10000\r\n\(piece)\r\n", count: 17) + "0\r\n\r\n"
            let client = try await RawClient.connect(port: api.port)
            let fields = ["Content-Type": "application/json", "Transfer-Encoding": "chunked"]
            await client.sendAnyway(caller.request("POST", "/v1/intake/bridgepay", fields) + body)
            let answer = try await caller.receive(from: client, "POST", "/v1/intake/bridgepay")
            #expect(answer.status == 413)
            #expect(try await api.events().map(\.type) == ["IntakeRefused"])
            #expect(try answer.json["tracePosition"] == 1)
        }
    }

    @Test func aBodyOfAnotherTypeIsRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let body = try Sample.named("MSR sale").record.text
            for type in ["text/plain", "application/xml", "application/json-patch+json", ""] {
                let answer = try await caller.send("POST", "/v1/intake/bridgepay", ["Content-Type": type], body: body)
                #expect(answer.code == "unsupported-media-type")
                #expect(answer.fields["accept"] == "application/json, application/x-ndjson")
            }
            let good = ["Content-Type": "Application/JSON; charset=utf-8"]
            #expect(try await caller.send("POST", "/v1/intake/bridgepay", good, body: body).status == 201)
        }
    }

    /// An incomplete body is not recorded.
    @Test func anIncompleteBodyIsNotRecorded() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let body = try Sample.named("MSR sale").record.text
            let fields = ["Content-Type": "application/json", "Content-Length": String(body.utf8.count + 1)]
            let client = try await RawClient.connect(port: api.port)
            try await client.send(caller.request("POST", "/v1/intake/bridgepay", fields, body: body))
            client.closeOutput()
            let answer = try await caller.receive(from: client, "POST", "/v1/intake/bridgepay")
            #expect(answer.code == "body-incomplete")
            #expect(try await api.events().isEmpty)
        }
    }
}
