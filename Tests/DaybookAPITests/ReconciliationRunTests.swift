import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Reconciliation
import Statements
import Tables
import Testing

/// Runs, matches, exceptions, periods and the report over a socket, checked against the OpenAPI document.
@Suite struct ReconciliationRunTests {
    private static let fields = ["Content-Type": "application/json"]

    private static func sale(_ number: Int, _ minor: Int64, at: String = "2026-03-01T12:00:00Z") -> JSONValue {
        [
            "stream": .string("transaction/0198c1c2-6a00-7000-8000-00000000010\(number)"),
            "events": [
                [
                    "type": "SaleRequested", "schema": 1, "occurredAt": .string(at),
                    "data": [
                        "amounts": ["total": ["value": .number(.init(minor)), "currency": "USD"]],
                        "references": ["merchant": "8846", "terminal": "4400"],
                    ],
                ],
                [
                    "type": "AuthorizationApproved", "schema": 1, "occurredAt": .string(at),
                    "data": [
                        "amounts": ["total": ["value": .number(.init(minor)), "currency": "USD"]],
                        "evidence": "gateway", "response": [:],
                        "references": ["gatewayTransaction": .string("g-\(number)"), "merchant": "8846"],
                    ],
                ],
                [
                    "type": "Captured", "schema": 1, "occurredAt": .string(at),
                    "data": [
                        "id": "sale", "amounts": ["total": ["value": .number(.init(minor)), "currency": "USD"]],
                        "evidence": "gateway", "response": [:], "references": ["merchant": "8846"],
                        "batch": ["vendor": "dejavoo", "account": "4400"],
                    ],
                ],
            ],
        ]
    }

    /// A sale with an unknown outcome.
    static func doubt(_ number: Int, _ minor: Int64) -> JSONValue {
        let at = "2026-03-01T12:00:00Z"
        return [
            "stream": .string("transaction/0198c1c2-6a00-7000-8000-00000000010\(number)"),
            "events": [
                [
                    "type": "DocumentReceived", "schema": 1, "occurredAt": .string(at),
                    "data": ["vendor": "dejavoo", "kind": "sale", "document": [:], "redactions": []],
                ],
                [
                    "type": "SaleRequested", "schema": 1, "occurredAt": .string(at),
                    "data": [
                        "amounts": ["total": ["value": .number(.init(minor)), "currency": "USD"]],
                        "references": ["gatewayTransaction": .string("g-\(number)"), "merchant": "8846"],
                    ],
                ],
                [
                    "type": "OutcomeUnknown", "schema": 1, "occurredAt": .string(at),
                    "data": ["evidence": "gateway", "response": [:], "references": [:]],
                ],
            ],
        ]
    }

    private func take(_ record: JSONValue, as caller: Caller) async throws {
        let answer = try await caller.send("POST", "/v1/events", Self.fields, body: record.text)
        #expect(answer.status == 201, "\(answer.body)")
    }

    private func statement(_ rows: [String], as caller: Caller) async throws {
        let text = (["type,currency,gross,fee,net,processor_id,day,merchant"] + rows).map { $0 + "\n" }.joined()
        let answer = try await caller.send("POST", "/v1/statements", ["Content-Type": "text/csv"], body: text)
        #expect(answer.status == 201, "\(answer.body)")
    }

