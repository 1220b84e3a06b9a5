import Access
import Canonical
import DaybookTestKit
import Testing

/// What reports of readers make of the work on payments: `/v1/doubts` by reader, and `/v1/readers/rates`. Every answer
/// is checked against the OpenAPI document.
@Suite struct ReaderWorkTests {
    static func stream(_ number: Int) -> String { "transaction/\(id(number))" }
    static func id(_ number: Int) -> String { "0198c1c2-6a00-7000-8000-0000000000\(10 + number)" }

    static func reader(_ serial: String, _ details: JSONValue? = nil, names: JSONValue? = nil) -> JSONValue {
        var report: JSONObject = ["reader": ["vendor": "handpoint", "serial": .string(serial)], "response": [:]]
        report["details"] = details
        report["names"] = names
        return .object(report)
    }

    static func pending(_ value: String) -> JSONValue {
        [["name": "TransactionResultPending", "value": .string(value)]]
    }

    /// A sale at a reader, without an answer.
    static func doubt(at serial: String?) -> [JSONValue] {
        let begun = Reported.event("SaleRequested", ["amounts": Reported.total(500), "references": [:]])
        let lost = Reported.event("OutcomeUnknown", ["evidence": "reader", "response": [:], "references": [:]])
        guard let serial else { return [begun, lost] }
        return [begun, Reported.event("CardRequested", reader(serial)), lost]
    }

    @discardableResult
    static func append(_ events: [JSONValue], on stream: String, by caller: Caller) async throws -> Int64 {
        let taken = try await Reported.append(events, on: stream, by: caller)
        #expect(taken.status == 201, "\(taken.body)")
        return try #require(try taken.json["positions"]?.array?.last?.int64)
    }

