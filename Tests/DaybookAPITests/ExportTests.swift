import Access
import Canonical
import Composition
import DaybookTestKit
import Payments
import Tables
import Testing

/// Whole lists, as NDJSON and as CSV.
@Suite struct ExportTests {
    private static let hostile = [
        "=1+1", "+49 30", "-1", "@x", "\"quoted\", with a comma", "two\nlines", "007", "4711000000000000123", "שלום",
        "\u{1F468}\u{200D}\u{1F469}", "'apostrophe", "plain",
    ]
    private static let count = 1100

    /// Records sales for two pages, with unusual invoice numbers.
    private func sell(_ caller: Caller) async throws -> String {
        let lines = (0..<Self.count).map { number -> String in
            let id = String(number, radix: 16)
            let stream = "transaction/01970000-0000-7000-8000-" + String(repeating: "0", count: 12 - id.count) + id
            let invoice = Self.hostile[number % Self.hostile.count]
            let total = #"{"total":{"value":\#(100 + number),"currency":"USD"}}"#
            func event(_ type: String, _ data: String) -> String {
                #"{"type":"\#(type)","schema":1,"occurredAt":"2026-03-01T12:00:00Z","data":\#(data)}"#
            }
            let references = JSONValue.object(["invoice": .string(invoice)]).text
            let evidence = #""evidence":"gateway","response":{},"references":{}"#
            let events = [
                event("SaleRequested", #"{"amounts":\#(total),"references":\#(references)}"#),
                event("AuthorizationApproved", #"{"amounts":\#(total),\#(evidence)}"#),
                event("Captured", #"{"id":"sale","amounts":\#(total),\#(evidence)}"#),
            ]
            return #"{"stream":"\#(stream)","events":[\#(events.joined(separator: ","))]}"#
        }
        let answer = try await caller.send(
            "POST",
            "/v1/events",
            ["Content-Type": "application/x-ndjson"],
            body: lines.joined(separator: "\n") + "\n"
        )
        #expect(answer.status == 200)
        #expect(answer.lines.count == Self.count)
        let head = try await caller.get("/v1/log").json["position"]?.int64
        return "min_position=\(try #require(head))"
    }

    /// The NDJSON of a list equals its pages, and its CSV has a row for each item.
    @Test func everyListIsWrittenInEveryForm() async throws {
        try await TestAPI.serve(clock: ManualClock()) { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .audit])
            var payment = ""
            for sample in try Sample.all() {
                let answer = try await caller.take(sample.vendor, sample.record)
                payment = answer["transaction"]?.string ?? payment
            }
            // One sale is in doubt.
            let doubtful = try Sample.named("MSR sale").with("body", "BridgeCommResponse", "responseCode", as: "30022")
                .with("body", "BridgeCommResponse", "gatewayTransactionID", as: "99")
                .with("body", "BridgeCommResponse", "originalReferenceNumber", as: "")
                .with("body", "BridgeCommResponse", "networkReferenceNumber", as: "")
            _ = try await caller.take("bridgepay", doubtful.record)
            let head = try await api.events().count
            try await api.ledger.catchUp()
            let batch = try #require(
                try await caller.get("/v1/batches?min_position=\(head)").json["items"]?.array?.last?["id"]?.string
            )
            _ = try await caller.get("/v1/anomalies?min_position=\(head)")
            let lists = [
                "/v1/transactions", "/v1/transactions/\(payment)/events", "/v1/batches", "/v1/batches/\(batch)/members",
                "/v1/batches/\(batch)/totals?by=brand,clerk", "/v1/batches/\(batch)/changes?from_position=0",
                "/v1/totals?by=day,merchant,currency", "/v1/totals/changes", "/v1/anomalies", "/v1/doubts",
                "/v1/duplicates?window=604800", "/v1/readers", "/v1/checkouts", "/v1/events",
            ]
            var empty: Set<String> = []
            for list in lists {
                let items = try #require(try await caller.get(list).json["items"]?.array, "\(list)")
                if items.isEmpty { empty.insert(list) }
                let lines = try await caller.get(list, ["Accept": "application/x-ndjson"])
                #expect(lines.status == 200 && lines.fields["vary"] == "Accept, Accept-Encoding", "\(list)")
                // The feed is exported as record lines.
                if list != "/v1/events" {
                    #expect(try lines.lines.map { try JSONValue(parsing: $0.utf8) } == items, "\(list)")
                }
                #expect(lines.lines.count == items.count, "\(list)")
                let csv = try await caller.get(list, ["Accept": "text/csv"])
                let rows = try CSVReader.rows(csv.body.utf8, .raw)
                #expect(rows.count == items.count + 1, "\(list)")
                let heading = rows[0].compactMap(\.self)
                #expect(Set(heading).count == heading.count && !heading.contains(""), "\(list)")
                // Every column takes a value from the item. A table with only empty columns belongs to another list.
                #expect(rows.dropFirst().allSatisfy { $0.contains { $0?.isEmpty == false } }, "\(list)")
                let separator = list.contains("?") ? "&" : "?"
                let one = try await caller.get("\(list)\(separator)columns=\(heading[0])", ["Accept": "text/csv"])
                #expect(try CSVReader.rows(one.body.utf8, .raw).map(\.count) == rows.map { _ in 1 }, "\(list)")
                #expect(try await caller.get("\(list)\(separator)columns=x").code == "invalid-parameter", "\(list)")
            }
            #expect(empty.isSubset(of: ["/v1/readers", "/v1/checkouts", "/v1/duplicates?window=604800"]), "\(empty)")
        }
    }

