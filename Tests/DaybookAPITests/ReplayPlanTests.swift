import Access
import Canonical
import Composition
import Configuration
import DaybookTestKit
import EventLog
import Gateways
import Intake
import Redaction
import Replay
import ReplayRules
import Testing

/// Replay plans over a socket. Every answer is checked against the OpenAPI document.
@Suite struct ReplayPlanTests {
    private static let json = ["Content-Type": "application/json"]
    static func gateways() throws -> [GatewayConfiguration] {
        let values = [
            "daybook.gateways": "bridge", "daybook.gateway.bridge.kind": "bridgecomm",
            "daybook.gateway.bridge.tenant": "acme",
            "daybook.gateway.bridge.url": "http://127.0.0.1:9/PaymentService/RequestHandler.svc",
            "daybook.gateway.bridge.user": "u", "daybook.gateway.bridge.password": "pw-1",
            "daybook.gateway.bridge.merchant.code": "320000", "daybook.gateway.bridge.merchant.account": "320001",
        ]
        let given = Dictionary(
            uniqueKeysWithValues: values.map { key, value in
                (
                    AbsoluteConfigKey(key.split(separator: ".").map(String.init), context: [:]),
                    ConfigValue(.string(value), isSecret: false)
                )
            }
        )
        return try GatewayConfiguration.all(in: ConfigReader(provider: InMemoryProvider(values: given)))
    }

    /// A ledger with declined sales that may be resubmitted, each with a card token.
    private static func serve(
        sales: Int = 2,
        policy: ReplayPolicy = ReplayPolicy(),
        _ body: @escaping @Sendable (TestAPI, ManualClock, [String]) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        var options = ReplayOptions()
        options.vaultKey = Array(repeating: 3, count: 32)
        options.policy = policy
        try await TestAPI.serve(clock: clock, gateways: try gateways(), replaying: options) { api in
            let caller = try await api.caller()
            var ids: [String] = []
            for number in 0..<sales {
                let id = try await declined(number, caller)
                ids.append(id)
                let kept = try await caller.send(
                    "PUT",
                    "/v1/transactions/\(id)/card-token",
                    json,
                    body: #"{"token":"11110000000000001111"}"#
                )
                #expect(kept.status == 200, "\(kept.body)")
            }
            clock.advance(seconds: 10 * 86_400)  // past every delay of a decline
            try await body(api, clock, ids)
        }
    }

    /// A sale that BridgePay declined for a temporary reason.
    private static func declined(
        _ number: Int,
        _ caller: Caller,
        card: Int? = nil,
        issuer: JSONValue? = nil
    ) async throws -> String {
        let sample = try Sample.named("MSR sale").with("body", "BridgeCommResponse", "responseCode", as: "30043")
            .with("body", "BridgeCommResponse", "gatewayTransactionID", as: .string("9\(number)"))
            .with("body", "BridgeCommResponse", "gatewayResult", as: "30043")
            .with("body", "BridgeCommResponse", "gatewayMessage", as: "D17 - Card Processor Error")
            .with("body", "BridgeCommResponse", "responseDescription", as: "Card Processor Error")
            .with("body", "BridgeCommResponse", "internalMessage", as: "Declined")
            .with("body", "BridgeCommResponse", "authorizationCode", as: "")
            .with("body", "BridgeCommResponse", "authorizedAmount", as: "$0.00")
            .with("body", "BPNReceipt", as: nil)
            .with("body", "BridgeCommResponse", "originalReferenceNumber", as: "")
            .with("body", "BridgeCommResponse", "networkReferenceNumber", as: "")
            // Each sale has its own order and card.
            .with("body", "BPNPaymentRequest", "invoiceNumber", as: .string("77\(number)"))
            .with("body", "BridgeCommResponse", "transactionID", as: .string("77\(number)"))
            .with("body", "BridgeCommResponse", "maskedPAN", as: .string("5***********\(1_000 + (card ?? number))"))
            .with("transaction", as: .string("declined-\(number)")).with("issuer", as: issuer)
        return try #require(try await caller.take("bridgepay", sample.record)["transaction"]?.string)
    }