    /// Three payments, one of them in doubt; lines for two of them, a line without a payment, and a fee.
    private func day(
        clock: any WallClock = SystemClock(),
        _ body: @escaping @Sendable (TestAPI, Caller) async throws -> Void
    ) async throws {
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile, .audit])
            try await take(Self.sale(1, 1000), as: caller)
            try await take(Self.sale(2, 2500), as: caller)
            try await take(Self.doubt(3, 700), as: caller)
            try await statement(
                [
                    "sale,USD,10.00,-0.30,9.70,g-1,2026-03-01,8846", "sale,USD,7.00,-0.20,6.80,g-3,2026-03-01,8846",
                    "sale,USD,99.00,,99.00,g-9,2026-03-01,8846", "fee,USD,-1.00,,-1.00,f-1,2026-03-08,8846",
                    "sale,USD,1.00,,1.00,g-8,2026-03-08,8846",
                ],
                as: caller
            )
            try await body(api, caller)
        }
    }

    @Test func aRunExplainsADay() async throws {
        try await day { api, caller in
            let key = ["Idempotency-Key": "run-1"]
            let first = try await caller.send("POST", "/v1/reconciliations", key)
            #expect(first.status == 201, "\(first.body)")
            let reported = try first.json
            #expect(reported["status"] == "completed" && reported["matched"] == 1 && reported["resolved"] == 1)
            #expect(reported["explained"]?["matchedLines"] == 2 && reported["explained"]?["matchedMovements"] == 2)
            let id = try #require(reported["id"]?.string)
            #expect(first.fields["location"] == "/v1/reconciliations/\(id)")
            let again = try await caller.send("POST", "/v1/reconciliations", key)
            let repeated = try again.json
            #expect(again.fields["idempotency-replayed"] == "true" && repeated["id"] == reported["id"])
            // The key is bound to one request of one sender.
            let other = try await caller.send("POST", "/v1/reconciliations?whole=true", key)
            #expect(other.status == 422 && other.code == "idempotency-mismatch", "\(other.body)")
            let stranger = try await api.caller([.reconcile])
            #expect(try await stranger.send("POST", "/v1/reconciliations", key).code == "idempotency-mismatch")

            // The line resolves the doubt and is the evidence.
            let payment = "/v1/transactions/0198c1c2-6a00-7000-8000-000000000103"
            let last = try #require(first.fields["daybook-position"])
            let resolved = try await caller.get("\(payment)?min_position=\(last)").json
            #expect(resolved["status"] == "captured" && resolved["inDoubt"] == false)
            let events = try await caller.get("/v1/events?type=OutcomeResolved").json["items"]?.array ?? []
            #expect(events.count == 1 && events.first?["actor"]?.string?.hasPrefix("key:") == true)
            let line = try #require(events.first?["data"]?["statementLine"]?.string)
            let matches = try await caller.get("/v1/matches?line=\(line)").json["items"]?.array ?? []
            #expect(matches.first?["transaction"] == "0198c1c2-6a00-7000-8000-000000000103")

            // The first run still lists what it found.
            let left = try await caller.get("/v1/reconciliations/\(id)/matches").json["items"]?.array ?? []
            #expect(left.map { $0["transaction"] } == ["0198c1c2-6a00-7000-8000-000000000101"])
            let doubts = try await caller.get("/v1/reconciliations/\(id)/exceptions?open=true").json["items"]?.array
            #expect(doubts?.contains { $0["class"] == "in-doubt-resolved" } == true)
            // The changes of the runs are listed separately.
            let runs = try await caller.get("/v1/reconciliations").json["items"]?.array ?? []
            let second = try #require(runs.first?["id"]?.string)
            let made = try await caller.get("/v1/matches?made_by=\(second)").json["items"]?.array ?? []
            #expect(made.map { $0["transaction"] } == ["0198c1c2-6a00-7000-8000-000000000103"])
            #expect(try await caller.get("/v1/matches?made_by=\(id)").json["items"]?.array?.count == 1)
            #expect(try await caller.get("/v1/matches?ended_by=\(second)").json["items"] == [])
            let raised = try await caller.get("/v1/exceptions?raised_by=\(id)").json["items"]?.array ?? []
            #expect(reported["raised"]?.int64 == Int64(raised.count) && raised.count == 4)
            let ended = try await caller.get("/v1/exceptions?cleared_by=\(second)").json["items"]?.array ?? []
            #expect(ended.map { $0["class"] } == ["in-doubt-resolved"])
            // A search finds each of them.
            let exception = try #require(ended.first?["id"]?.string)
            for (name, kind, member) in [
                (second, "run", "runs"), (exception, "exception", "exceptions"),
                ("g-9", "exception_line", "exceptions"),
                ("0198c1c2-6a00-7000-8000-000000000103", "exception_transaction", "exceptions"),
                (line, "exception_line", "exceptions"),
            ] {
                let found = try await caller.get("/v1/search?q=\(name)").json["items"]?.array ?? []
                let finding = found.first { $0["kind"]?.string == kind }
                #expect(finding?[member]?.array?.count == 1, "\(name): \(found)")
            }
            let now = try await caller.get("/v1/exceptions?open=true").json["items"]?.array ?? []
            let classes = now.compactMap { $0["class"]?.string }.sorted()
            #expect(classes == ["missing-at-processor", "missing-in-ledger", "missing-in-ledger"])
            #expect(try await caller.get("/v1/reconciliations").json["items"]?.array?.count == 2)
            let then = try await caller.get("/v1/exceptions?as_of_position=1").json
            #expect(then["items"] == [] && then["asOfPosition"] == 1)
            let page = try await caller.get("/v1/exceptions?limit=2").json
            let rest = try await caller.get("/v1/exceptions?limit=2&cursor=\(try #require(page["next"]?.string))").json
            let all = try await caller.get("/v1/exceptions").json["items"]?.array ?? []
            let pages: [JSONValue] = (page["items"]?.array ?? []) + (rest["items"]?.array ?? [])
            // Ages grow between the pages.
            #expect(pages.map { $0["id"] } == all.map { $0["id"] } && all.count > 2)
            for path in [id, "\(id)/matches", "\(id)/exceptions"] {
                let stranger = try await api.caller(tenant: "other")
                #expect(try await stranger.get("/v1/reconciliations/\(path)").status == 404)
            }
        }
    }

    @Test func anExceptionIsProposedApprovedAndClosed() async throws {
        try await day { api, ann in
            let bob = try await api.caller([.read, .reconcile])
            let reader = try await api.caller([.read])
            #expect(try await reader.send("POST", "/v1/reconciliations").status == 403)
            #expect(try await ann.send("POST", "/v1/reconciliations").status == 201)
            let found = try await ann.get("/v1/exceptions?class=missing-at-processor").json["items"]?[0]
            let id = try #require(found?["id"]?.string)
            #expect(found?["amount"] == ["value": -2500, "currency": "USD"] && found?["merchant"] == "8846")
            func act(_ step: String, _ body: String, as caller: Caller) async throws -> Answer {
                try await caller.send("POST", "/v1/exceptions/\(id)/\(step)", Self.fields, body: body)
            }
            let assigned = try await act("assign", #"{"assignee":"bob","reason":"his shop"}"#, as: ann)
            #expect(try assigned.json["status"] == "assigned", "\(assigned.body)")
            let off = #"{"resolution":{"kind":"written-off"},"reason":"4111111111111111 is lost"}"#
            let first = try #require(try await act("resolve", off, as: ann).json["proposal"]?["id"]?.string)
            #expect(try await ann.approve(id, first).code == "own-proposal")
            #expect(try await reader.approve(id, first).status == 403)
            #expect(try await act("approve", #"{"reason":"ok"}"#, as: bob).code == "malformed-record")
            #expect(try await bob.approve(id, first, #","expectedVersion":1"#).code == "version-conflict")
            #expect(try await act("reject", #"{"reason":"ask first"}"#, as: bob).status == 201)
            #expect(try await bob.approve(id, first).code == "not-proposed")
            let second = try #require(try await act("resolve", off, as: bob).json["proposal"]?["id"]?.string)
            #expect(try await ann.approve(id, first).code == "proposal-replaced")
            #expect(try await ann.approve(id, second, #","expectedVersion":4"#).json["status"] == "resolved")
            #expect(try await act("resolve", off, as: bob).code == "exception-ended")
            #expect(try await act("note", #"{"reason":"filed"}"#, as: bob).status == 201)
            let shown = try await ann.get("/v1/exceptions/\(id)").json
            let steps = shown["steps"]?.array ?? []
            #expect(steps.count == 7 && steps.allSatisfy { $0["actor"]?.string != nil })
            #expect(!shown.text.contains("4111111111111111"))
            #expect(try await act("reopen", #"{"reason":"found"}"#, as: ann).status == 201)
            #expect(try await act("reopen", #"{"reason":"found"}"#, as: ann).code == "not-resolved")
            for body in [
                "", "[]", "{}", #"{"reason":""}"#, #"{"reason":"x","resolution":{"kind":"gone"}}"#,
                #"{"reason":"x","resolution":{"kind":"matched","lines":[],"movements":[]}}"#,
                #"{"reason":"x","resolution":{"kind":"timing","lines":["x"]}}"#,
                #"{"reason":"x","resolution":{"kind":"corrected"}}"#, #"{"reason":"x","other":1}"#,
                #"{"reason":"x","expectedVersion":-1,"resolution":{"kind":"timing"}}"#,
                #"{"reason":"x\u0000","resolution":{"kind":"timing"}}"#,
                #"{"reason":"x","resolution":{"kind":"corrected","correction":"a\u0000b"}}"#,
            ] {
                let refused = try await act("resolve", body, as: ann)
                #expect(refused.status == 400, "\(body): \(refused.body)")
            }
            let unknown = "/v1/exceptions/0198c1c2-6a00-7000-8000-000000000999/note"
            #expect(try await ann.send("POST", unknown, Self.fields, body: #"{"reason":"x"}"#).status == 404)
        }
    }

    /// Two keys of one holder are one operator.
    @Test func anotherKeyOfTheProposerDoesNotApprove() async throws {
        try await day { api, _ in
            let ann = try await api.caller([.read, .reconcile], holder: "ann@acme.example")
            let annAgain = try await api.caller([.read, .reconcile], holder: "Ann@acme.example")
            let bob = try await api.caller([.read, .reconcile], holder: "bob@acme.example")
            #expect(try await ann.send("POST", "/v1/reconciliations").status == 201)
            let found = try await ann.get("/v1/exceptions?class=missing-at-processor").json["items"]?[0]
            let id = try #require(found?["id"]?.string)
            func act(_ step: String, _ body: String, as caller: Caller) async throws -> Answer {
                try await caller.send("POST", "/v1/exceptions/\(id)/\(step)", Self.fields, body: body)
            }
            let off = #"{"resolution":{"kind":"written-off"},"reason":"below what a call costs"}"#
            let proposed = try await act("resolve", off, as: ann)
            #expect(try proposed.json["proposal"]?["holder"] == "ann@acme.example", "\(proposed.body)")
            let proposal = try #require(try proposed.json["proposal"]?["id"]?.string)
            #expect(try await annAgain.approve(id, proposal).code == "own-proposal")
            #expect(try await api.caller([.reconcile], holder: nil).approve(id, proposal).code == "unknown-holder")
            #expect(try await bob.approve(id, proposal).json["status"] == "resolved")
        }
    }

    /// Exceptions at a past position have the ages and amounts of that position.
    @Test func exceptionsOfThePastKeepTheirAgesAndAmounts() async throws {
        let clock = ManualClock(at: try #require(Timestamp(rfc3339: "2026-03-10T00:00:00Z")))
        try await day(clock: clock) { api, caller in
            let run = try await caller.send("POST", "/v1/reconciliations")
            let position = try #require(run.fields["daybook-position"].flatMap { Int64($0) })
            let payment = "0198c1c2-6a00-7000-8000-000000000101"
            clock.advance(seconds: 86_400)
            // The capture is voided later.
            let voided: JSONValue = [
                "stream": .string("transaction/\(payment)"),
                "events": [
                    [
                        "type": "Voided", "schema": 1, "occurredAt": "2026-03-02T12:00:00Z",
                        "data": ["id": "v-1", "evidence": "gateway", "response": [:], "references": [:]],
                    ]
                ],
            ]
            try await take(voided, as: caller)
            let head = try await api.ledger.reader.head()
            func amounts(_ query: String) async throws -> [Int64?] {
                let path = "/v1/matches?transaction=\(payment)&min_position=\(head)\(query)"
                return (try await caller.get(path).json["items"]?.array ?? []).map {
                    $0["ledgerAmount"]?["value"]?.int64
                }
            }
            try await api.ledger.catchUp()
            #expect(try await amounts("&as_of_position=\(position)") == [1000])
            #expect(try await amounts("") != [1000])
            // The exceptions are a day older now, and unchanged at the past position.
            func ages(_ query: String) async throws -> [Int64] {
                let items = try await caller.get("/v1/exceptions?open=true\(query)").json["items"]?.array ?? []
                return items.compactMap { $0["ageSeconds"]?.int64 }
            }
            let now = try await ages("")
            let then = try await ages("&as_of_position=\(position)")
            #expect(!now.isEmpty && now.allSatisfy { $0 >= 86_400 })
            #expect(then.count == now.count && then.allSatisfy { $0 < 86_400 })
            let items = try await caller.get("/v1/exceptions?open=true").json["items"]?.array ?? []
            let id = try #require(items.first?["id"]?.string)
            let one = try await caller.get("/v1/exceptions/\(id)?as_of_position=\(position)").json
            #expect(one["ageSeconds"]?.int64.map { $0 < 86_400 } == true)
        }
    }

    @Test func theReportExplainsTheWholeDifference() async throws {
        try await day { api, caller in
            let before = try await caller.get("/v1/reconciliation-report").json
            let first = before["balances"]?[0]
            #expect(before["covers"] == nil && first?["difference"]?["value"] == 8200)
            let unexamined = try #require(first?["unexamined"]?.int64)
            let both = (before["processor"]?.array ?? []) + (before["ledger"]?.array ?? [])
            #expect(unexamined > 3 && unexamined == both.reduce(0) { $0 + ($1["count"]?.int64 ?? 0) })
            #expect(try await caller.send("POST", "/v1/reconciliations").status == 201)
            let report = try await caller.get("/v1/reconciliation-report").json
            let balance = report["balances"]?[0]
            #expect(balance?["processor"]?["value"] == 11700 && balance?["ledger"]?["value"] == 4200)
            #expect(balance?["difference"]?["value"] == 0 && balance?["unexamined"] == 0)
            #expect(first?["isExplained"] == false && balance?["isExplained"] == true)
            #expect(balance?["suspense"]?["value"] == -7500 && balance?["openExceptions"] == balance?["suspense"])
            let account = report["account"]?.array ?? []
            #expect(account.compactMap { $0["kind"]?.string } == ["fees", "payments"])
            #expect(account.compactMap { $0["amount"]?["value"]?.int64 } == [-100, 11650])
            let open = (report["exceptions"]?.array ?? []).compactMap { $0["openAmount"]?["value"]?.int64 }
            #expect(open.reduce(0, +) == 11700 - 4200)
            let none = try await caller.get("/v1/reconciliation-report?merchant=x").json
            #expect(none["balances"] == [] && none["account"] == [])
            let csv = try await caller.get("/v1/reconciliation-report", ["Accept": "text/csv"])
            let rows = try CSVReader.rows(csv.body.utf8, .raw)
            #expect(rows.count == 11, "\(csv.body)")
            let html = try await caller.get("/v1/reconciliation-report", ["Accept": "text/html"])
            #expect(html.body.contains("Does it add up?") && html.fields["content-security-policy"] != nil)
            #expect(try await caller.get("/v1/reconciliation-report?from=2026-02-30").status == 400)
        }
    }

    @Test func aDayIsClosed() async throws {
        try await day { api, caller in
            #expect(try await caller.send("POST", "/v1/reconciliations").status == 201)
            func close(_ day: String) async throws -> Answer {
                let body = #"{"merchant":"8846","day":"\#(day)","reason":"the deposit is there"}"#
                return try await caller.send("POST", "/v1/periods", Self.fields, body: body)
            }
            let closed = try await close("2026-03-01")
            #expect(closed.status == 201, "\(closed.body)")
            let reported = try closed.json
            let total = reported["totals"]?[0]
            #expect(total?["capturedCount"] == 3 && total?["net"] == ["value": 4200, "currency": "USD"])
            #expect(reported["carried"]?.array?.compactMap { $0["count"]?.int64 }.reduce(0, +) == 2)
            #expect(try await close("2026-03-01").code == "already-closed")
            let card = #"{"merchant":"4111111111111111","day":"2026-03-01","reason":"x"}"#
            #expect(try await caller.send("POST", "/v1/periods", Self.fields, body: card).status == 400)
            #expect(try await !api.events().contains { $0.data.contains("4111111111111111") })
            #expect(try await close("2999-03-01").code == "day-not-over")
            // A merchant without payments has no days, unless it is described.
            func close(merchant: String) async throws -> Answer {
                let body = #"{"merchant":"\#(merchant)","day":"2026-03-01","reason":"x"}"#
                return try await caller.send("POST", "/v1/periods", Self.fields, body: body)
            }
            let unknown = try await close(merchant: "8847")
            #expect(unknown.status == 422 && unknown.code == "unknown-merchant", "\(unknown.body)")
            #expect(try unknown.json["pointer"] == "/merchant")
            let described = try await caller.send(
                "PUT",
                "/v1/merchants/8847",
                Self.fields,
                body: #"{"zone":"UTC","reason":"new"}"#
            )
            #expect(described.status == 201)
            #expect(try await close(merchant: "8847").status == 201)
            #expect(try await close("2026-02-30").status == 400)
            let id = try #require(reported["id"]?.string)
            #expect(try await caller.get("/v1/periods/\(id)/changes").json["items"] == [])
            // Later reports do not change a closed day; they are listed as its changes.
            try await take(Self.sale(4, 333), as: caller)
            let head = try await api.ledger.reader.head()
            let changes = try await caller.get("/v1/periods/\(id)/changes?min_position=\(head)").json
            #expect(changes["items"]?.array?.count == 1 && changes["day"] == "2026-03-01", "\(changes)")
            #expect(changes["items"]?[0]?["kind"] == "money" && changes["items"]?[0]?["change"] == "added")
            #expect(try await caller.get("/v1/periods/\(id)").json["totals"] == reported["totals"])
            #expect(try await caller.get("/v1/periods?merchant=8846&status=closed").json["items"]?.array?.count == 1)
            let reopen = "/v1/periods/\(id)/reopen"
            let reason = #"{"reason":"a correction"}"#
            let reopened = try await caller.send("POST", reopen, Self.fields, body: reason)
            #expect(try reopened.json["status"] == "reopened", "\(reopened.body)")
            #expect(try await caller.send("POST", reopen, Self.fields, body: reason).code == "not-closed")
            let again = try await close("2026-03-01")
            #expect(try again.json["totals"]?[0]?["capturedCount"] == 4)
            // Each step, read at the position where it was the newest.
            func status(at position: Int64) async throws -> [JSONValue?] {
                let one = try await caller.get("/v1/periods/\(id)?as_of_position=\(position)")
                let list = try await caller.get("/v1/periods?merchant=8846&as_of_position=\(position)").json
                #expect(list["asOfPosition"]?.int64 == position)
                return [try one.json["status"]] + (list["items"]?.array ?? []).map { $0["status"] }
            }
            let first = try #require(closed.fields["daybook-position"].flatMap { Int64($0) })
            let second = try #require(reopened.fields["daybook-position"].flatMap { Int64($0) })
            #expect(try await status(at: second - 1) == ["closed", "closed"])
            #expect(try await status(at: second) == ["reopened", "reopened"])
            #expect(try await caller.get("/v1/periods/\(id)?as_of_position=\(first - 1)").status == 404)
            #expect(try await caller.get("/v1/periods?merchant=8846&as_of_position=\(first - 1)").json["items"] == [])
            #expect(try await caller.get("/v1/periods").json["items"]?.array?.count == 2)
            let types = try await api.events().map(\.type).filter { $0.hasPrefix("Period") }
            // Of the other merchant.
            #expect(types == ["PeriodClosed", "PeriodClosed", "PeriodReopened", "PeriodClosed"])
        }
    }

    /// After a day is closed, a statement is withdrawn, and another has a line for an unknown payment.
    @Test func changesAfterTheCloseAreListed() async throws {
        try await day { api, caller in
            #expect(try await caller.send("POST", "/v1/reconciliations").status == 201)
            let body = #"{"merchant":"8846","day":"2026-03-01","reason":"the deposit is there"}"#
            let closed = try await caller.send("POST", "/v1/periods", Self.fields, body: body)
            let id = try #require(try closed.json["id"]?.string)
            let file = try await caller.get("/v1/statements").json["items"]?[0]?["id"]?.string
            try await statement(["sale,USD,25.00,,25.00,g-2,2026-03-01,8846"], as: caller)
            let taken = try await caller.send(
                "POST",
                "/v1/statements/\(try #require(file))/withdraw",
                Self.fields,
                body: #"{"reason":"of another shop"}"#
            )
            #expect(try await api.approve(taken).status == 201)
            #expect(try await caller.send("POST", "/v1/reconciliations").status == 201)
            let path = "/v1/periods/\(id)/changes"
            let page = try await caller.get(path).json
            let items = page["items"]?.array ?? []
            func of(_ kind: String, _ change: String) -> [JSONValue] {
                items.filter { $0["kind"]?.string == kind && $0["change"]?.string == change }
            }
            // Three lines of the day are withdrawn, and one is added.
            #expect(of("statement-line", "removed").count == 3 && of("statement-line", "added").count == 1, "\(page)")
            #expect(of("statement-line", "added").first?["after"]?["amount"] == ["value": 2500, "currency": "USD"])
            // Two of the withdrawn lines were matched; the new line is matched.
            #expect(of("match", "removed").count == 2 && of("match", "added").count == 1)
            #expect(of("match", "added").first?["transaction"] == "0198c1c2-6a00-7000-8000-000000000102")
            #expect(of("match", "added").first?["after"]?["rule"] == "gateway-id")
            // The exception of the unknown line is cleared.
            let cleared = of("exception", "removed").compactMap { $0["class"]?.string }
            #expect(cleared.contains("missing-in-ledger"), "\(page)")
            // Pages of one item, CSV and NDJSON have the same changes.
            var pages: [JSONValue] = []
            var next: String? = ""
            while let cursor = next {
                let query = cursor.isEmpty ? "?limit=1" : "?limit=1&cursor=\(cursor)"
                let one = try await caller.get(path + query).json
                #expect(one["toPosition"] == page["toPosition"] && one["items"]?.array?.count == 1)
                pages += one["items"]?.array ?? []
                next = one["next"]?.string
                try #require(pages.count <= items.count)
            }
            #expect(pages == items)
            let lines = try await caller.get(path, ["Accept": "application/x-ndjson"])
            #expect(lines.body.split(separator: "\n").count == items.count)
            let csv = try await caller.get("\(path)?columns=kind,change,class", ["Accept": "text/csv"])
            #expect(try CSVReader.rows(csv.body.utf8, .raw).count == items.count + 1)
            // There are no changes between the closing and its own position.
            let position = try #require(page["fromPosition"]?.int64)
            #expect(try await caller.get("\(path)?to_position=\(position)").json["items"] == [])
            for bad in ["cursor=x", "cursor=1-2~x", "from_position=2&to_position=1"] {
                #expect(try await caller.get("\(path)?\(bad)").status == 400, "\(bad)")
            }
        }
    }

    /// A deposit is explained by its payout, down to the lines.
    @Test func aDepositIsExplainedByItsLines() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            try await take(Self.sale(1, 1000), as: caller)
            let heading = "type,currency,gross,fee,net,processor_id,day,merchant,payout"
            let rows = [
                "sale,USD,10.00,-0.30,9.70,g-1,2026-03-01,8846,po-1",
                "reserve,USD,-1.00,,-1.00,r-1,2026-03-01,8846,po-1",
                "payout,USD,-8.70,,-8.70,po-1,2026-03-02,8846,po-1",
                "payout,USD,-5.00,,-5.00,po-2,2026-03-02,8846,po-2",
            ]
            let file = ([heading] + rows).map { $0 + "\n" }.joined()
            let reported = try await caller.send("POST", "/v1/statements", ["Content-Type": "text/csv"], body: file)
            #expect(reported.status == 201, "\(reported.body)")
            var mapping = CSVMapping()
            mapping.side = .bank
            var request = StatementImporter.Request(format: .daybookCSV)
            request.options.mapping = mapping
            let bank = """
                type,currency,gross,day,bank_reference,account
                deposit,USD,8.70,2026-03-03,po-1,acct-1
                deposit,USD,77.00,2026-03-09,po-2,acct-1

                """
            _ = try await api.ledger.reconciliation.importer.import(
                StatementBytes(Array(bank.utf8)),
                request,
                sender: Sender(tenant: "acme", actor: "cli:test", correlation: "c-1")
            )
            #expect(try await caller.send("POST", "/v1/reconciliations").status == 201)
            let all = try await caller.get("/v1/deposits").json["items"]?.array ?? []
            #expect(all.count == 4)
            let matched = try await caller.get("/v1/deposits?state=matched").json["items"]?.array ?? []
            #expect(matched.compactMap { $0["reference"]?.string } == ["po-1", "po-1"])
            let page = try await caller.get("/v1/deposits?limit=3").json
            let rest = try await caller.get("/v1/deposits?limit=3&cursor=\(try #require(page["next"]?.string))").json
            let pages: [JSONValue] = (page["items"]?.array ?? []) + (rest["items"]?.array ?? [])
            #expect(pages == all)
            for item in matched {
                let proof = try await caller.get("/v1/deposits/\(try #require(item["line"]?.string))").json
                #expect(proof["foots"] == true && proof["difference"]?["value"] == 0, "\(proof)")
                let buckets = proof["settlements"]?[0]?["buckets"]?.array ?? []
                #expect(buckets.compactMap { $0["amount"]?["value"]?.int64 }.sorted() == [-100, -30, 1000])
            }
            let payout = try #require(matched.first { $0["side"] == "processor" }?["line"]?.string)
            let lines = try await caller.get("/v1/deposits/\(payout)/lines").json["items"]?.array ?? []
            let sale = lines.first { $0["type"] == "sale" }
            #expect(sale?["explanations"]?[0]?["transaction"] == "0198c1c2-6a00-7000-8000-000000000101")
            // Before the run nothing was explained; before the file there was no deposit.
            let run = try await caller.get("/v1/reconciliations").json["items"]?[0]
            let before = try #require(run?["covers"]?.int64)
            #expect(try await caller.get("/v1/reconciliations?as_of_position=\(before)").json["items"] == [])
            let began = try #require(run?["position"]?.int64)
            let then = try await caller.get("/v1/reconciliations?as_of_position=\(began)").json
            #expect(then["items"]?[0]?["status"] == "running" && then["asOfPosition"]?.int64 == began)
            #expect(then["items"]?[0]?["completedPosition"] == nil)
            let waiting = try await caller.get("/v1/deposits?as_of_position=\(before)").json
            #expect(waiting["asOfPosition"]?.int64 == before)
            let states = (waiting["items"]?.array ?? []).compactMap { $0["state"]?.string }
            #expect(states.sorted() == ["awaited", "awaited", "left-out", "left-out"])
            let unexplained = try await caller.get("/v1/deposits/\(payout)/lines?as_of_position=\(before)").json[
                "items"
            ]
            #expect(unexplained?.array?.allSatisfy { $0["explanations"] == [] } == true && unexplained != [])
            #expect(try await caller.get("/v1/deposits?as_of_position=1").json["items"] == [])
            #expect(try await caller.get("/v1/deposits/\(payout)/lines?as_of_position=1").status == 404)
            let open = try await caller.get("/v1/exceptions?class=unmatched-deposit&open=true").json["items"]?.array
            #expect(open?.count == 2)
            // Both belong to the merchant: one names it, the other is on the merchant's bank account.
            #expect(open?.allSatisfy { $0["merchant"] == "8846" && $0["unattributed"] == nil } == true)
            let own = try await caller.get("/v1/reconciliation-report?merchant=8846&to=2026-03-09").json
            let unmatched = own["exceptions"]?.array?.first { $0["class"] == "unmatched-deposit" }
            #expect(unmatched?["open"] == 2 && unmatched?["unattributed"] == 0, "\(own)")
            #expect(try await caller.get("/v1/exceptions?unattributed=true").json["items"] == [])
            let closed = try await caller.send(
                "POST",
                "/v1/periods",
                Self.fields,
                body: #"{"merchant":"8846","day":"2026-03-09","reason":"the day is over"}"#
            )
            let carried = try closed.json["carried"]?.array?.first { $0["class"] == "unmatched-deposit" }
            #expect(
                carried?["count"] == 2 && carried?["amount"] == ["value": 7200, "currency": "USD"],
                "\(closed.body)"
            )
            let report = try await caller.get("/v1/reconciliation-report").json
            #expect(report["deposits"]?.array?.contains { $0["state"] == "matched" && $0["side"] == "bank" } == true)
            #expect(try await caller.get("/v1/deposits/0198c1c2-6a00-7000-8000-000000000999").status == 404)
            #expect(try await caller.get("/v1/deposits?state=x").status == 400)
        }
    }
}
