import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Journal
import Payments
import Projections
import Tables
import Testing

/// Exports of the journal over HTTP.
@Suite struct JournalExportTests {
    private static let json = ["Content-Type": "application/json"]
    private static let path = "/v1/journal-exports"

    /// Serves a ledger with a payment of every sample document.
    private func serve(_ body: @escaping @Sendable (TestAPI, Caller) async throws -> Void) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            for sample in try Sample.all() { _ = try await caller.take(sample.vendor, sample.record) }
            try await body(api, caller)
        }
    }

    private func export(_ body: String, _ caller: Caller, key: String? = nil) async throws -> Answer {
        var fields = Self.json
        fields["Idempotency-Key"] = key
        return try await caller.send("POST", Self.path, fields, body: body)
    }

    /// A further sale, whose number is part of its id.
    private func sell(_ number: Int, _ caller: Caller) async throws {
        let total = #"{"total":{"value":1340,"currency":"USD"}}"#
        let report = #""evidence":"gateway","response":{},"references":{}"#
        let events = [("SaleRequested", #""references":{}"#), ("Captured", #""id":"sale",\#(report)"#)].map {
            #"{"type":"\#($0)","schema":1,"occurredAt":"2026-03-01T12:00:00Z","data":{"amounts":\#(total),\#($1)}}"#
        }
        let stream = "transaction/01970000-0000-7000-8000-00000000000\(number)"
        let record = #"{"stream":"\#(stream)","events":[\#(events.joined(separator: ","))]}"#
        let answer = try await caller.send("POST", "/v1/events", Self.json, body: record)
        #expect(answer.status == 201, "\(answer.body)")
    }

    @Test(arguments: ExportFormat.allCases)
    func filesContinueEachOther(_ format: ExportFormat) async throws {
        try await serve { api, caller in
            let body = #"{"format":"\#(format.rawValue)"}"#
            let first = try await export(body, caller)
            #expect(first.status == 201, "\(first.body)")
            let id = try #require(try first.json["id"]?.string)
            let file = "\(Self.path)/\(id)/file"
            #expect(first.fields["location"] == file)
            let written = try await caller.get(file)
            #expect(written.status == 200 && written.fields["content-type"] == format.mediaType)
            #expect(try first.json["bytes"]?.int64 == Int64(written.response.bytes.count))
            let digest = try #require(try first.json["sha256"]?.string)
            #expect(ReferenceKey.bounded(written.body, toBytes: 0) == "sha256:\(digest)")
            #expect(try first.json["after"] == 0 && first.json["since"] == 0)

            let nothing = try await export(body, caller)
            #expect(nothing.status == 409 && nothing.code == "nothing-to-export")
            try await sell(1, caller)
            let second = try await export(body, caller)
            #expect(try second.json["after"] == first.json["through"] && second.json["since"] == 0)
            #expect(try second.json["entries"] == 1 && second.json["legs"] == 2)
            // A file of another series.
            let other = try await export(#"{"format":"\#(format.rawValue)","after":1}"#, caller)
            #expect(try other.json["since"] == 1 && other.json["through"] != second.json["through"])

            // A rebuild, and everything that was recorded since, leave the bytes as they were.
            try await api.ledger.catchUp()
            _ = try await ProjectionRebuild(
                projection: JournalProjection(),
                pool: api.ledger.pool,
                reader: api.ledger.reader
            ).run(force: true)
            #expect(try await caller.get(file).response.bytes == written.response.bytes)
            let stranger = try await api.caller([.read], tenant: "other")
            #expect(try await stranger.get(file).status == 404)
        }
    }

    @Test func aRequestIsRecordedOnce() async throws {
        try await serve { _, caller in
            let first = try await export(#"{"format":"xero"}"#, caller, key: "march")
            try await sell(1, caller)
            let again = try await export(#"{"format":"xero"}"#, caller, key: "march")
            #expect(try again.status == 201 && again.json == first.json)
            #expect(again.fields["idempotency-replayed"] == "true" && first.fields["idempotency-replayed"] == nil)
            #expect(try await export(#"{"format":"hledger"}"#, caller, key: "march").code == "idempotency-mismatch")
            // Of two at once, one has the new entry.
            async let left = export(#"{"format":"xero"}"#, caller)
            async let right = export(#"{"format":"xero"}"#, caller)
            let statuses = try await [left, right].map(\.status)
            #expect(statuses.sorted() == [201, 409])
        }
    }

    @Test func exportsAreListed() async throws {
        try await serve { _, caller in
            var exports: [JSONValue] = []
            for format in ["xero", "beancount", "quickbooks"] {
                exports.insert(try await export(#"{"format":"\#(format)"}"#, caller).json, at: 0)
            }
            #expect(try await caller.get(Self.path).json["items"] == .array(exports))
            #expect(try await caller.get("\(Self.path)?format=xero").json["items"] == .array([exports[2]]))
            let position = try #require(exports[1]["position"]?.int64)
            let then = try await caller.get("\(Self.path)?as_of_position=\(position)").json["items"]
            #expect(then == .array([exports[1], exports[2]]))
            let lines = try await caller.get(Self.path, ["Accept": "application/x-ndjson"]).lines
            #expect(try lines.map { try JSONValue(parsing: $0.utf8) } == exports)
            let rows = try await CSVReader.rows(caller.get(Self.path, ["Accept": "text/csv"]).body.utf8, .raw)
            #expect(rows.count == 4 && rows[1].contains("quickbooks"))
            #expect(try await caller.get("\(Self.path)?format=ledger").code == "invalid-parameter")
        }
    }

    @Test func otherRequestsAreRefused() async throws {
        try await serve { api, caller in
            for (body, status, code) in [
                (#"{}"#, 400, "malformed-record"), (#"{"format":"ledger"}"#, 400, "malformed-record"),
                (#"{"format":"xero","after":-1}"#, 400, "malformed-record"),
                (#"{"format":"xero","through":null}"#, 400, "malformed-record"),
                (#"{"format":"xero","after":9,"through":8}"#, 400, "malformed-record"),
                (#"{"format":"xero","reason":"x"}"#, 400, "malformed-record"),
                (#"{"format":"xero","through":1000000}"#, 400, "position-beyond-end"),
                (#"{"format":"xero","after":1000000}"#, 400, "position-beyond-end"),
                (#"{"format":"xero","after":1,"through":1}"#, 409, "nothing-to-export"),
                (#"{"format":"xero","through":1}"#, 409, "nothing-to-export"),
            ] {
                let answer = try await export(body, caller)
                #expect(answer.status == status && answer.code == code, "\(body): \(answer.body)")
            }
            let reader = try await api.caller([.read])
            #expect(try await export(#"{"format":"xero"}"#, reader).code == "insufficient-scope")
            #expect(try await caller.get("\(Self.path)/01970000-0000-7000-8000-000000000001/file").status == 404)
            #expect(try await caller.get("\(Self.path)/1/file").status == 404)
            #expect(try await api.events().allSatisfy { $0.type != "JournalExported" })
        }
    }

    /// An entry that does not add up is refused, and a file that changed ends before its end.
    @Test func wrongEntriesAreNotExported() async throws {
        try await serve { api, caller in
            let exported = try await export(#"{"format":"beancount"}"#, caller)
            let file = try #require(exported.fields["location"])
            try await api.ledger.catchUp()
            let change = "UPDATE read_journal.entries SET amount = amount + 1 WHERE leg = 1"
            _ = try await TestDatabase.psql(change, at: api.url)
            let refused = try await export(#"{"format":"hledger"}"#, caller)
            #expect(refused.status == 500 && refused.code == "unbalanced-entry", "\(refused.body)")
            let client = try await RawClient.connect(port: api.port)
            await client.sendAnyway(caller.request("GET", file))
            await #expect(throws: (any Error).self) { try await client.readResponse() }
        }
    }
}
