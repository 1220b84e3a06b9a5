import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Projections
import Testing

/// The reconciliation report of a past position is the report that was given at that position.
struct PastReportTests {
    private static let fields = ["Content-Type": "application/json"]

    /// Random activity of merchants, operators and processors, one step at a time.
    private struct Story {
        let api: TestAPI
        let caller: Caller
        let other: Caller
        var random: SeededGenerator
        private var sales: [(number: Int, minor: Int64, day: Int)] = []
        private var files = 0

        init(_ api: TestAPI, _ caller: Caller, _ other: Caller, seed: UInt64) {
            self.api = api
            self.caller = caller
            self.other = other
            random = SeededGenerator(seed: seed)
        }

        private func post(_ path: String, _ body: JSONValue) async throws -> Answer {
            try await caller.send("POST", path, PastReportTests.fields, body: body.text)
        }

        /// - Parameter hour: In UTC.
        mutating func sell(merchant: String = "8846", day: Int, hour: Int, minor: Int64) async throws {
            let number = sales.count + 1
            sales.append((number, minor, day))
            let digits = String(1000 + number)
            let at = "2026-03-0\(day)T\(hour < 10 ? "0" : "")\(hour):30:00Z"
            func event(_ type: String, _ data: JSONValue) -> JSONValue {
                ["type": .string(type), "schema": 1, "occurredAt": .string(at), "data": data]
            }
            let amounts: JSONValue = ["total": ["value": .number(.init(minor)), "currency": "USD"]]
            let references: JSONValue = [
                "gatewayTransaction": .string("g-\(number)"), "merchant": .string(merchant), "terminal": "4400",
            ]
            let answer = try await post(
                "/v1/events",
                [
                    "stream": .string("transaction/0198c1c2-6a00-7000-8000-00000000\(digits)"),
                    "events": [
                        event("SaleRequested", ["amounts": amounts, "references": references]),
                        event(
                            "AuthorizationApproved",
                            ["amounts": amounts, "evidence": "gateway", "response": [:], "references": references]
                        ),
                        event(
                            "Captured",
                            [
                                "id": "sale", "amounts": amounts, "evidence": "gateway", "response": [:],
                                "references": references, "batch": ["vendor": "dejavoo", "account": "4400"],
                            ]
                        ),
                    ],
                ]
            )
            try #require(answer.status == 201, "\(answer.body)")
        }

        /// Voids a random sale.
        mutating func void() async throws {
            guard let sale = sales.randomElement(using: &random) else { return }
            let answer = try await post(
                "/v1/events",
                [
                    "stream": .string("transaction/0198c1c2-6a00-7000-8000-00000000\(1000 + sale.number)"),
                    "events": [
                        [
                            "type": "Voided", "schema": 1, "occurredAt": "2026-03-08T12:00:00Z",
                            "data": ["evidence": "gateway", "response": [:], "references": [:]],
                        ]
                    ],
                ]
            )
            try #require(answer.status < 500, "\(answer.body)")
        }

        /// Imports a file with lines for some of the sales, some of them wrong, and a payout.
        mutating func settle(merchant: String = "8846") async throws {
            files += 1
            var rows: [String] = []
            for sale in sales where Bool.random(using: &random) {
                let wrong: Int64 = Int.random(in: 0..<5, using: &random) == 0 ? 5 : 0
                let amount =
                    "\((sale.minor + wrong) / 100).\((sale.minor + wrong) % 100 / 10)\((sale.minor + wrong) % 10)"
                rows.append(
                    "sale,USD,\(amount),,\(amount),g-\(sale.number),2026-03-0\(sale.day),\(merchant),po-\(files)"
                )
            }
            rows.append("sale,USD,9.\(10 + files),,9.\(10 + files),x-\(files),2026-03-09,\(merchant),po-\(files)")
            rows.append(
                "payout,USD,-50.\(10 + files),,-50.\(10 + files),po-\(files),2026-03-02,\(merchant),po-\(files)"
            )
            try await importFile("type,currency,gross,fee,net,processor_id,day,merchant,payout", rows)
        }