    @Test func doubtsNameTheReaderAndTheResultThatItHolds() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.events, .read])
            let begun = try await Self.append(Self.doubt(at: "0123"), on: Self.stream(1), by: caller)
            try await Self.append(Self.doubt(at: "0456"), on: Self.stream(2), by: caller)
            try await Self.append(Self.doubt(at: nil), on: Self.stream(3), by: caller)
            let names: JSONValue = ["serial": "0123", "name": "counter"]
            let held = Self.reader("0123", Self.pending("true"), names: names)
            var last = try await Self.append(
                [Reported.event("ReaderStateChanged", held)],
                on: "reader/handpoint/0123",
                by: caller
            )
            func ids(_ query: String) async throws -> [String] {
                let found = try await caller.get("/v1/doubts?\(query)&min_position=\(last)").json["items"]?.array ?? []
                return found.compactMap { $0["transaction"]?.string }.sorted()
            }
            #expect(try await ids("limit=10") == [1, 2, 3].map(Self.id))
            for query in ["reader=0123", "reader=counter", "reader_holds_result=true", "reader=0123&sort=value"] {
                #expect(try await ids(query) == [Self.id(1)], "\(query)")
            }
            #expect(try await ids("reader_holds_result=false") == [2, 3].map(Self.id))
            #expect(try await ids("reader=0789") == [])
            #expect(try await ids("reader=0456&reader_holds_result=true") == [])
            #expect(try await caller.get("/v1/doubts?reader_holds_result=yes").code == "invalid-parameter")
            let totals = try await caller.get("/v1/doubts?reader_holds_result=true").json["totals"]
            #expect(totals?[0]?["count"] == 1)
            let path = "/v1/doubts/\(Self.id(1))"
            let one = try await caller.get("\(path)?min_position=\(last)").json["reader"]
            #expect(one?["vendor"] == "handpoint" && one?["serial"] == "0123" && one?["holdsResult"] == true)
            #expect(one?["remedy"]?.string?.contains("recover the pending result") == true)
            #expect(try await caller.get("/v1/readers/handpoint/counter").json["resultRemedy"] == one?["remedy"])
            let other = try await caller.get("/v1/doubts/\(Self.id(2))").json["reader"]
            #expect(other?["serial"] == "0456" && other?["holdsResult"] == nil && other?["remedy"] == nil)
            #expect(try await caller.get("/v1/doubts/\(Self.id(3))").json["reader"] == nil)
            // The past has the reader, and not what it holds now.
            let past = try await caller.get("\(path)?as_of_position=\(begun)").json["reader"]
            #expect(past == ["vendor": "handpoint", "serial": "0123"])
            let csv = try await caller.send(
                "GET",
                "/v1/doubts?columns=reader,reader_holds_result&reader=counter",
                ["Accept": "text/csv"]
            )
            #expect(csv.body.contains("0123,true"))
            // The app fetched it.
            let fetched = Self.reader("0123", [["name": "pendingResult", "value": "none"]])
            last = try await Self.append(
                [Reported.event("CommandAnswered", fetched)],
                on: "reader/handpoint/0123",
                by: caller
            )
            #expect(try await ids("reader_holds_result=true") == [])
            let after = try await caller.get(path).json["reader"]
            #expect(after?["holdsResult"] == false && after?["remedy"] == nil)
            #expect(try await api.caller(tenant: "other").get("/v1/doubts?reader=0123").json["items"] == [])
        }
    }

    /// A sale at a reader by a cashier that ends with a verdict.
    static func sale(
        at serial: String?,
        by cashier: String?,
        _ steps: [String] = [],
        approved: Bool = true,
        card: JSONValue? = nil
    ) -> [JSONValue] {
        let references: JSONValue = cashier.map { ["clerk": .string($0)] } ?? [:]
        let begun = Reported.event("SaleRequested", ["amounts": Reported.total(500), "references": references])
        let reports = serial.map { serial in steps.map { Reported.event($0, reader(serial)) } } ?? []
        var verdict: JSONObject = ["evidence": "reader", "response": [:], "references": [:]]
        verdict["card"] = card
        if approved { verdict["amounts"] = Reported.total(500) }
        return [begun] + reports
            + [Reported.event(approved ? "AuthorizationApproved" : "Declined", .object(verdict))]
    }

    @Test func ratesAreCountedByReaderAndByCashier() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.events, .read])
            // Tag 95, byte 3: the PIN was not entered.
            let bypassed: JSONValue = ["terminalVerificationResults": "0000080000"]
            let entered: JSONValue = ["terminalVerificationResults": "0000040000"]
            let signed: JSONValue = ["pinEntered": false, "requiresSignature": true]
            let sales = [
                Self.sale(at: "0123", by: "ann", ["CardRequested"], card: bypassed),
                Self.sale(at: "0123", by: "ann", ["PINRequested", "PINEntered"], approved: false, card: entered),
                Self.sale(at: "0123", by: "bob", ["PINRequested"], card: signed),
                Self.sale(at: "0456", by: "ann", ["SignatureRequested", "SignatureAccepted"]),
                Self.sale(at: "0456", by: "bob", ["SignatureRequested", "SignatureTimedOut"], approved: false),
                Self.sale(at: nil, by: nil, approved: false),
                Self.doubt(at: "0456"),
            ]
            var last: Int64 = 0
            for (number, events) in sales.enumerated() {
                last = try await Self.append(events, on: Self.stream(number), by: caller)
            }
            let path = "/v1/readers/rates?min_position=\(last)"
            let members = [
                "payments", "decided", "declined", "declineBasisPoints", "signatures", "signatureTimeouts",
                "signatureTimeoutBasisPoints", "pins", "pinBypasses", "pinBypassBasisPoints",
            ]
            func text(_ row: JSONValue) -> String {
                let name: String = row["reader"]?.string ?? row["cashier"]?.string ?? "-"
                let counts: [String] = members.map { row[$0]?.text ?? "-" }
                return "\(name) " + counts.joined(separator: " ")
            }
            func rows(_ answer: JSONValue) -> [String] { (answer["items"]?.array ?? []).map(text) }
            let byReader = try await caller.get(path).json
            #expect(byReader["by"] == "reader")
            #expect(
                rows(byReader) == [
                    "0123 3 3 1 3333 0 0 - 3 2 6667", "0456 3 2 1 5000 2 1 5000 0 0 -", "- 1 1 1 10000 0 0 - 0 0 -",
                ]
            )
            let byCashier = try await caller.get("\(path)&by=cashier").json
            #expect(
                rows(byCashier) == [
                    "ann 3 3 1 3333 1 0 0 2 1 5000", "bob 2 2 1 5000 1 1 10000 1 1 10000",
                    "- 2 1 1 10000 0 0 - 0 0 -",
                ]
            )
            #expect(byReader["items"]?[0]?["vendor"] == "handpoint" && byCashier["items"]?[0]?["vendor"] == nil)
            for (query, count) in [
                ("from=2026-03-01T12:00:00Z", 3), ("to=2026-03-01T12:00:00Z", 0), ("vendor=dejavoo", 0),
                ("merchant=m-1", 0),
            ] {
                let found = rows(try await caller.get("\(path)&\(query)").json)
                #expect(found.count == count, "\(query)")
            }
            #expect(try await caller.get("\(path)&by=terminal").code == "invalid-parameter")
            let csv = try await caller.send("GET", "\(path)&columns=reader,pin_bypasses", ["Accept": "text/csv"])
            #expect(csv.body.contains("0123,2"))
            #expect(try await api.caller(tenant: "other").get("/v1/readers/rates").json["items"] == [])
        }
    }
}