    private static func plan(_ ids: [String], as caller: Caller, more: String = "") async throws -> String {
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        let answer = try await caller.send(
            "POST",
            "/v1/replays",
            json,
            body: #"{"transactions":[\#(list)],"reason":"the issuer was down; 4111111111111111"\#(more)}"#
        )
        #expect(answer.status == 201, "\(answer.body)")
        return try #require(try answer.json["id"]?.string)
    }

    private static func step(
        _ name: String,
        _ plan: String,
        as caller: Caller,
        key: String? = nil
    ) async throws -> Answer {
        var fields = json
        if let key { fields["Idempotency-Key"] = key }
        return try await caller.send("POST", "/v1/replays/\(plan)/\(name)", fields, body: #"{"reason":"agreed"}"#)
    }

    @Test func aPlanHasARulingForEachPayment() async throws {
        try await Self.serve { api, _, ids in
            let caller = try await api.caller([.read, .documents, .events, .evidence, .replayPlan], holder: "ann")
            let sold = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let body = #"{"filter":{"vendor":"bridgepay"},"reason":"nightly; 4111111111111111"}"#
            let fields = Self.json.merging(["Idempotency-Key": "k-1"]) { $1 }
            let made = try await caller.send("POST", "/v1/replays", fields, body: body)
            #expect(made.status == 201, "\(made.body)")
            let plan = try made.json
            #expect(plan["status"] == "planned" && plan["items"] == 3 && plan["filter"] == "vendor=bridgepay")
            #expect(plan["planner"]?["holder"] == "ann" && plan["progress"]?["toAttempt"] == 2)
            #expect(plan["reason"]?.string?.contains("4111111111111111") == false)
            #expect(plan["book"]?["digest"]?.string?.hasPrefix("sha256:") == true)
            #expect(made.fields["location"] == "/v1/replays/\(plan["id"]?.string ?? "")")
            let totals = plan["totals"]?.array ?? []
            #expect(totals.compactMap { $0["disposition"]?.string } == ["already-posted", "resubmit"], "\(totals)")
            let again = try await caller.send("POST", "/v1/replays", fields, body: body)
            #expect(try again.json["id"] == plan["id"] && again.fields["idempotency-replayed"] == "true")
            let other = try await caller.send(
                "POST",
                "/v1/replays",
                fields,
                body: #"{"filter":{"vendor":"dejavoo"},"reason":"x"}"#
            )
            #expect(other.code == "idempotency-mismatch")

            let path = "/v1/replays/\(try #require(plan["id"]?.string))"
            #expect(try await caller.get(path).json == plan)
            let items = try await caller.get("\(path)/items").json["items"]?.array ?? []
            #expect(items.count == 3 && Set(items.compactMap { $0["transaction"]?.string }).isSuperset(of: ids))
            #expect(items.allSatisfy { $0["evidence"]?.array?.isEmpty == false && $0["rule"]?.string != nil })
            let open = try await caller.get("\(path)/items?disposition=resubmit&open=true").json["items"]?.array ?? []
            #expect(Set(open.compactMap { $0["transaction"]?.string }) == Set(ids))
            #expect(open.allSatisfy { $0["payment"]?["status"] == "declined" && $0["operation"] == "sale" })
            let first = try await caller.get("\(path)/items?limit=2").json
            let next = try #require(first["next"]?.string)
            #expect(try await caller.get("\(path)/items?limit=2&cursor=\(next)").json["items"]?.array?.count == 1)
            let csv = try await caller.get("\(path)/items", ["Accept": "text/csv"])
            #expect(csv.body.split(separator: "\n").count == 4)
            let mine = try #require(sold["transaction"]?.string)
            #expect(try await caller.get("/v1/replays?transaction=\(mine)").json["items"]?.array?.count == 1)
            #expect(try await caller.get("/v1/replays?status=running").json["items"] == [])
            let stranger = try await api.caller([.read], tenant: "other")
            #expect(try await stranger.get("/v1/replays").json["items"] == [])
            #expect(try await stranger.get(path).status == 404)
        }
    }

    /// Card networks count attempts with a card across orders.
    @Test func attemptsOfOtherOrdersWithTheCardCount() async throws {
        try await Self.serve(sales: 0) { api, clock, _ in
            let caller = try await api.caller([.read, .documents, .events, .evidence, .replayPlan], holder: "ann")
            func ruling(_ id: String) async throws -> String {
                let plan = try await Self.plan([id], as: caller)
                let item = try await caller.get("/v1/replays/\(plan)/items").json["items"]?.array?.first
                return "\(item?["disposition"]?.string ?? "") by \(item?["rule"]?.string ?? "")"
            }
            var ids: [String] = []
            for number in 10..<24 { ids.append(try await Self.declined(number, caller, card: 1)) }
            let other = try await Self.declined(30, caller, card: 2)
            clock.advance(seconds: 2 * 86_400)
            // Without a card token the item needs review; no limit applies yet.
            #expect(try await ruling(ids[0]) == "needs-person by replay.no-token")
            ids.append(try await Self.declined(24, caller, card: 1))
            #expect(try await ruling(ids[0]) == "wait-until by cap.attempts")
            #expect(try await ruling(other) == "needs-person by replay.no-token")
            clock.advance(seconds: 31 * 86_400)
            #expect(try await ruling(ids[0]) == "needs-person by replay.no-token")
        }
    }

    /// The merchant advice code of the card network, which no SDK passes on.
    @Test func adviceOfTheIssuerIsReportedWithTheDocument() async throws {
        try await Self.serve(sales: 0) { api, _, _ in
            let caller = try await api.caller([.read, .documents, .events, .evidence, .replayPlan], holder: "ann")
            let never = try await Self.declined(7, caller, issuer: ["advice": "03"])
            let also = try await Self.declined(8, caller, issuer: ["code": "41", "advice": "02"])
            let answer = try await caller.get("/v1/events?stream=transaction/\(never)&type=Declined").json
            #expect(answer["items"]?.array?.first?["data"]?["response"]?["issuer"] == ["advice": "03"])
            let plan = try await Self.plan([never, also], as: caller)
            let items = try await caller.get("/v1/replays/\(plan)/items").json["items"]?.array ?? []
            #expect(items.count == 2 && items.allSatisfy { $0["disposition"] == "never" }, "\(items)")
            let rules = Set(items.compactMap { $0["rule"]?.string })
            #expect(rules == ["mastercard.advice.03", "iso.41"])
            let refused: [JSONValue] = [
                "03", [:], ["advice": "3"], ["advice": 3], ["code": "o5"], ["advice": "03", "brand": "x"],
            ]
            for issuer in refused {
                let record = try Sample.named("MSR sale").with("issuer", as: issuer).record
                let answer = try await caller.post("bridgepay", record)
                #expect(answer.status == 400 && answer.code == "malformed-record", "\(issuer): \(answer.body)")
                #expect(try answer.json["pointer"] == "/issuer")
            }
        }
    }

    /// Each refusal with its code.
    @Test func aPlanIsApprovedOnceByAnotherOperatorBeforeItExpires() async throws {
        try await Self.serve { api, clock, ids in
            let ann = try await api.caller([.read, .replayPlan, .replayApprove], holder: "ann")
            let annAgain = try await api.caller([.read, .replayApprove], holder: "ann")
            let bob = try await api.caller([.read, .replayApprove], holder: "bob")
            let reader = try await api.caller([.read, .documents, .events, .evidence], holder: "rae")
            let plan = try await Self.plan(ids, as: ann)
            #expect(try await Self.step("approve", plan, as: reader).code == "insufficient-scope")
            #expect(try await Self.step("start", plan, as: bob).code == "replay-not-approved")
            // The planner may not approve, not even with another key.
            #expect(try await Self.step("approve", plan, as: ann).code == "replay-own-plan")
            #expect(try await Self.step("approve", plan, as: annAgain).code == "replay-own-plan")
            let planOnly = try await api.caller([.read, .replayPlan], holder: "pat")
            #expect(try await Self.step("approve", plan, as: planOnly).code == "replay-no-right")
            let approved = try await Self.step("approve", plan, as: bob, key: "a-1")
            #expect(try approved.status == 201 && approved.json["status"] == "approved", "\(approved.body)")
            #expect(try approved.json["approval"]?["approver"]?["holder"] == "bob")
            #expect(try await Self.step("approve", plan, as: bob, key: "a-1").fields["idempotency-replayed"] == "true")
            // A second approval.
            let twice = try await Self.step("approve", plan, as: bob)
            #expect(twice.status == 409 && twice.code == "replay-already-approved")
            #expect(try await Self.step("pause", plan, as: ann).code == "replay-not-running")
            #expect(try await Self.step("start", plan, as: ann).json["status"] == "running")
            #expect(try await Self.step("start", plan, as: ann).code == "replay-already-started")
            #expect(try await Self.step("resume", plan, as: ann).code == "replay-not-paused")
            #expect(try await Self.step("pause", plan, as: bob).json["status"] == "paused")
            #expect(try await Self.step("resume", plan, as: ann).json["status"] == "running")
            #expect(try await Self.step("stop", plan, as: ann).json["status"] == "stopped")
            #expect(try await Self.step("stop", plan, as: ann).code == "replay-over")
            #expect(try await Self.step("reject", plan, as: bob).code == "replay-over")

            let rejected = try await Self.plan(ids, as: ann)
            #expect(try await Self.step("reject", rejected, as: bob).json["status"] == "rejected")
            #expect(try await Self.step("approve", rejected, as: bob).code == "replay-over")

            // The plan has expired.
            let late = try await Self.plan(ids, as: ann, more: #","expiresInSeconds":60"#)
            clock.advance(seconds: 60)
            #expect(try await Self.step("approve", late, as: bob).code == "replay-expired")

            // A payment of the plan has changed.
            let moved = try await Self.plan(ids, as: ann)
            try await Self.touch(ids[0], reader)
            let refused = try await Self.step("approve", moved, as: bob)
            #expect(refused.status == 409 && refused.code == "replay-moved-on", "\(refused.body)")

            #expect(try await Self.step("approve", "0198c1c2-6a00-7000-8000-00000000ffff", as: bob).status == 404)
            let version = #"{"reason":"x","expectedVersion":0}"#
            let conflict = try await bob.send("POST", "/v1/replays/\(moved)/reject", Self.json, body: version)
            #expect(conflict.code == "version-conflict")
        }
    }

    /// Appends an event to a payment that does not change its outcome.
    private static func touch(_ id: String, _ caller: Caller) async throws {
        let event =
            #"{"type":"ReaderConnected","schema":1,"occurredAt":"2026-03-01T12:00:00Z","data":{"response":{}}}"#
        let reported = try await caller.send(
            "POST",
            "/v1/events",
            json,
            body: #"{"stream":"transaction/\#(id)","events":[\#(event)]}"#
        )
        #expect(reported.status == 201, "\(reported.body)")
    }

    @Test func smallPlansNeedNoApproverWhereThePolicyAllows() async throws {
        let policy = ReplayPolicy(items: 1, limits: [.init(currency: "USD", most: 1_000_000)])
        try await Self.serve(policy: policy) { api, _, ids in
            let ann = try await api.caller([.read, .replayPlan], holder: "ann")
            let small = try await Self.plan([ids[0]], as: ann)
            let approved = try await Self.step("approve", small, as: ann).json
            #expect(approved["status"] == "approved" && approved["approval"]?["byPolicy"] == true)
            let large = try await Self.plan(ids, as: ann)
            #expect(try await Self.step("approve", large, as: ann).code == "replay-above-policy")
        }
    }

    /// The policy limits the sum of a day, for all operators together.
    @Test func smallPlansAreLimitedByTheirDailySum() async throws {
        let policy = ReplayPolicy(
            items: 1,
            limits: [.init(currency: "USD", most: 1_000)],
            daily: [.init(currency: "USD", most: 1_100)]
        )
        try await Self.serve(sales: 4, policy: policy) { api, clock, ids in
            let ann = try await api.caller([.read, .replayPlan], holder: "ann")
            let pat = try await api.caller([.read, .replayPlan], holder: "pat")
            let bob = try await api.caller([.read, .replayApprove], holder: "bob")
            var plans: [String] = []
            for id in ids { plans.append(try await Self.plan([id], as: ann)) }
            let amounts = try await ann.get("/v1/replays/\(plans[0])").json["totals"]?[0]?["amount"]?["value"]
            #expect(amounts?.int64 == 550)
            // Both concurrent approvals count in the sum of the third.
            let (earlier, later) = (plans[0], plans[1])
            async let first = Self.step("approve", earlier, as: ann)
            async let second = Self.step("approve", later, as: pat)
            let (one, two) = try await (first, second)
            #expect(one.status == 201 && two.status == 201, "\(one.body) \(two.body)")
            let third = try await Self.step("approve", plans[2], as: ann)
            #expect(third.status == 409 && third.code == "replay-above-daily-policy", "\(third.body)")
            #expect(try await Self.step("approve", plans[2], as: pat).code == "replay-above-daily-policy")
            // With an approver it is accepted and does not count.
            #expect(try await Self.step("approve", plans[2], as: bob).json["approval"]?["byPolicy"] == false)
            #expect(try await Self.step("approve", plans[3], as: ann).code == "replay-above-daily-policy")
            clock.advance(seconds: ReplayPolicy.dailySeconds)
            let next = try await Self.plan([ids[3]], as: ann)
            #expect(try await Self.step("approve", next, as: ann).json["approval"]?["byPolicy"] == true)
        }
    }

    /// The app reports another card than the planned one: the plan is outdated, and the log has the actor.
    @Test func anotherCardMakesAPlanOutdated() async throws {
        try await Self.serve(sales: 1) { api, _, ids in
            let ann = try await api.caller([.read, .replayPlan], holder: "ann")
            let bob = try await api.caller([.read, .replayApprove], holder: "bob")
            let till = try await api.caller([.read, .documents, .events, .evidence])
            func reported() async throws -> [JSONValue] {
                let path = "/v1/transactions/\(ids[0])/events"
                let events = try await ann.get(path).json["items"]?.array ?? []
                return events.filter { $0["type"] == "CardTokenKept" }
            }
            #expect(try await reported().count == 1)
            let plan = try await Self.plan(ids, as: ann)
            let item = try await ann.get("/v1/replays/\(plan)/items").json["items"]?[0]
            #expect(item?["card"]?.string == (try await reported()[0]["data"]?["digest"]?.string))
            // The same token again records nothing.
            #expect(try await till.keep("11110000000000001111", of: ids[0]).status == 200)
            #expect(try await reported().count == 1)
            // Another sender than the one that left the token needs another operator, with the same token.
            let proposed = try await till.keep("22220000000000002222", of: ids[0])
            #expect(proposed.status == 202 && !proposed.body.contains("22220000000000002222"), "\(proposed.body)")
            let id = try #require(try proposed.json["id"]?.string)
            let other = try await api.caller([.documents, .events, .evidence])
            #expect(try await other.keep("33330000000000003333", of: ids[0], id).code == "other-token")
            #expect(try await api.approve(proposed).code == "token-needed")
            #expect(try await reported().count == 1)
            #expect(try await other.keep("22220000000000002222", of: ids[0], id).status == 200)
            let events = try await reported()
            try #require(events.count == 2 && events[1]["actor"] != events[0]["actor"])
            #expect(events[1]["data"]?["digest"] != events[0]["data"]?["digest"])
            #expect(events.allSatisfy { !$0.text.contains("22220000000000002222") })
            let refused = try await Self.step("approve", plan, as: bob)
            #expect(refused.status == 409 && refused.code == "replay-moved-on", "\(refused.body)")
            // Only the ledger records this event.
            let lie =
                #"{"digest":"hmac-sha256:\#(String(repeating: "0", count: 64))","keptUntil":"2026-03-01T12:00:00Z"}"#
            let event = #"{"type":"CardTokenKept","schema":1,"occurredAt":"2026-03-01T12:00:00Z","data":\#(lie)}"#
            let body = #"{"stream":"transaction/\#(ids[0])","events":[\#(event)]}"#
            #expect(try await till.send("POST", "/v1/events", Self.json, body: body).status == 422)
        }
    }

    /// Two keys without a holder may belong to one operator; so may a key and the account of the command line.
    @Test func anApprovalNeedsKeysWithHolders() async throws {
        try await Self.serve { api, _, ids in
            let planner = try await api.caller([.read, .replayPlan], holder: nil)
            let approver = try await api.caller([.read, .replayApprove], holder: nil)
            let bob = try await api.caller([.read, .replayApprove], holder: "bob")
            let ann = try await api.caller([.read, .replayPlan], holder: "ann")
            let plan = try await Self.plan(ids, as: planner)
            for caller in [approver, bob] {
                let refused = try await Self.step("approve", plan, as: caller)
                #expect(refused.status == 409 && refused.code == "replay-unknown-holder", "\(refused.body)")
                #expect(refused.body.contains("--holder"))
            }
            let known = try await Self.plan(ids, as: ann)
            #expect(try await Self.step("approve", known, as: approver).code == "replay-unknown-holder")
            let root = Sender(tenant: "acme", actor: "cli:root", correlation: "test")
            await #expect(throws: ReplayCommands.Refusal.refused(.unknownHolder)) {
                try await api.ledger.replay.commands.act(
                    .approve,
                    on: try #require(UUID128(known)),
                    authority: ReplayAuthority(ReplayActor(name: root.actor), mayPlan: true, mayApprove: true),
                    reason: "agreed",
                    sender: root
                )
            }
            #expect(try await Self.step("approve", known, as: bob).json["status"] == "approved")
            // The planner may still reject the plan.
            #expect(try await Self.step("reject", plan, as: planner).json["status"] == "rejected")
        }
    }

    @Test func invalidPlansAreRefused() async throws {
        try await Self.serve(sales: 1) { api, _, ids in
            let ann = try await api.caller([.read, .documents, .events, .evidence, .replayPlan], holder: "ann")
            func plan(_ body: String) async throws -> Answer {
                try await ann.send("POST", "/v1/replays", Self.json, body: body)
            }
            #expect(try await plan(#"{"filter":{"nonsense":"1"},"reason":"x"}"#).code == "unknown-parameter")
            #expect(try await plan(#"{"filter":{"status":"lost"},"reason":"x"}"#).code == "invalid-parameter")
            #expect(try await plan(#"{"filter":{"status":"voided"},"reason":"x"}"#).code == "replay-nothing-found")
            #expect(try await plan(#"{"filter":{},"transactions":[],"reason":"x"}"#).code == "malformed-record")
            #expect(try await plan(#"{"transactions":["x"],"reason":"x"}"#).code == "malformed-record")
            #expect(try await plan(#"{"filter":{},"reason":" "}"#).code == "malformed-record")
            #expect(try await plan(#"{"filter":{},"reason":"x","expiresInSeconds":0}"#).code == "malformed-record")
            #expect(try await plan(#"{"filter":{},"reason":"x","operation":"steal"}"#).code == "malformed-record")
            let unknown = #"{"transactions":["0198c1c2-6a00-7000-8000-00000000ffff"],"reason":"x"}"#
            #expect(try await plan(unknown).code == "replay-no-such-transaction")

            // A void that Daybook never sent needs review, so there is nothing to approve.
            let void = try await Self.plan(ids, as: ann, more: #","operation":"void""#)
            let bob = try await api.caller([.read, .replayApprove], holder: "bob")
            #expect(try await Self.step("approve", void, as: bob).code == "replay-nothing-to-do")

            let path = "/v1/transactions/\(ids[0])/card-token"
            func keep(_ token: String) async throws -> Answer {
                try await ann.send("PUT", path, Self.json, body: #"{"token":"\#(token)"}"#)
            }
            #expect(try await keep("4111111111111111").code == "card-number")
            #expect(try await keep("4111-1111-1111-1111").code == "card-number")
            #expect(try await keep("4111/1111/1111/1111").code == "card-number")
            #expect(try await keep("pan=4111111111111111").code == "card-number")
            #expect(try await keep("two words").code == "malformed-token")
            let other = "/v1/transactions/0198c1c2-6a00-7000-8000-00000000ffff/card-token"
            #expect(try await ann.send("PUT", other, Self.json, body: #"{"token":"abc"}"#).status == 404)
            // No token is in the log.
            #expect(try await !api.events().contains { $0.data.contains("11110000000000001111") })
        }
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let id = try #require(
                try await caller.take("bridgepay", Sample.named("MSR sale").record)["transaction"]?.string
            )
            let kept = try await caller.send(
                "PUT",
                "/v1/transactions/\(id)/card-token",
                Self.json,
                body: #"{"token":"abc"}"#
            )
            #expect(kept.status == 409 && kept.code == "no-vault")
        }
    }

    /// The steps of a payment, event by event.
    @Test func historyShowsTheRulingAfterEachEvent() async throws {
        try await Self.serve(sales: 1) { api, _, ids in
            let caller = try await api.caller([.read])
            let path = "/v1/transactions/\(ids[0])/replay-history"
            let history = try await caller.get(path).json
            let steps = try #require(history["steps"]?.array)
            let events = try await caller.get("/v1/transactions/\(ids[0])/events").json["items"]?.array ?? []
            #expect(steps.compactMap { $0["position"]?.int64 } == events.compactMap { $0["position"]?.int64 })
            #expect(steps.last?["state"]?["status"] == "declined")
            // The waits have ended by now.
            #expect(steps.last?["ruling"]?["disposition"] == "resubmit")
            let then = try await caller.get("\(path)?as_of_position=\(events.last?["position"]?.int64 ?? 0)").json
            #expect(then["steps"]?.array?.last?["ruling"]?["disposition"] == "wait-until", "\(then)")
            let what = try await caller.get("\(path)?what_if=window.duplicate=2592000;wait.retry=60").json
            #expect(what["steps"]?.array?.last?["whatIf"]?["disposition"] == "wait-until")
            #expect(what["steps"]?.array?.last?["whatIf"]?["rule"] == "window.duplicate")
            #expect(try await caller.get("\(path)?operation=void").json["operation"] == "void")
            #expect(try await caller.get("\(path)?what_if=nonsense=1").code == "unknown-rule")
            let loose = try await caller.get("\(path)?what_if=window.duplicate=0")
            #expect(loose.status == 422 && loose.code == "rule-too-loose" && loose.body.contains("86400"))
            #expect(try await caller.get("\(path)?what_if=x").code == "malformed-override")
            #expect(
                try await caller.get("\(path)?what_if=window.duplicate=999999999999").code == "rule-value-out-of-bounds"
            )
            #expect(try await caller.get("\(path)?as_of_position=0").json["steps"] == [])
        }
    }
}
