import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Merkle
import Testing

/// Reads: `min_position`, `as_of`, entity tags, `HEAD`, caching.
@Suite struct ReadingTests {
    /// Posts the manual's authorisation, and its capture an hour later.
    private func pay(_ caller: Caller, _ clock: ManualClock) async throws -> String {
        let answer = try await caller.take("bridgepay", Sample.named("Authorisation").record)
        clock.advance(seconds: 3600)
        _ = try await caller.take("bridgepay", Sample.named("Capture with tip").record)
        return try #require(answer["transaction"]?.string)
    }

    @Test func aReadWaitsForItsPosition() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            for sample in try Sample.all() {
                let answer = try await caller.post(sample.vendor, sample.record)
                guard let id = try answer.json["transaction"]?.string else { continue }
                let position = try #require(answer.fields["daybook-position"])
                let read = try await caller.get("/v1/transactions/\(id)?min_position=\(position)")
                #expect(try #require(try read.json["lastPosition"]?.int64) >= #require(Int64(position)))
            }
        }
    }

    @Test func thePastCanBeRead() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller()
            let start = clock.now()
            let id = try await pay(caller, clock)
            let path = "/v1/transactions/\(id)"
            for moment in ["as_of=\(start.rfc3339)", "as_of_position=3"] {
                let then = try await caller.get("\(path)?\(moment)").json
                #expect(then["status"] == "authorized")
                #expect(then["amounts"]?["captured"]?["value"] == 0)
                #expect(then["lastPosition"] == 3)
                let receipt = try await caller.get("\(path)/receipt?\(moment)").json
                #expect(receipt["total"] == ["value": 750, "currency": "USD"])
                #expect(receipt["version"] == 3)
            }
            // A position in the middle of an appended document is valid.
            #expect(try await caller.get("\(path)?as_of_position=2").json["status"] == "requested")
            let now = try await caller.get("\(path)?min_position=5").json
            #expect(now["status"] == "captured")
            for moment in ["as_of=\(clock.now().rfc3339)", "as_of_position=5"] {
                #expect(try await caller.get("\(path)?\(moment)").json == now)
            }
            for moment in ["as_of=2001-01-01T00:00:00Z", "as_of_position=0"] {
                #expect(try await caller.get("\(path)?\(moment)").status == 404)
                #expect(try await caller.get("\(path)/receipt?\(moment)").status == 404)
            }
            let both = try await caller.get("\(path)?as_of_position=1&as_of=2026-01-01T00:00:00Z")
            #expect(both.code == "invalid-parameter")
        }
    }

    @Test func aVersionIsSentOnce() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller()
            let answer = try await caller.take("bridgepay", Sample.named("Authorisation").record)
            let id = try #require(answer["transaction"]?.string)
            for path in ["/v1/transactions/\(id)", "/v1/transactions/\(id)/receipt"] {
                let tag = try #require(try await caller.get("\(path)?min_position=3").fields["etag"])
                #expect(tag.hasPrefix("W/\"v3-r"))
                for condition in [tag, "\"v1\", \(tag)", "*", String(tag.dropFirst(2))] {
                    let again = try await caller.get(path, ["If-None-Match": condition])
                    #expect(again.status == 304 && again.body.isEmpty, "\(condition)")
                    #expect(again.fields["etag"] == tag)
                }
                #expect(try await caller.get(path, ["If-None-Match": "W/\"v2\""]).status == 200)
                #expect(try await caller.get(path, ["If-None-Match": "v3"]).code == "malformed-condition")
            }
            _ = try await caller.take("bridgepay", Sample.named("Capture with tip").record)
            let newer = try await caller.get(
                "/v1/transactions/\(id)?min_position=5",
                ["If-None-Match": "W/\"v3-r1\""]
            )
            #expect(newer.status == 200)
            #expect(newer.fields["etag"]?.hasPrefix("W/\"v5-r") == true)
        }
    }

    /// HEAD answers like GET, without a body, everywhere.
    @Test func headAnswersLikeGet() async throws {
        let keys = LogKeys(NoteSigningKey(name: try #require(NoteKeyName("log.test"))))
        try await TestAPI.serve(signing: EvidenceOptions(keys: keys, interval: .milliseconds(10))) { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .audit, .reconcile, .replayPlan])
            let payment = try await caller.take("dejavoo", Sample.named("Tap-to-pay sale (V1)").record)
            let id = try #require(payment["transaction"]?.string)
            let reader =
                #"{"stream":"reader/handpoint/0123","events":[{"type":"ReaderConnected","schema":1,"#
                + #""occurredAt":"2026-03-01T12:00:00Z","data":{"response":{}}}]}"#
            let json = ["Content-Type": "application/json"]
            #expect(try await caller.send("POST", "/v1/events", json, body: reader).status == 201)
            let digest = String(repeating: "0a", count: 8)
            let checkout =
                #"{"stream":"checkout/\#(digest)","events":[{"type":"CheckoutTokenIssued","schema":1,"#
                + #""occurredAt":"2026-03-01T12:00:00Z","data":{"checkout":{"vendor":"paydiant","digest":"\#(digest)"},"#
                + #""response":{},"references":{}}}]}"#
            #expect(try await caller.send("POST", "/v1/events", json, body: checkout).status == 201)
            let reported = #"{"zone":"UTC","reason":"as agreed"}"#
            #expect(try await caller.send("PUT", "/v1/merchants/8846", json, body: reported).status == 201)
            let file = "type,currency,gross,processor_id\nsale,USD,13.40,214972201\npayout,USD,-9.00,po-1\n"
            let imported = try await caller.send("POST", "/v1/statements", ["Content-Type": "text/csv"], body: file)
            let statement = try #require(try imported.json["id"]?.string, "\(imported.body)")
            let run = try await caller.send("POST", "/v1/reconciliations").json["id"]?.string
            let exception = try await caller.get("/v1/exceptions").json["items"]?[0]?["id"]?.string
            let closing = #"{"merchant":"8846","day":"2026-03-01","reason":"over"}"#
            let period = try await caller.send("POST", "/v1/periods", json, body: closing).json["id"]?.string
            let format = #"{"format":"beancount"}"#
            let export = try await caller.send("POST", "/v1/journal-exports", json, body: format).json["id"]?.string
            let payout = try await caller.get("/v1/deposits").json["items"]?[0]?["line"]?.string
            let back = Reported.event(
                "ChargedBack",
                ["id": "k1", "evidence": "gateway", "response": [:], "references": [:]]
            )
            #expect(try await Reported.append([back], on: "transaction/\(id)", by: caller).status == 201)
            let disputes = try await caller.get("/v1/disputes?transaction=\(id)").json["items"]
            let asked = #"{"transactions":["\#(id)"],"reason":"reviewed"}"#
            let plan = try await caller.send("POST", "/v1/replays", json, body: asked).json["id"]?.string
            let reconciled = [
                "replays": try #require(plan),
                "deposits": try #require(payout),
                "reconciliations": try #require(run), "exceptions": try #require(exception),
                "periods": try #require(period), "journal-exports": try #require(export),
                "disputes": try #require(disputes?[0]?["id"]?.string),
            ]
            let printed = Reported.event(
                "ReceiptPrinted",
                ["response": [:], "details": [["name": "text", "value": "Total: 1.00"]]]
            )
            let receipt = try await Reported.append([printed], on: "transaction/\(id)", by: caller)
            #expect(receipt.status == 201, "\(receipt.body)")
            for list in ["merchants", "batches", "readers", "checkouts", "anomalies"] {
                _ = try await caller.get("/v1/\(list)?min_position=9")
            }
            let head = try await api.ledger.reader.head()
            _ = try await eventually {
                try await caller.get("/v1/log").json
            } is: {
                $0["checkpoint"]?["size"]?.int64 == head
            }
            let batch = try #require(try await caller.get("/v1/batches").json["items"]?[0]?["id"]?.string)
            let queue = try await caller.get("/v1/anomalies?min_position=9").json["items"]
            let anomaly = try #require(queue?[0]?["id"]?.string)
            for operation in api.contract.operations where operation.method == "GET" {
                let ids = ["batches": batch, "anomalies": anomaly, "checkouts": digest, "statements": statement]
                    .merging(reconciled) { id, _ in id }
                let list = operation.template.split(separator: "/").dropFirst().first.map(String.init) ?? ""
                let path = operation.template
                    .replacing("{id}", with: ids[list] ?? id)
                    .replacing("{position}", with: "1").replacing("{path}", with: "0/000.p/12")
                    .replacing("{vendor}", with: "handpoint").replacing("{serial}", with: "0123")
                    .replacing("{day}", with: "2026-03-01").replacing("{merchant}", with: "8846")
                    .replacing("{account}", with: "sales")
                let target = path + (path.hasSuffix("/stream") ? "?up_to=0" : "")
                let get = try await caller.get(target)
                let head = try await caller.send("HEAD", target)
                #expect(get.status == 200 && head.status == 200, "\(target)")
                #expect(head.body.isEmpty)
                let varying: Set<String> = ["date", "x-request-id", "connection"]
                #expect(
                    head.fields.filter { !varying.contains($0.key) } == get.fields.filter { !varying.contains($0.key) },
                    "\(target)"
                )
            }
        }
    }

    @Test func receiptsAreNegotiated() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let path = "/v1/transactions/\(try #require(answer["transaction"]?.string))/receipt"
            _ = try await caller.get("\(path)?min_position=4")
            let cases = [
                ("*/*", "application/json"), ("text/*", "text/plain; charset=utf-8"),
                ("text/plain;q=0.5, application/json;q=0.4", "text/plain; charset=utf-8"),
                ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"),
            ]
            for (accept, type) in cases {
                #expect(try await caller.get(path, ["Accept": accept]).fields["content-type"] == type)
            }
            let refused = try await caller.get(path, ["Accept": "application/pdf"])
            #expect(refused.status == 406)
            #expect(try refused.json["available"] == ["application/json", "text/plain", "text/html"])
        }
    }

    /// Every answer states its caching.
    @Test func everyAnswerStatesItsCaching() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let payment = "/v1/transactions/\(try #require(answer["transaction"]?.string))"
            let versioned = try await caller.get("\(payment)?min_position=4")
            #expect(versioned.fields["cache-control"] == "private, no-cache")
            let again = ["If-None-Match": try #require(versioned.fields["etag"])]
            let unchanged = try await caller.get(payment, again)
            #expect(unchanged.status == 304)
            #expect(unchanged.fields["cache-control"] == "private, no-cache")
            #expect(try await caller.get("/v1/transactions").fields["cache-control"] == "no-store")
            #expect(try await caller.get("\(payment)?as_of=x").fields["cache-control"] == "no-store")
            #expect(try await caller.get("/healthz").fields["cache-control"] == "no-store")
            #expect(try await caller.get("/v1/openapi.json").fields["cache-control"] == "public, max-age=300")
        }
    }

    /// Neither a preflight request nor an answer permits another origin.
    @Test func otherOriginsAreNotPermitted() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let origin = ["Origin": "https://elsewhere.test", "Access-Control-Request-Method": "GET"]
            let asked = try await caller.send("OPTIONS", "/v1/transactions", origin)
            #expect(asked.status == 405)
            #expect(asked.fields["allow"] == "GET, HEAD")
            for answer in [asked, try await caller.get("/v1/transactions", origin)] {
                #expect(!answer.fields.keys.contains { $0.hasPrefix("access-control-") })
            }
        }
    }

    @Test func otherMethodsAreRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            for operations in Dictionary(grouping: api.contract.operations, by: \.template).values {
                let path = try #require(operations.first).examplePath(api.contract)
                let methods = Set(operations.map(\.method))
                let allowed = methods.union(methods.contains("GET") ? ["HEAD"] : []).sorted().joined(separator: ", ")
                for method in Set(["PUT", "DELETE", "PATCH", "POST", "GET"]).subtracting(methods) {
                    let answer = try await caller.send(method, path)
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(answer.fields["allow"] == allowed)
                }
            }
            #expect(try await caller.get("/v1/nothing").code == "not-found")
        }
    }
}
