import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Testing

/// `/v1/doubts` over a socket. Every answer is checked against the OpenAPI document.
@Suite struct DoubtTests {
    /// Appends a sale with an unknown outcome, in the ledger's own form.
    ///
    /// - Returns: Its id, and the position of its last event.
    @discardableResult
    private func doubt(
        _ number: Int,
        _ amount: Int64?,
        _ currency: String = "USD",
        at time: Timestamp,
        terminal: String = "t-1",
        _ caller: Caller
    ) async throws -> (id: String, position: Int64) {
        let id = "0198c1c2-6a00-7000-8000-0000000000\(10 + number)"
        let amounts = amount.map { #""amounts":{"total":{"value":\#($0),"currency":"\#(currency)"}},"# } ?? ""
        let record = #"""
            {"stream":"transaction/\#(id)","events":[
            {"schema":1,"occurredAt":"\#(time.rfc3339)","type":"SaleRequested","data":{\#(amounts)"references":{"terminal":"\#(terminal)"}}},
            {"schema":1,"occurredAt":"\#(time.rfc3339)","type":"OutcomeUnknown","data":{"evidence":"reader","response":{"code":"E02","message":"no answer"},"references":{}}}]}
            """#
        let reported = try await caller.send("POST", "/v1/events", ["Content-Type": "application/json"], body: record)
        #expect(reported.status == 201, "\(reported.body)")
        return (id, try #require(try reported.json["positions"]?.array?.last?.int64))
    }

    private func post(
        _ caller: Caller,
        _ id: String,
        _ step: String,
        _ body: String? = nil,
        key: String? = nil
    ) async throws -> Answer {
        var fields: [String: String] = body == nil ? [:] : ["Content-Type": "application/json"]
        fields["Idempotency-Key"] = key
        return try await caller.send("POST", "/v1/doubts/\(id)/\(step)", fields, body: body)
    }

    @Test func unknownOutcomesAreListedWithTheirStatus() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller()
            let hourAgo = clock.now().adding(microseconds: -3_600_000_000)
            let minuteAgo = clock.now().adding(microseconds: -60_000_000)
            let first = try await doubt(1, 500, at: minuteAgo, caller)
            let second = try await doubt(2, 900, at: hourAgo, terminal: "t-2", caller)
            try await doubt(3, 700, "EUR", at: minuteAgo, caller)
            let last = try await doubt(4, nil, at: minuteAgo, caller)
            let page = try await caller.get("/v1/doubts?min_position=\(last.position)").json
            #expect(page["items"]?.array?.first?["transaction"]?.string == second.id)
            #expect(page["items"]?.array?.count == 4)
            let item = try #require(page["items"]?.array?.first { $0["transaction"]?.string == first.id })
            #expect(item["ageSeconds"] == 60 && item["atRisk"]?["value"] == 500 && item["isOpen"] == true)
            #expect(item["doubt"]?["what"] == "sale" && item["doubt"]?["event"] == "OutcomeUnknown")
            #expect(item["doubt"]?["code"] == "E02" && item["doubt"]?["message"] == "no answer")
            #expect(item["doubt"]?["position"]?.int64 == first.position)
            #expect(item["queries"] == 0 && item["lastQuery"] == nil && item["nextAt"] == nil)
            #expect(item["attention"]?["rule"] == "lookup" && item["attention"]?["isNeeded"] == true)
            #expect(page["totals"]?.array?.compactMap { $0["atRisk"]?["value"]?.int64 } == [700, 1400])
            func amounts(_ query: String) async throws -> [Int64?] {
                let found = try await caller.get("/v1/doubts?\(query)").json["items"]?.array ?? []
                return found.map { $0["atRisk"]?["value"]?.int64 }
            }
            #expect(try await amounts("sort=value") == [900, 700, 500, nil])
            #expect(try await amounts("currency=EUR") == [700])
            #expect(try await amounts("terminal=t-2") == [900])
            #expect(try await amounts("older_than=3600") == [900])
            #expect(try await amounts("older_than=3601") == [])
            #expect(try await amounts("needs_person=true&sort=value") == [900, 700, 500, nil])
            #expect(try await amounts("needs_person=false") == [])
            // Page by page, in both orders.
            for sort in ["age", "value"] {
                var ids: [String] = []
                var cursor = ""
                for _ in 0..<4 {
                    let one = try await caller.get("/v1/doubts?sort=\(sort)&limit=1\(cursor)").json
                    ids += one["items"]?.array?.compactMap { $0["transaction"]?.string } ?? []
                    guard let next = one["next"]?.string else { break }
                    cursor = "&cursor=\(next)"
                }
                #expect(Set(ids).count == 4 && cursor.isEmpty == false)
                let other = sort == "age" ? "value" : "age"
                #expect(try await caller.get("/v1/doubts?sort=\(other)\(cursor)").code == "invalid-cursor")
            }
            let csv = try await caller.send(
                "GET",
                "/v1/doubts?columns=transaction,at_risk_decimal,attention&currency=EUR",
                ["Accept": "text/csv"]
            )
            #expect(csv.body.contains("7.00,lookup"))
            #expect(try await api.caller(tenant: "other").get("/v1/doubts").json["items"] == [])
        }
    }

    @Test func aPaymentIsShownInAndOutOfDoubt() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let reported = try await doubt(1, 500, at: api.ledger.clock.now(), caller)
            let one = try await caller.get("/v1/doubts/\(reported.id)?min_position=\(reported.position)").json
            #expect(one["isOpen"] == true && one["version"] == 2 && one["calls"] == [])
            #expect(try await caller.get("/v1/doubts/0198c1c2-6a00-7000-8000-000000000099").status == 404)
            #expect(try await caller.get("/v1/doubts/x").status == 404)
            #expect(try await api.caller(tenant: "other").get("/v1/doubts/\(reported.id)").status == 404)
        }
    }

    /// Answers about a past position use no later event.
    @Test func aPastStatusIsComputedFromEventsUpToThen() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller([.read, .documents, .events, .evidence, .reconcile])
            let reported = try await doubt(1, 500, at: clock.now(), caller)
            let then = clock.now()
            clock.advance(seconds: 86_400)
            let body = #"{"as":"declined","evidence":"the portal","reason":"they called"}"#
            #expect(try await api.approve(try await post(caller, reported.id, "end", body)).status == 201)
            let path = "/v1/doubts/\(reported.id)"
            #expect(try await caller.get(path).json["isOpen"] == false)
            let past = try await caller.get("\(path)?as_of_position=\(reported.position)").json
            #expect(past["isOpen"] == true && past["version"] == 2 && past["status"] == "in-doubt", "\(past)")
            #expect(past["ageSeconds"] == 0 && past["atRisk"]?["value"] == 500)
            #expect(try await caller.get("\(path)?as_of=\(then.rfc3339)").json == past)
            let later = then.adding(microseconds: 3_600_000_000).rfc3339
            #expect(try await caller.get("\(path)?as_of=\(later)").json["ageSeconds"] == 3600)
            #expect(try await caller.get("\(path)?as_of_position=0").status == 404)
            #expect(try await caller.get("\(path)?as_of_position=1&as_of=\(later)").code == "invalid-parameter")
            let other = try await api.caller(tenant: "other")
            #expect(try await other.get("\(path)?as_of_position=\(reported.position)").status == 404)
        }
    }

    @Test func aQueryNeedsAScopeAndAGateway() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let reported = try await doubt(1, 500, at: api.ledger.clock.now(), caller)
            _ = try await caller.get("/v1/doubts/\(reported.id)?min_position=\(reported.position)")
            #expect(try await post(caller, reported.id, "query").status == 403)
            let person = try await api.caller([.read, .reconcile])
            let asked = try await post(person, reported.id, "query")
            #expect(asked.status == 200, "\(asked.body)")
            #expect(try asked.json["result"] == "no-gateway")
            #expect(try await post(person, "0198c1c2-6a00-7000-8000-000000000099", "query").status == 404)
        }
    }

    @Test func aQueryIsRefusedWhileTheClockDiffers() async throws {
        try await TestAPI.serve(gateways: try ReplayPlanTests.gateways()) { api in
            let person = try await api.caller([.read, .documents, .evidence, .reconcile])
            let sample = try Sample.named("MSR sale").with("body", "BridgeCommResponse", "responseCode", as: "20003")
                .with("body", "BridgeCommResponse", "gatewayResult", as: "20003")
                .with("body", "BridgeCommResponse", "gatewayMessage", as: "E09")
                .with("body", "BridgeCommResponse", "authorizationCode", as: "")
                .with("body", "BPNPaymentRequest", "merchantAccountCode", as: "320001")
            let taken = try await person.take("bridgepay", sample.record)
            let id = try #require(taken["transaction"]?.string)
            let position = try #require(taken["positions"]?.array?.last?.int64)
            let doubt = try await person.get("/v1/doubts/\(id)?min_position=\(position)").json
            #expect(doubt["status"] == "in-doubt" && doubt["gateways"] == ["bridge"], "\(doubt)")
            api.ledger.log.logGuard.hold = CallHold(code: "clock-differs", detail: "The clock is 3 seconds ahead.")
            let refused = try await post(person, id, "query")
            #expect(refused.status == 503 && refused.code == "clock-differs", "\(refused.body)")
            #expect(try refused.json["retryable"] == true && refused.fields["retry-after"] != nil)
            #expect(try await api.ledger.reader.head() == position)
        }
    }

    @Test func anOperatorResolvesADoubtWithEvidence() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let reported = try await doubt(1, 500, at: api.ledger.clock.now(), caller)
            let bare = try await doubt(2, nil, at: api.ledger.clock.now(), caller)
            let body = #"{"as":"approved","evidence":"line 14, card 4111111111111111","reason":"paid"}"#
            #expect(try await post(caller, reported.id, "end", body).status == 403)
            let person = try await api.caller([.read, .reconcile], holder: "dana")
            for (body, code, status) in [
                (#"{"as":"maybe","evidence":"e","reason":"r"}"#, "malformed-record", 400),
                (#"{"as":"declined","evidence":" ","reason":"r"}"#, "malformed-record", 400),
                (#"{"as":"declined","evidence":"e"}"#, "malformed-record", 400),
                (#"{"as":"declined","evidence":"e","reason":"r","extra":1}"#, "malformed-record", 400),
                (
                    #"{"as":"approved","evidence":"e","reason":"r","amount":{"value":1,"currency":"EUR"}}"#,
                    "amount-impossible", 422
                ),
                (#"{"as":"declined","evidence":"e","reason":"r","expectedVersion":1}"#, "version-conflict", 409),
                ("[]", "malformed-record", 400),
            ] {
                let refused = try await post(person, reported.id, "end", body)
                #expect(refused.code == code && refused.status == status, "\(body): \(refused.body)")
            }
            let first = try await post(person, reported.id, "end", body, key: "end-1")
            #expect(first.status == 202, "\(first.body)")
            #expect(!first.body.contains("4111111111111111"))
            let open = try await person.get("/v1/doubts/\(reported.id)").json
            #expect(open["isOpen"] == true && open["status"] == "in-doubt")
            let id = try #require(try first.json["id"]?.string)
            for holder in ["Dana", nil, "root"] {
                let other = try await api.caller([.read, .reconcile], holder: holder)
                let fields = ["Content-Type": "application/json"]
                let path = "/v1/proposals/\(id)/approve"
                let refused = try await other.send("POST", path, fields, body: #"{"reason":"mine"}"#)
                #expect(refused.code == (holder == "Dana" ? "own-proposal" : "unknown-holder"), "\(refused.body)")
            }
            let approved = try await api.approve(first)
            #expect(approved.status == 201, "\(approved.body)")
            let ended = try await person.get("/v1/doubts/\(reported.id)").json
            #expect(ended["isOpen"] == false && ended["status"] == "captured")
            let again = try await post(person, reported.id, "end", body, key: "end-1")
            #expect(again.status == 202 && again.fields["idempotency-replayed"] == "true")
            let event = try #require(try await api.events().last { $0.type == "OutcomeResolved" })
            #expect(event.data.contains("testimony") && !event.data.contains("4111111111111111"))
            #expect(event.actor.hasPrefix("key:"))
            #expect(try await post(person, reported.id, "end", body).code == "nothing-in-doubt")
            #expect(try await post(person, bare.id, "end", body).code == "amount-missing")
            let missing = try await post(person, "0198c1c2-6a00-7000-8000-000000000099", "end", body)
            #expect(missing.status == 404)
            // An operator's resolution cannot be sent as an event.
            let testimony = #"""
                {"stream":"transaction/\#(bare.id)","events":[{"schema":1,"occurredAt":"2026-01-02T08:00:00Z",
                "type":"OutcomeResolved","data":{"outcome":"declined","means":"testimony","evidence":"gateway","references":{}}}]}
                """#
            let other = try await caller.send(
                "POST",
                "/v1/events",
                ["Content-Type": "application/json"],
                body: testimony
            )
            #expect(other.code == "reserved-type", "\(other.body)")
        }
    }

    /// An approval is of the payment that the proposer saw.
    @Test func anApprovalIsForTheProposedVersion() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .documents, .events, .evidence, .reconcile])
            let reported = try await doubt(1, 500, at: api.ledger.clock.now(), caller)
            let body = #"{"as":"declined","evidence":"the portal","reason":"they called"}"#
            let proposed = try await post(caller, reported.id, "end", body)
            let late = #"""
                {"stream":"transaction/\#(reported.id)","events":[{"schema":1,"occurredAt":"2026-01-02T08:00:00Z",
                "type":"OutcomeUnknown","data":{"evidence":"reader","response":{"code":"E03"},"references":{}}}]}
                """#
            let sent = try await caller.send("POST", "/v1/events", ["Content-Type": "application/json"], body: late)
            #expect(sent.status == 201, "\(sent.body)")
            #expect(try await api.approve(proposed).code == "version-conflict")
            #expect(try await api.approve(try await post(caller, reported.id, "end", body)).status == 201)
        }
    }
}