    @Test func exportsContainWhatTheDatabaseHas() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .audit])
            let position = try await sell(caller)
            let list = "/v1/transactions"
            let lines = try await caller.get("\(list)?\(position)", ["Accept": "application/x-ndjson"])
            #expect(lines.fields["vary"] == "Accept, Accept-Encoding")
            #expect(lines.lines.count == Self.count)
            // The pages have the same items in the same order.
            var pages: [JSONValue] = []
            var cursor = ""
            repeat {
                let page = try await caller.get("\(list)?limit=400\(cursor)").json
                pages += page["items"]?.array ?? []
                cursor = page["next"]?.string.map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty
            #expect(try lines.lines.map { try JSONValue(parsing: $0.utf8) } == pages)
            let sum = try await TestDatabase.psql(
                "SELECT sum(amount) FROM read_transactions.transactions",
                at: api.url
            )
            for dialect in CSVDialect.allCases {
                let columns = "id,captured,captured_decimal,currency,invoice"
                let target = "\(list)?dialect=\(dialect.rawValue)&columns=\(columns)"
                let csv = try await caller.get(target, ["Accept": "text/csv"])
                #expect(csv.fields["content-type"] == "text/csv; charset=utf-8; header=present")
                #expect(csv.fields["content-disposition"] == "attachment; filename=\"transactions.csv\"")
                let rows = try CSVReader.rows(csv.body.utf8, dialect)
                #expect(rows.first == columns.split(separator: ",").map { String($0) })
                #expect(rows.dropFirst().map { $0[0] } == pages.map { $0["id"]?.string })
                #expect(rows.dropFirst().map { $0[4] } == pages.map { $0["references"]?["invoice"]?.string })
                let figures = rows.dropFirst().compactMap { $0[1].flatMap { Int64($0) } }
                #expect(String(figures.reduce(0, +)) == sum.trimmingCharacters)
                let decimals = try rows.dropFirst().compactMap { row in
                    try row[2].map { try Money.parse(decimal: $0, currency: .usd).value }
                }
                #expect(decimals == figures)
            }
        }
    }

    /// Compression does not change an answer.
    @Test func compressedListsAreTheSame() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .audit])
            let position = try await sell(caller)
            let asking = ["Accept-Encoding": "gzip, deflate, br"]
            for (path, type) in [
                ("/v1/events", "application/x-ndjson"), ("/v1/transactions?\(position)", "application/x-ndjson"),
                ("/v1/transactions?\(position)", "text/csv"),
                ("/v1/transactions?\(position)&limit=50", "application/json"),
                ("/v1/openapi.json", "application/json"),
            ] {
                let plain = try await caller.get(path, ["Accept": type])
                let compressed = try await caller.get(path, asking.merging(["Accept": type]) { $1 })
                #expect(plain.fields["content-encoding"] == nil, "\(path)")
                #expect(compressed.fields["content-encoding"] == "gzip", "\(path)")
                #expect(compressed.response.bytes == plain.response.bytes, "\(path)")
                #expect(plain.response.bytes.count > 1024, "\(path)")
            }
            let first = try #require(try await caller.get("/v1/transactions?limit=1").json["items"]?[0]?["id"]?.string)
            let payment = try await caller.get("/v1/transactions/\(first)", asking)
            let again = asking.merging(["If-None-Match": try #require(payment.fields["etag"])]) { $1 }
            let unchanged = try await caller.get("/v1/transactions/\(first)", again)
            #expect(unchanged.status == 304 && unchanged.fields["vary"] == "Accept-Encoding")
            #expect(payment.fields["vary"] == "Accept-Encoding")
        }
    }

    @Test func everyListIsExported() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .audit])
            for sample in try Sample.all() { _ = try await caller.post(sample.vendor, sample.record) }
            let head = try #require(try await caller.get("/v1/log").json["position"]?.int64)
            try await api.ledger.catchUp()
            let batches = try await caller.get("/v1/batches?min_position=\(head)").json["items"]?.array ?? []
            let batch = try #require(
                batches.first { $0["totals"]?.array?.isEmpty == false }?["id"]?.string
            )
            _ = try await caller.get("/v1/transactions?min_position=\(head)")
            _ = try await caller.get("/v1/readers?min_position=\(head)")
            for list in ["transactions", "batches", "readers", "events", "batches/\(batch)/members"] {
                let path = "/v1/\(list)"
                let items = try await caller.get("\(path)?limit=1000").json["items"]?.array ?? []
                let lines = try await caller.get(path, ["Accept": "application/x-ndjson"]).lines
                #expect(try lines.map { try JSONValue(parsing: $0.utf8) } == items, "\(list)")
                let csv = try await caller.get(path, ["Accept": "text/csv;q=0.9, text/html;q=0.1"])
                #expect(try CSVReader.rows(csv.body.utf8, .raw).count == items.count + 1, "\(list)")
                guard items.count > 1 else { continue }
                let some = try await caller.get("\(path)?limit=1", ["Accept": "text/csv"])
                #expect(try CSVReader.rows(some.body.utf8, .raw).count == 2)
                #expect(try await caller.get(path, ["Accept": "application/pdf"]).status == 406)
            }
        }
    }

    @Test func filtersApplyToExports() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            for sample in try Sample.all() { _ = try await caller.post(sample.vendor, sample.record) }
            let found = try await eventually {
                try await caller.get("/v1/transactions?vendor=dejavoo").json["items"]?.array ?? []
            } is: {
                $0.count == 2
            }
            let csv = try await caller.get("/v1/transactions?vendor=dejavoo&columns=id", ["Accept": "text/csv"])
            #expect(csv.body == "id\n" + found.compactMap { $0["id"]?.string }.map { "\($0)\n" }.joined())
            for query in ["columns=nothing", "columns=id,id", "columns=", "dialect=tsv"] {
                #expect(try await caller.get("/v1/transactions?\(query)").code == "invalid-parameter", "\(query)")
            }
        }
    }
}

extension String {
    /// The output of `psql`, without its last newline.
    fileprivate var trimmingCharacters: String { String(prefix { $0.isNumber }) }
}
