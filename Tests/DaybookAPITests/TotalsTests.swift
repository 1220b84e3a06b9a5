import Access
import Canonical
import Composition
import DaybookTestKit
import Payments
import Projections
import Testing

/// `GET /v1/totals` over a socket. Every answer is checked against the OpenAPI document.
@Suite struct TotalsTests {
    private func money(_ row: JSONValue?, _ name: String) -> Int64? { row?[name]?["value"]?.int64 }

    @Test func totalsAreTheSumsOfTheSamples() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            var last: Int64 = 0
            for sample in try Sample.all() {
                let answer = try await caller.take(sample.vendor, sample.record)
                last = try #require(answer["positions"]?.array?.last?.int64)
            }
            let payments = try await caller.get("/v1/transactions?min_position=\(last)").json["items"]?.array ?? []
            func sum(_ name: String) -> Int64 {
                payments.reduce(0) { $0 + ($1["amounts"]?[name]?["value"]?.int64 ?? 0) }
            }
            let all = try await caller.get("/v1/totals?min_position=\(last)").json
            #expect(all["by"]?.strings == ["currency"] && all["zone"] == "+00:00" && all["cutoff"] == "00:00")
            let row = try #require(all["items"]?[0])
            #expect(all["items"]?.array?.count == 1)
            #expect(money(row, "captured") == sum("captured") && sum("captured") > 0)
            #expect(money(row, "tip") == sum("tip"))
            #expect(money(row, "net") == sum("captured") - sum("refunded") - sum("credited"))
            // Every grouping has the same sum.
            for by in ["day", "merchant,terminal", "brand,tender,clerk", "vendor", "day,vendor,currency"] {
                let items = try await caller.get("/v1/totals?by=\(by)").json["items"]?.array ?? []
                #expect(items.reduce(0) { $0 + (money($1, "captured") ?? 0) } == sum("captured"), "\(by)")
                #expect(items.reduce(0) { $0 + ($1["capturedCount"]?.int64 ?? 0) } == row["capturedCount"]?.int64)
            }
            let dejavoo = try await caller.get("/v1/totals?by=vendor&vendor=dejavoo").json["items"]
            #expect(dejavoo?.array?.count == 1 && dejavoo?[0]?["vendor"] == "dejavoo")
            #expect(try await caller.get("/v1/totals?currency=EUR").json["items"] == [])
            // Totals at a past position.
            let past = try await caller.get("/v1/totals?as_of_position=4").json
            #expect(past["asOfPosition"] == 4)
            #expect((money(past["items"]?[0], "captured") ?? 0) < sum("captured"))
            #expect(try await caller.get("/v1/totals?as_of_position=0").json["items"] == [])
            #expect(try await caller.get("/v1/totals?as_of=2001-01-01T00:00:00Z").json["items"] == [])
            #expect(try await caller.get("/v1/totals?as_of_position=\(last)").json["items"] == all["items"])
            // Other tenants are not counted.
            #expect(try await api.caller(tenant: "other").get("/v1/totals").json["items"] == [])
        }
    }

    /// Money of a payment that names no vendor is in no batch, and in the totals.
    @Test func moneyWithoutABatchIsCounted() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.events, .read])
            let sale = [Reported.event("AuthorizationApproved", Reported.approval(750)), Reported.captured(750)]
            for number in 1...2 {
                let stream = "transaction/0198c1c2-6a00-7000-8000-00000000000\(number)"
                let taken = try await Reported.append(sale, on: stream, by: till)
                #expect(taken.status == 201, "\(taken.body)")
            }
            for by in ["currency", "day", "vendor", "merchant,terminal"] {
                let items = try await till.get("/v1/totals?by=\(by)&min_position=4").json["items"]?.array ?? []
                #expect(items.map { money($0, "captured") } == [1500], "\(by): \(items)")
                #expect(items.first?["vendor"] == nil)
            }
            #expect(try await till.get("/v1/totals?vendor=dejavoo").json["items"] == [])
            #expect(try await till.get("/v1/batches").json["items"] == [])
            // A batch that is named later takes the money.
            let named = Reported.captured(500, id: "late", batch: ["vendor": "dejavoo", "account": "1", "number": "7"])
            let stream = "transaction/0198c1c2-6a00-7000-8000-000000000001"
            let taken = try await Reported.append([named], on: stream, by: till)
            #expect(taken.status == 201, "\(taken.body)")
            let items = try await till.get("/v1/totals?by=vendor&min_position=5").json["items"]?.array ?? []
            #expect(items.map { $0["vendor"]?.string } == ["dejavoo", nil])
            #expect(items.map { money($0, "captured") } == [1250, 750])
            try await api.ledger.catchUp()
            #expect(try await MoneyIdentity(pool: api.ledger.pool).breaches() == [])
        }
    }

    /// A batch of two sales that the host closed with another net, and a later tip.
    @Test func paymentsBehindADifferenceAreListed() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let reference = #"{"vendor":"dejavoo","account":"t-1","number":"7"}"#
            func append(_ stream: String, _ events: [(type: String, data: String)]) async throws -> Int64 {
                let texts = events.map {
                    #"{"schema":1,"occurredAt":"2026-03-01T12:00:00Z","type":"\#($0.type)","data":\#($0.data)}"#
                }
                let record = #"{"stream":"\#(stream)","events":[\#(texts.joined(separator: ","))]}"#
                let reported = try await caller.send(
                    "POST",
                    "/v1/events",
                    ["Content-Type": "application/json"],
                    body: record
                )
                #expect(reported.status == 201, "\(reported.body)")
                return try #require(reported.json["positions"]?.array?.last?.int64)
            }
            func usd(_ value: Int) -> String { #"{"value":\#(value),"currency":"USD"}"# }
            let sales = ["0198c1c2-6a00-7000-8000-000000000011", "0198c1c2-6a00-7000-8000-000000000012"]
            for (sale, value) in zip(sales, [1000, 2500]) {
                _ = try await append(
                    "transaction/\(sale)",
                    [
                        ("SaleRequested", #"{"amounts":{"total":\#(usd(value))},"references":{"terminal":"t-1"}}"#),
                        (
                            "Captured",
                            #"{"id":"sale","amounts":{"total":\#(usd(value))},"evidence":"gateway","response":{},"references":{},"batch":\#(reference)}"#
                        ),
                    ]
                )
            }
            var last = try await append(
                "batch/\(StreamName.batchID(BatchReference(vendor: .dejavoo, account: "t-1", number: "7"), of: "acme"))",
                [("BatchClosed", #"{"batch":\#(reference),"response":{},"totals":{"net":\#(usd(2800))}}"#)]
            )
            let batch = try await caller.get("/v1/batches?min_position=\(last)").json["items"]?[0]
            let id = try #require(batch?["id"]?.string)
            let found = try await caller.get("/v1/batches/\(id)/agreement").json
            #expect(found["verdict"] == "unexplained" && found["difference"]?["value"] == -700)
            // A tip after the settlement does not count, but the host may have counted it.
            _ = try await eventually {
                try await caller.get("/v1/transactions/\(sales[1])").json["status"]
            } is: {
                $0 == "settled"
            }
            last = try await append(
                "transaction/\(sales[1])",
                [
                    ("TipAdjusted", #"{"tip":\#(usd(300)),"evidence":"gateway","response":{},"references":{}}"#),
                    ("AnomalyRaised", #"{"kind":"tip-not-allowed","explanation":"the capture is settled already"}"#),
                ]
            )
            _ = try await caller.get("/v1/anomalies?min_position=\(last)")
            let tipped = try await caller.get("/v1/batches/\(id)/agreement?min_position=\(last)").json
            #expect(tipped["difference"]?["value"] == -700 && tipped["atClose"]?["value"] == 3500)
            #expect(tipped["verdict"] == "explained" && tipped["explanations"]?.array?.count == 1)
            let reasons = tipped["explanations"]?[0]?.array ?? []
            #expect(reasons.compactMap { $0["kind"]?.string } == ["tip-after-close", "missing-there"])
            #expect(reasons.compactMap { $0["effect"]?["value"]?.int64 } == [300, -1000])
            #expect(reasons.compactMap { $0["transaction"]?.string } == [sales[1], sales[0]])
            // The smallest amount.
            let least = #"{"value":-9223372036854775808,"currency":"USD"}"#
            let odd = #"{"vendor":"bridgepay","account":"t-9","number":"9"}"#
            let name = StreamName.batch(BatchReference(vendor: .bridgepay, account: "t-9", number: "9"), of: "acme")
            last = try await append(
                name,
                [
                    (
                        "BatchClosed",
                        #"{"batch":\#(odd),"response":{},"totals":{"sales":{"value":0,"currency":"USD"},"refunds":\#(least)}}"#
                    )
                ]
            )
            let extreme = name.split(separator: "/")[1]
            let reported = try await caller.get("/v1/batches/\(extreme)/agreement?min_position=\(last)").json
            #expect(reported["host"]?["value"]?.int64 == .max)
            // An open batch.
            _ = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let head = try await api.events().count
            let open = try await caller.get("/v1/batches?open=true&min_position=\(head)").json["items"]?[0]?["id"]?
                .string
            #expect(try await caller.get("/v1/batches/\(open ?? "")/agreement").json == ["verdict": "not-reported"])
            #expect(try await api.caller(tenant: "other").get("/v1/batches/\(id)/agreement").status == 404)
        }
    }

    @Test func aDayIsGroupedByHoursAndStatuses() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            // The hour from 2 to 3 occurs twice on this day in Berlin. The business day begins at 04:00.
            var last: Int64 = 0
            for (number, time) in [
                "2026-10-25T02:59:59Z", "2026-10-25T03:00:00Z", "2026-10-25T12:30:00Z", "2026-10-26T02:59:59.999999Z",
                "2026-10-26T03:00:00Z",
            ].enumerated() {
                let amounts: JSONValue = ["total": ["value": .number(.init(Int64(100 << number))), "currency": "EUR"]]
                let record: JSONValue = [
                    "stream": .string("transaction/0198c1c2-6a00-7000-8000-00000000001\(number)"),
                    "events": [
                        [
                            "schema": 1, "occurredAt": .string(time), "type": "SaleRequested",
                            "data": ["amounts": amounts, "references": ["merchant": "m-\(number % 2)"]],
                        ]
                    ],
                ]
                let fields = ["Content-Type": "application/json"]
                let reported = try await caller.send("POST", "/v1/events", fields, body: record.text)
                last = try #require(try reported.json["positions"]?.array?.last?.int64, "\(reported.body)")
            }
            let berlin = "zone=Europe/Berlin&cutoff=04:00"
            let day = try await caller.get("/v1/days/2026-10-25?\(berlin)&min_position=\(last)").json
            #expect(
                day["from"]?.string.flatMap { Timestamp(rfc3339: $0) } == Timestamp(rfc3339: "2026-10-25T03:00:00Z")
            )
            #expect(day["to"]?.string.flatMap { Timestamp(rfc3339: $0) } == Timestamp(rfc3339: "2026-10-26T03:00:00Z"))
            #expect(day["zone"] == "Europe/Berlin" && day["cutoff"] == "04:00" && day["count"] == 3)
            #expect(day["items"]?.array?.count == 1 && money(day["items"]?[0], "amount") == 200 + 400 + 800)
            #expect(
                day["hours"]?.array?.compactMap { $0["count"]?.int64 }.enumerated().filter { $0.element > 0 }.map(
                    \.offset
                )
                    == [0, 9, 23]
            )
            let one = try await caller.get("/v1/days/2026-10-25?\(berlin)&merchant=m-1").json
            #expect(one["count"] == 2 && one["merchant"] == "m-1" && money(one["items"]?[0], "amount") == 1000)
            // From midnight to midnight in Berlin, the day has 25 hours.
            let long = try await caller.get("/v1/days/2026-10-25?zone=Europe/Berlin").json
            #expect(long["hours"]?.array?.count == 25 && long["count"] == 3)
            #expect(try await caller.get("/v1/days/2026-10-25").json["zone"] == "+00:00")
            for bad in ["2026-02-30", "today", "20261025", "2026-10-25T00:00:00Z"] {
                #expect(try await caller.get("/v1/days/\(bad)").status == 404, "\(bad)")
            }
            #expect(try await caller.get("/v1/days/2026-10-25?zone=Europe/Atlantis").code == "invalid-parameter")
            #expect(try await api.caller(tenant: "other").get("/v1/days/2026-10-25").json["count"] == 0)
        }
    }

    @Test func searchFindsSubjectsByName() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let last = try #require(answer["positions"]?.array?.last?.int64)
            let id = try #require(answer["transaction"]?.string)
            let payment = try await caller.get("/v1/transactions/\(id)?min_position=\(last)").json
            func kinds(_ name: String) async throws -> [String] {
                let found = try await caller.get("/v1/search?q=\(name)").json["items"]?.array ?? []
                #expect(found.allSatisfy { $0["transactions"].map { $0 == [payment] } ?? true }, "\(name)")
                return found.compactMap { $0["kind"]?.string }
            }
            #expect(try await kinds(id) == ["transaction"])
            let names = payment["references"]
            #expect(try await kinds(#require(names?["gatewayTransaction"]?.string)) == ["gateway_id"])
            #expect(try await kinds(#require(payment["card"]?["lastFour"]?.string)).contains("last4"))
            #expect(try await kinds("%20%23\(last)%20") == ["position"])
            for nothing in ["nobody", ""] { #expect(try await kinds(nothing) == []) }
            #expect(try await api.caller(tenant: "other").get("/v1/search?q=\(id)").json["items"] == [])
        }
    }

    @Test func changesAreShown() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            _ = try await caller.take("bridgepay", Sample.named("Authorisation").record)
            let answer = try await caller.take("bridgepay", Sample.named("Capture with tip").record)
            let payment = try #require(answer["transaction"]?.string)
            let page = try await caller.get("/v1/batches?min_position=5&open=true").json
            let batch = try #require(page["items"]?[0])
            let id = try #require(batch["id"]?.string)
            for by in ["type", "clerk,tip_recipient", "brand,tender,day", "currency"] {
                let rows = try await caller.get("/v1/batches/\(id)/totals?by=\(by)").json["items"]?.array ?? []
                #expect(rows.reduce(0) { $0 + (money($1, "net") ?? 0) } == 950, "\(by)")
            }
            #expect(try await caller.get("/v1/batches/\(id)/totals").json["items"]?[0]?["type"] == "capture")
            #expect(try await caller.get("/v1/batches/\(id)/totals?by=x").code == "invalid-parameter")
            #expect(try await caller.get("/v1/batches?open=false").json["items"] == [])
            #expect(try await caller.get("/v1/batches?terminal=nobody").json["items"] == [])
            #expect(try await caller.get("/v1/batches?merchant=nobody").json["items"] == [])
            for query in ["", "?from_position=4"] {
                let changes = try await caller.get("/v1/batches/\(id)/changes\(query)").json
                #expect(changes["items"]?.array?.count == 1 && changes["toPosition"] == 5)
                #expect(changes["items"]?[0]?["transaction"]?.string == payment)
                #expect(changes["items"]?[0]?["change"] == "added" && changes["items"]?[0]?["before"] == nil)
            }
            #expect(try await caller.get("/v1/batches/\(id)/changes?from_position=5").json["items"] == [])
            let all = try await caller.get("/v1/totals/changes").json["items"]?.array
            #expect(all?.count == 1)
            #expect(try await caller.get("/v1/totals/changes?day=2001-01-01").json["items"] == [])
            #expect(try await caller.get("/v1/totals/changes?day=2001-02-30").code == "invalid-parameter")
            // A past batch has the same totals, and was not there before its first event.
            let past = try await caller.get("/v1/batches/\(id)?as_of_position=5").json
            #expect(past["totals"] == batch["totals"] && past["status"] == batch["status"])
            #expect(past["asOfPosition"] == 5 && past["lastPosition"] == nil)
            #expect(try await caller.get("/v1/batches/\(id)?as_of_position=4").status == 404)
            let members = try await caller.get("/v1/batches/\(id)/members?as_of_position=5").json["items"]?.array
            #expect(members?.count == 1)
            #expect(try await caller.get("/v1/batches/\(id)/members?as_of_position=4").json["items"] == [])
            // A later page compares the same positions as the first page, although events were appended in between.
            _ = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let first = try await caller.get("/v1/totals/changes?limit=1").json
            let next = try #require(first["next"]?.string)
            _ = try await caller.take("dejavoo", Sample.named("Tap-to-pay sale (V1)").record)
            let second = try await caller.get("/v1/totals/changes?limit=1&cursor=\(next)").json
            #expect(second["toPosition"] == first["toPosition"] && second["next"] == nil)
            #expect(second["items"]?.array?.count == 1 && second["items"] != first["items"])
            #expect(try await caller.get("/v1/totals/changes").json["items"]?.array?.count == 3)
            let reversed = "/v1/totals/changes?from_position=5&to_position=4"
            #expect(try await caller.get(reversed).code == "invalid-parameter")
        }
    }

    @Test(arguments: [
        "by=", "by=day,day", "by=day,merchant,brand,tender", "by=type", "by=day,", "zone=1", "cutoff=25:00",
    ])
    func invalidParametersAreRefused(query: String) async throws {
        try await TestAPI.serve { api in
            let answer = try await api.caller().get("/v1/totals?\(query)")
            #expect(answer.status == 400 && answer.code == "invalid-parameter")
        }
    }

    @Test func aDayBeginsAtTheTimeInTheAnswer() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            // Without a printed time, which would decide the day.
            let sale = try Sample.named("MSR sale").with("occurredAt", as: "2026-03-01T02:30:00Z")
                .with("body", "BridgeCommResponse", "ISOTransactionDate", as: nil)
                .with("body", "BridgeCommResponse", "ISORequestDate", as: nil)
            _ = try await caller.take(sale.vendor, sale.record)
            func day(_ query: String) async throws -> String? {
                try await caller.get("/v1/totals?by=day&min_position=4\(query)").json["items"]?[0]?["day"]?.string
            }
            #expect(try await day("") == "2026-03-01")
            #expect(try await day("&cutoff=03:00") == "2026-02-28")
            #expect(try await day("&zone=%2B01:00&cutoff=03:00") == "2026-03-01")
            #expect(try await day("&zone=+01:00&cutoff=03:00") == "2026-03-01")
            #expect(try await day("&zone=-03:00") == "2026-02-28")
        }
    }
}
