import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Journal
import Payments
import Testing

/// The chart of accounts over HTTP.
@Suite struct ChartTests {
    private static let path = "/v1/chart"
    private static let json = ["Content-Type": "application/json"]
    private static let revenue = """
        [{"account":"sales","name":"Card sales","number":"4000"},
        {"account":"refunds","root":"Income","name":"Card sales","number":"4000"}]
        """

    /// Serves a ledger with a payment of every sample document.
    private func serve(_ body: @escaping @Sendable (TestAPI, Caller) async throws -> Void) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            for sample in try Sample.all() { _ = try await caller.take(sample.vendor, sample.record) }
            try await body(api, caller)
        }
    }

    private func define(
        _ accounts: String,
        _ more: String = "",
        key: String? = nil,
        as caller: Caller
    ) async throws -> Answer {
        var fields = Self.json
        fields["Idempotency-Key"] = key
        let body = #"{"accounts":\#(accounts),"reason":"as agreed; 4111111111111111"\#(more)}"#
        return try await caller.send("PUT", Self.path, fields, body: body)
    }

    private func place(_ account: String, _ chart: JSONValue) -> JSONValue? {
        chart["accounts"]?.array?.first { $0["account"]?.string == account }
    }

    @Test func versionsAreDefinedAndKept() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            let standard = try await caller.get(Self.path).json
            #expect(standard["version"] == 0 && standard["position"] == nil && standard["reason"] == nil)
            #expect(standard["accounts"]?.array?.count == Account.allCases.count)
            #expect(place("sales", standard)?["name"] == "Sales")

            let first = try await define(Self.revenue, key: "k-1", as: caller)
            #expect(first.status == 201, "\(first.body)")
            #expect(try first.json["version"] == 1 && place("refunds", first.json)?["root"] == "Income")
            #expect(try first.json["reason"]?.string?.contains("4111111111111111") == false)
            let position = try #require(try first.json["position"]?.int64)
            #expect(first.fields["daybook-position"] == String(position))
            #expect(try await caller.get(Self.path).json == first.json)
            let again = try await define(Self.revenue, key: "k-1", as: caller)
            #expect(try again.json == first.json && again.fields["idempotency-replayed"] == "true")
            #expect(try await define("[]", key: "k-1", as: caller).code == "idempotency-mismatch")

            // The next version replaces all of it.
            let fees = #"[{"account":"fees","name":"Fees & charges"}]"#
            let second = try await define(fees, #","expectedVersion":1"#, as: caller)
            #expect(try second.json["version"] == 2 && place("sales", second.json)?["name"] == "Sales")
            let late = try await define("[]", #","expectedVersion":1"#, as: caller)
            #expect(late.status == 409 && late.code == "version-conflict")
            for (version, chart) in [standard, try first.json, try second.json].enumerated() {
                #expect(try await caller.get("\(Self.path)?version=\(version)").json == chart)
            }
            #expect(try await caller.get("\(Self.path)?version=3").status == 404)
            #expect(try await caller.get("\(Self.path)?version=-1").code == "invalid-parameter")
            let stranger = try await api.caller([.read], tenant: "other")
            #expect(try await stranger.get(Self.path).json == standard)
        }
    }

    @Test(arguments: [
        (#"{}"#, "invalid-chart", "/accounts"), (#"[1]"#, "invalid-chart", "/accounts/0"),
        (#"[{"account":"sales","parent":"x"}]"#, "invalid-chart", "/accounts/0"),
        (#"[{"account":"sales","name":4}]"#, "invalid-chart", "/accounts/0/name"),
        (#"[{"name":"x"}]"#, "unknown-account", "/accounts/0/account"),
        (#"[{"account":"cash"}]"#, "unknown-account", "/accounts/0/account"),
        (#"[{"account":"sales","root":"Sales"}]"#, "unknown-root", "/accounts/0/root"),
        (#"[{"account":"sales"},{"account":"sales"}]"#, "repeated-entry", "/accounts/1/account"),
        (#"[{"account":"sales","name":"a:b"}]"#, "invalid-account-name", "/accounts/0/name"),
        (#"[{"account":"sales","number":"4.000"}]"#, "invalid-account-number", "/accounts/0/number"),
        (#"[{"account":"sales","name":"Bank"}]"#, "duplicate-account-name", "/accounts/0/name"),
        (#"[{"account":"sales","number":"1120"}]"#, "duplicate-account-number", "/accounts/0/number"),
        (#"[{"account":"sales","name":"4111111111111111"}]"#, "card-data", "/accounts/0/name"),
    ])
    func otherChartsAreRefused(_ accounts: String, _ code: String, _ pointer: String) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            let answer = try await define(accounts, as: caller)
            #expect(answer.status == 422 && answer.code == code, "\(answer.body)")
            #expect(try answer.json["pointer"]?.string == pointer)
            #expect(try await api.events().allSatisfy { $0.type != "ChartDefined" })
        }
    }

    @Test func scopesAndBodiesAreChecked() async throws {
        try await TestAPI.serve { api in
            let reader = try await api.caller([.read])
            #expect(try await define("[]", as: reader).code == "insufficient-scope")
            let caller = try await api.caller([.read, .reconcile])
            for body in [#"{"accounts":[]}"#, #"{"accounts":[],"reason":"x","name":"y"}"#, "[]"] {
                let answer = try await caller.send("PUT", Self.path, Self.json, body: body)
                #expect(answer.status == 400 && answer.code == "malformed-record", "\(body): \(answer.body)")
            }
        }
    }

    /// Lists show the names of the chart in force, and of the past the ones of then.
    @Test func listsShowNamesAndNumbers() async throws {
        try await serve { api, caller in
            let before = try await api.ledger.reader.head()
            #expect(try await define(Self.revenue, as: caller).status == 201)
            try await api.ledger.catchUp()
            for (target, name, number) in [
                ("/v1/trial-balance?account=sales", "Card sales", "4000"),
                ("/v1/trial-balance?account=sales&as_of_position=\(before)", "Sales", "4100"),
            ] {
                let item = try await caller.get(target).json["items"]?[0]
                #expect(item?["name"]?.string == name && item?["number"]?.string == number, "\(target)")
            }
            let days = try await caller.get("/v1/trial-balance?account=sales&by=day").json["items"]?[0]
            #expect(days != nil && days?["name"] == nil)
            let accounts = try await caller.get("/v1/accounts").json["items"]?.array
            let refunds = accounts?.first { $0["account"] == "refunds" }
            #expect(refunds?["name"] == "Card sales" && refunds?["kind"] == "expense")
            let statement = try await caller.get("/v1/accounts/sales/statement").json
            #expect(statement["name"] == "Card sales" && statement["number"] == "4000")
        }
    }

    /// An export has the names of its version for ever; the next one of the series has the new ones, and declares them.
    @Test(arguments: ExportFormat.allCases)
    func exportsKeepTheirNames(_ format: ExportFormat) async throws {
        try await serve { api, caller in
            func export() async throws -> (id: String, chart: Int64?, bytes: [UInt8], text: String) {
                let answer = try await caller.send(
                    "POST",
                    "/v1/journal-exports",
                    Self.json,
                    body: #"{"format":"\#(format.rawValue)"}"#
                )
                let id = try #require(try answer.json["id"]?.string, "\(answer.body)")
                let file = try await caller.get("/v1/journal-exports/\(id)/file")
                return (id, try answer.json["chart"]?.int64, file.response.bytes, file.body)
            }
            let names =
                switch format {
                case .beancount, .hledger: (old: "Income:Sales", new: "Income:Card-sales")
                case .quickbooks: (old: ",Sales", new: ",Card sales")
                case .xero: (old: ",4100,", new: ",4000,")
                }
            let first = try await export()
            #expect(first.chart == 0 && first.text.contains(names.old) && !first.text.contains(names.new))
            #expect(try await define(Self.revenue, as: caller).status == 201)
            try await sell(caller)
            let second = try await export()
            #expect(second.chart == 1 && second.text.contains(names.new) && !second.text.contains(names.old))
            #expect(try await define("[]", as: caller).status == 201)
            for earlier in [first, second] {
                let file = try await caller.get("/v1/journal-exports/\(earlier.id)/file")
                #expect(file.response.bytes == earlier.bytes)
            }
        }
    }

    private func sell(_ caller: Caller) async throws {
        let total = #"{"total":{"value":1340,"currency":"USD"}}"#
        let report = #""evidence":"gateway","response":{},"references":{}"#
        let events = [("SaleRequested", #""references":{}"#), ("Captured", #""id":"sale",\#(report)"#)].map {
            #"{"type":"\#($0)","schema":1,"occurredAt":"2026-03-01T12:00:00Z","data":{"amounts":\#(total),\#($1)}}"#
        }
        let stream = "transaction/01970000-0000-7000-8000-000000000001"
        let record = #"{"stream":"\#(stream)","events":[\#(events.joined(separator: ","))]}"#
        let answer = try await caller.send("POST", "/v1/events", Self.json, body: record)
        #expect(answer.status == 201, "\(answer.body)")
    }
}