        func importFile(_ heading: String, _ rows: [String]) async throws {
            let text = ([heading] + rows).map { $0 + "\n" }.joined()
            let answer = try await caller.send("POST", "/v1/statements", ["Content-Type": "text/csv"], body: text)
            try #require(answer.status == 201, "\(answer.body)")
        }

        func reconcile() async throws {
            let answer = try await caller.send("POST", "/v1/reconciliations")
            try #require(answer.status == 201, "\(answer.body)")
        }

        /// Proposes or changes something about a random open exception.
        mutating func work() async throws {
            let open = try await caller.get("/v1/exceptions?open=true").json["items"]?.array ?? []
            guard let id = open.randomElement(using: &random)?["id"]?.string else { return }
            let path = "/v1/exceptions/\(id)"
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                let answer = try await post("\(path)/assign", ["assignee": "dana", "reason": "she knows"])
                try #require(answer.status == 201, "\(answer.body)")
            case 1:
                _ = try await post("\(path)/resolve", ["resolution": ["kind": "written-off"], "reason": "old"])
            default:
                _ = try await post("\(path)/resolve", ["resolution": ["kind": "timing"], "reason": "it will come"])
                let body: JSONValue = ["reason": "agreed"]
                _ = try await other.send("POST", "\(path)/approve", PastReportTests.fields, body: body.text)
            }
        }

        func describe(_ zone: String, _ cutoff: String) async throws {
            let body: JSONValue = ["zone": .string(zone), "cutoff": .string(cutoff), "reason": "stated by the owner"]
            let answer = try await caller.send("PUT", "/v1/merchants/8846", PastReportTests.fields, body: body.text)
            try #require(answer.status == 201 || answer.status == 200, "\(answer.body)")
        }

