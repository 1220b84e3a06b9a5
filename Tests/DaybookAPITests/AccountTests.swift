import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Tables
import Testing

/// Accounts of the journal and their statements over HTTP.
@Suite struct AccountTests {
    private static let path = "/v1/accounts"

    /// Serves a ledger with a payment of every sample document.
    private func serve(_ body: @escaping @Sendable (TestAPI, Caller) async throws -> Void) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            for sample in try Sample.all() { _ = try await caller.take(sample.vendor, sample.record) }
            try await api.ledger.catchUp()
            try await body(api, caller)
        }
    }

    /// The amounts of a list by currency, without zeros: a debit is positive.
    private func sums(_ amounts: JSONValue?) -> [String: Int64] {
        var sums: [String: Int64] = [:]
        for money in amounts?.array ?? [] {
            sums[money["currency"]?.string ?? "", default: 0] += money["value"]?.int64 ?? 0
        }
        return sums.filter { $0.value != 0 }
    }

    /// The balances of an account in a trial balance, by currency.
    private func trialBalance(_ account: String, _ query: String, _ caller: Caller) async throws -> [String: Int64] {
        let rows = try await caller.get("/v1/trial-balance?account=\(account)\(query)").json["items"]?.array ?? []
        var sums: [String: Int64] = [:]
        for row in rows {
            let side = (row["debit"]?["value"]?.int64 ?? 0) - (row["credit"]?["value"]?.int64 ?? 0)
            sums[row["currency"]?.string ?? ""] = side
        }
        return sums
    }

    private func sell(_ caller: Caller) async throws {
        let total = #"{"total":{"value":1340,"currency":"USD"}}"#
        let report = #""evidence":"gateway","response":{},"references":{}"#
        let events = [("SaleRequested", #""references":{}"#), ("Captured", #""id":"sale",\#(report)"#)].map {
            #"{"type":"\#($0)","schema":1,"occurredAt":"2026-03-01T12:00:00Z","data":{"amounts":\#(total),\#($1)}}"#
        }
        let stream = "transaction/01970000-0000-7000-8000-000000000001"
        let record = #"{"stream":"\#(stream)","events":[\#(events.joined(separator: ","))]}"#
        let answer = try await caller.send("POST", "/v1/events", ["Content-Type": "application/json"], body: record)
        #expect(answer.status == 201, "\(answer.body)")
    }

    @Test func statementsEqualTheTrialBalance() async throws {
        try await serve { api, caller in
            let accounts = try #require(try await caller.get(Self.path).json["items"]?.array)
            let head = try await api.ledger.reader.head()
            var listed = 0
            for account in accounts {
                let name = try #require(account["account"]?.string)
                let now = try await trialBalance(name, "", caller)
                #expect(sums(account["balances"]) == now)
                for (query, opening, closing) in [
                    ("", "&as_of_position=0", ""),
                    (
                        "&after_position=\(head / 3)&as_of_position=\(head / 2)", "&as_of_position=\(head / 3)",
                        "&as_of_position=\(head / 2)"
                    ),
                ] {
                    let statement = try await caller.get("\(Self.path)/\(name)/statement?limit=1000\(query)").json
                    let (before, after) = (
                        try await trialBalance(name, opening, caller), try await trialBalance(name, closing, caller)
                    )
                    #expect(sums(statement["opening"]) == before, "\(name) \(query)")
                    #expect(sums(statement["closing"]) == after, "\(name) \(query)")
                    var running = before
                    for entry in statement["items"]?.array ?? [] {
                        let currency = entry["amount"]?["currency"]?.string ?? ""
                        running[currency, default: 0] += entry["amount"]?["value"]?.int64 ?? 0
                        #expect(entry["balance"]?["value"]?.int64 == running[currency])
                        listed += 1
                    }
                    #expect(running.filter { $0.value != 0 } == after)
                }
            }
            #expect(listed > 20, "the samples move money")
        }
    }

    /// Pages, NDJSON and CSV have the same entries, also while others append.
    @Test func pagesAreOfOnePosition() async throws {
        try await serve { _, caller in
            let statement = "\(Self.path)/sales/statement"
            let lines = try await caller.get(statement, ["Accept": "application/x-ndjson"]).lines
            let whole = try lines.map { try JSONValue(parsing: $0.utf8) }
            #expect(whole.count > 3)
            let rows = try await CSVReader.rows(caller.get(statement, ["Accept": "text/csv"]).body.utf8, .raw)
            #expect(rows.count == whole.count + 1)
            var items: [JSONValue] = []
            var cursor = ""
            var closing: JSONValue?
            repeat {
                let page = try await caller.get("\(statement)?limit=2\(cursor)").json
                items += page["items"]?.array ?? []
                if let closing { #expect(page["closing"] == closing) }
                closing = page["closing"]
                cursor = page["next"]?.string.map { "&cursor=\($0)" } ?? ""
                if items.count == 2 { try await sell(caller) }
            } while !cursor.isEmpty
            #expect(items == whole)
            #expect(try await caller.get(statement, ["Accept": "application/x-ndjson"]).lines.count == whole.count + 1)
        }
    }

    @Test func otherRequestsAreRefused() async throws {
        try await serve { api, caller in
            for (target, status, code) in [
                ("\(Self.path)/cash/statement", 404, "not-found"), ("\(Self.path)/Sales/statement", 404, "not-found"),
                ("\(Self.path)/sales/statement?account=bank", 400, "unknown-parameter"),
                ("\(Self.path)/sales/statement?after_position=-1", 400, "invalid-parameter"),
                ("\(Self.path)/sales/statement?from_day=2026-02-30", 400, "invalid-parameter"),
                ("\(Self.path)/sales/statement?cursor=c1~0", 400, "invalid-cursor"),
                ("\(Self.path)/sales/statement?cursor=c1.zzzzzz~1", 400, "invalid-cursor"),
                ("\(Self.path)?account=sales", 400, "unknown-parameter"),
            ] {
                let answer = try await caller.get(target)
                #expect(answer.status == status && answer.code == code, "\(target): \(answer.body)")
            }
            let stranger = try await api.caller([.read], tenant: "other")
            let empty = try await stranger.get("\(Self.path)/sales/statement").json
            #expect(empty["items"] == [] && empty["closing"] == [])
        }
    }
}