        mutating func goOn() async throws {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                let (day, hour) = (Int.random(in: 1...4, using: &random), Int.random(in: 0...23, using: &random))
                try await sell(day: day, hour: hour, minor: Int64.random(in: 100...9_999, using: &random))
            case 3: try await void()
            case 4, 5: try await settle()
            case 6, 7: try await reconcile()
            case 8: try await describe(Bool.random(using: &random) ? "America/New_York" : "Asia/Tokyo", "04:00")
            default: try await work()
            }
        }
    }

    /// The report without its time of creation.
    private static func figures(_ answer: Answer) throws -> JSONObject {
        try #require(answer.status == 200, "\(answer.body)")
        var object = try #require(try answer.json.object)
        object["madeAt"] = nil
        return object
    }

    private static let scopes = [
        "", "&merchant=8846", "&merchant=8846&from=2026-03-02&to=2026-03-02", "&to=2026-03-03", "&from=2026-03-03",
    ]

    @Test(arguments: [UInt64(1), 2, 3]) func aPastReportDoesNotChange(seed: UInt64) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            let other = try await api.caller([.read, .reconcile])
            var story = Story(api, caller, other, seed: seed)
            var reported: [(path: String, figures: JSONObject)] = []
            for _ in 0..<14 {
                try await story.goOn()
                let head = try await api.ledger.reader.head()
                for scope in Self.scopes {
                    let path = "/v1/reconciliation-report?as_of_position=\(head)\(scope)"
                    let figures = try Self.figures(try await caller.get(path))
                    #expect(figures["asOfPosition"]?.int64 == head)
                    reported.append((path, figures))
                    // The current report is the same, except for ages.
                    var present = try Self.figures(
                        try await caller.get("/v1/reconciliation-report?min_position=\(head)\(scope)")
                    )
                    var past = figures
                    for member in ["exceptions", "asOf"] { (present[member], past[member]) = (nil, nil) }
                    #expect(present == past, "\(path)")
                }
            }
            for (path, figures) in reported {
                let again = try Self.figures(try await caller.get(path))
                #expect(
                    again == figures,
                    "seed \(seed): \(path)\n\(JSONValue.object(again))\n\(JSONValue.object(figures))"
                )
            }
            let csv = try await caller.get(reported[0].path, ["Accept": "text/csv"])
            #expect(csv.body.contains("report,,as-of-position,,\(reported[0].figures["asOfPosition"]?.text ?? "-")"))
            let html = try await caller.get(reported[0].path, ["Accept": "text/html"])
            #expect(html.body.contains("As of position \(reported[0].figures["asOfPosition"]?.text ?? "-")"))
            let both = "/v1/reconciliation-report?as_of_position=1&as_of=2026-03-01T00:00:00Z"
            #expect(try await caller.get(both).status == 400)
            let before = try await caller.get("/v1/reconciliation-report?as_of=2020-03-01T00:00:00Z").json
            #expect(before["asOfPosition"] == 0 && before["balances"] == [] && before["covers"] == nil)
        }
    }

    /// The figures of a closed day are those of the report at its position, in the merchant's zone.
    @Test func aClosedDayIsTheReportOfItsPosition() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            var story = Story(api, caller, caller, seed: 1)
            try await story.describe("America/New_York", "04:00")
            // In New York, the second sale is in the evening of 1 March, and the third on the next business day.
            try await story.sell(day: 1, hour: 18, minor: 1000)
            try await story.sell(day: 2, hour: 3, minor: 2500)
            try await story.sell(day: 2, hour: 12, minor: 700)
            try await story.importFile(
                "type,currency,gross,fee,net,processor_id,day,merchant",
                ["sale,USD,10.00,,10.00,g-1,2026-03-01,8846", "sale,USD,1.00,,1.00,g-9,2026-03-08,8846"]
            )
            try await story.reconcile()
            let closing: JSONValue = ["merchant": "8846", "day": "2026-03-01", "reason": "the month is over"]
            let closed = try await caller.send("POST", "/v1/periods", Self.fields, body: closing.text)
            #expect(closed.status == 201, "\(closed.body)")
            let frozen = try closed.json
            let position = try #require(frozen["position"]?.int64)
            #expect(frozen["totals"]?[0]?["net"]?["value"] == 3500)
            #expect(frozen["carried"]?.array?.count == 1)
            #expect(frozen["carried"]?[0]?["class"] == "missing-at-processor" && frozen["carried"]?[0]?["count"] == 1)

            // A line arrives after the closing.
            try await story.importFile(
                "type,currency,gross,fee,net,processor_id,day,merchant",
                ["sale,USD,25.00,,25.00,g-2,2026-03-02,8846"]
            )
            try await story.sell(day: 1, hour: 20, minor: 4444)
            try await story.reconcile()
            try await story.describe("Asia/Tokyo", "00:00")

            let path = "/v1/reconciliation-report?merchant=8846&to=2026-03-01&as_of_position=\(position)"
            let day = try await caller.get("\(path)&from=2026-03-01").json
            #expect(day["zone"] == "America/New_York" && day["cutoff"] == "04:00")
            #expect(day["balances"]?[0]?["ledger"] == frozen["totals"]?[0]?["net"])
            let open = (try await caller.get(path).json["exceptions"]?.array ?? []).map { share -> JSONValue in
                [
                    "class": share["class"] ?? .null, "count": share["open"] ?? .null,
                    "currency": share["currency"] ?? .null, "amount": share["openAmount"] ?? .null,
                ]
            }
            let carried = (frozen["carried"]?.array ?? []).map { share -> JSONValue in
                [
                    "class": share["class"] ?? .null, "count": share["count"] ?? .null,
                    "currency": share["currency"] ?? .null, "amount": share["amount"] ?? .null,
                ]
            }
            #expect(open == carried)
            let now = try await caller.get("/v1/reconciliation-report?merchant=8846&to=2026-03-01").json
            #expect(now["zone"] == "Asia/Tokyo" && now["balances"] != day["balances"])
        }
    }
}
