import Access
import Canonical
import DaybookAPI
import DaybookTestKit
import EventLog
import HTTPEdge
import Operations
import Tables
import Testing

/// `/v1/statements` over a socket. Every answer is checked against the OpenAPI document.
@Suite struct StatementTests {
    private static let heading = "type,currency,gross,fee,net,processor_id,last_four,day,role,count"
    private static let rows = [
        "sale,USD,13.40,-0.40,13.00,214972201,9269,2026-03-01,,",
        "refund,USD,-5.00,0.00,-5.00,214972202,9269,2026-03-01,,",
        "sale,JPY,1200,,1200,214972203,0119,2026-03-02,,",
    ]

    private static func file(_ rows: [String]) -> String { ([heading] + rows).map { $0 + "\n" }.joined() }

    private func send(_ body: String, _ query: String = "", as caller: Caller) async throws -> Answer {
        try await caller.send("POST", "/v1/statements\(query)", ["Content-Type": "text/csv"], body: body)
    }

    @Test func importsBeyondTheLimitAreRefusedForNow() async throws {
        try await TestAPI.serve(uploads: 0) { api in
            let caller = try await api.caller([.read, .reconcile, .audit])
            let refused = try await send(Self.file(Self.rows), as: caller)
            #expect(refused.status == 503 && refused.code == "overloaded" && refused.fields["retry-after"] == "5")
            #expect(try refused.json["retryable"] == true)
            #expect(try await api.events().isEmpty)
        }
        let places = UploadPlaces(1)
        for _ in 0..<2 {
            // The place is free again, also after a failure.
            let problem = await #expect(throws: Problem.self) {
                try await places.withPlace { try await places.withPlace {} }
            }
            #expect(problem?.code == "overloaded")
        }
    }

    @Test func aFileIsImportedOnce() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile, .audit])
            let body = Self.file(Self.rows)
            let first = try await send(body, "?name=day%204111111111111111.csv", as: caller)
            #expect(first.status == 201, "\(first.body)")
            let reported = try first.json
            #expect(
                reported["format"] == "daybook-csv" && reported["side"] == "processor"
                    && reported["status"] == "imported"
            )
            #expect(reported["lines"] == 3 && reported["repeatedLines"] == 0 && reported["failedControls"] == 0)
            #expect(reported["firstDay"] == "2026-03-01" && reported["lastDay"] == "2026-03-02")
            #expect(reported["name"]?.string?.contains("4111111111111111") == false)
            let totals = reported["totals"]?.array ?? []
            #expect(totals.compactMap { $0["amount"]?["value"]?.int64 } == [1200, -500, 1300])
            let again = try await send(body, as: caller)
            #expect(again.status == 200 && again.fields["idempotency-replayed"] == "true")
            #expect(try again.json == reported)
            let types = try await api.events().map(\.type)
            #expect(types == ["StatementImportBegan", "StatementPartRecorded", "StatementImported"])
            let other = try await send(body, "?currency=EUR", as: caller)
            #expect(other.status == 409 && other.code == "read-otherwise")

            let id = try #require(reported["id"]?.string)
            let shown = try await caller.get("/v1/statements/\(id)").json
            #expect(shown["remarks"]?.array != nil && shown["digest"] == reported["digest"])
            let lines = try await caller.get("/v1/statements/\(id)/lines").json["items"]?.array ?? []
            #expect(lines.compactMap { $0["number"]?.int64 } == [1, 2, 3])
            #expect(lines.first?["references"]?["processor_id"] == "214972201")
            #expect(lines.first?["net"] == ["value": 1300, "currency": "USD"])
            #expect(lines.last?["gross"] == ["value": 1200, "currency": "JPY"])
            let page = try await caller.get("/v1/statements/\(id)/lines?limit=2").json
            let next = try #require(page["next"]?.string)
            let rest = try await caller.get("/v1/statements/\(id)/lines?limit=2&cursor=\(next)").json
            #expect(rest["items"] == .array([lines[2]]) && rest["next"] == nil)
            let csv = try await caller.get(
                "/v1/statements/\(id)/lines?columns=number,net_decimal",
                ["Accept": "text/csv"]
            )
            #expect(try CSVReader.rows(csv.body.utf8, .raw).map { $0.compactMap(\.self) }[1] == ["1", "13.00"])
            #expect(try await caller.get("/v1/statements").json["items"] == [reported])
            #expect(try await caller.get("/v1/statements?format=bai2").json["items"] == [])
            #expect(
                try await caller.get("/v1/statements?side=processor&inconsistent=false").json["items"] == [reported]
            )
            let stranger = try await api.caller(tenant: "other")
            for path in ["/v1/statements/\(id)", "/v1/statements/\(id)/lines", "/v1/statements/\(id)/controls"] {
                #expect(try await stranger.get(path).status == 404)
            }
            #expect(try await send(body, as: stranger).status == 403)
        }
    }

    @Test func aMalformedFileLeavesNothing() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile, .audit])
            for (body, query, fault, line) in [
                (Self.file(Self.rows + ["sale,USD,13.405,,,1,,2026-03-01,,"]), "", "bad-amount", 5),
                (Self.file(["sale,XXQ,1.00,,,1,,2026-03-01,,"]), "", "unknown-currency", 2),
                ("", "", "empty", nil), ("hello, world", "", "unknown-format", nil),
                ("01,a,b,260121,0600,1,80,1,2/", "?format=bai2", "truncated", 1),
                ("01,a,b/", "?format=bai2", "unknown-format", 1),
            ] as [(String, String, String, Int64?)] {
                let answer = try await send(body, query, as: caller)
                #expect(answer.status == 422 && answer.code == "unreadable-statement", "\(fault): \(answer.body)")
                let reported = try answer.json
                #expect(reported["fault"]?.string == fault && reported["line"]?.int64 == line, "\(answer.body)")
            }
            #expect(try await api.events().isEmpty)
            #expect(try await caller.get("/v1/statements").json["items"] == [])
            let typed = try await caller.send("POST", "/v1/statements", ["Content-Type": "image/png"], body: "x")
            #expect(typed.status == 415)
        }
    }

    /// The mapping of a foreign CSV is sent and stored with the file.
    @Test func aMappingGoesWithTheFile() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile, .audit])
            let file = "Umsatzart;Brutto;Datum\nZahlung;13,40;01.03.2026\n"
            let mapping = """
                {"delimiter": ";", "decimal": ",", "dates": "dmy", "currency": "EUR",
                "columns": {"type": "Umsatzart", "gross": "Brutto", "day": "Datum"}, "types": {"Zahlung": "capture"}}
                """
            func send(_ parts: [(head: String, text: String)], _ query: String = "") async throws -> Answer {
                let body =
                    parts.map { "--x7\r\nContent-Disposition: form-data; \($0.head)\r\n\r\n\($0.text)\r\n" }.joined()
                    + "--x7--\r\n"
                let type = #"multipart/form-data; boundary="x7""#
                return try await caller.send("POST", "/v1/statements\(query)", ["Content-Type": type], body: body)
            }
            let named = #"name="file"; filename="may 4111111111111111.csv""#
            for (parts, code, fault) in [
                ([(#"name="mapping""#, mapping)], "malformed-form", nil), ([], "malformed-form", nil),
                ([(named, file), (#"name="more""#, "x")], "malformed-form", nil),
                (
                    [(named, file), (#"name="mapping""#, #"{"columns": {"gross": 1}}"#)], "unreadable-statement",
                    "bad-mapping"
                ),
                (
                    [(named, file), (#"name="mapping""#, #"{"constants": {"merchant": "4111111111111111"}}"#)],
                    "unreadable-statement", "bad-mapping"
                ),
                (
                    [(named, file), (#"name="mapping""#, #"{"constants": {"merchant": "\u0000"}}"#)],
                    "unreadable-statement", "bad-mapping"
                ),
            ] as [([(head: String, text: String)], String, String?)] {
                let refused = try await send(parts)
                #expect(try refused.code == code && refused.json["fault"]?.string == fault, "\(refused.body)")
            }
            let other = try await send([(named, file), (#"name="mapping""#, mapping)], "?format=bai2")
            #expect(try other.json["fault"] == "bad-mapping", "\(other.body)")
            #expect(try await api.events().isEmpty)

            let reported = try await send([(#"name="mapping""#, mapping), (named, file)])
            #expect(reported.status == 201, "\(reported.body)")
            let statement = try reported.json
            #expect(statement["format"] == "daybook-csv" && statement["lines"] == 1)
            #expect(statement["name"]?.string?.hasPrefix("may ") == true)
            #expect(statement["totals"]?[0]?["amount"] == ["value": 1340, "currency": "EUR"])
            let id = try #require(statement["id"]?.string)
            let shown = try await caller.get("/v1/statements/\(id)").json
            #expect(try shown["mappingRules"] == JSONValue(parsing: mapping.utf8))
            #expect(shown["mapping"]?.string?.count == 64)
            #expect(try await !api.events().contains { $0.data.contains("4111111111111111") })
            #expect(try await send([(named, file), (#"name="mapping""#, mapping)]).status == 200)
            let otherwise = mapping.replacing("EUR", with: "CHF")
            #expect(try await send([(named, file), (#"name="mapping""#, otherwise)]).code == "read-otherwise")
        }
    }

    /// A file that was read with the wrong mapping is withdrawn and imported again.
    @Test func aStatementIsWithdrawnAndItsFileImportedAgain() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile, .audit])
            let body = "type,gross,processor_id,day\nsale,13.40,214972201,2026-03-01\n"
            let wrong = try await send(body, "?format=daybook-csv&currency=EUR", as: caller).json
            let id = try #require(wrong["id"]?.string)
            #expect(try await send(body, "?format=daybook-csv&currency=USD", as: caller).code == "read-otherwise")

            func withdraw(_ id: String, _ body: String, _ key: String, as caller: Caller) async throws -> Answer {
                let fields = ["Content-Type": "application/json", "Idempotency-Key": key]
                return try await caller.send("POST", "/v1/statements/\(id)/withdraw", fields, body: body)
            }
            let reason = #"{"reason": "read as if it were in euros"}"#
            let reader = try await api.caller([.read])
            #expect(try await withdraw(id, reason, "k", as: reader).status == 403)
            for bad in ["{}", #"{"reason": " "}"#, #"{"reason": "x", "more": 1}"#, #"{"reason": "x\u0000"}"#] {
                #expect(try await withdraw(id, bad, "bad", as: caller).code == "malformed-record", "\(bad)")
            }
            let unknown = "00000000-0000-8000-8000-000000000001"
            #expect(try await withdraw(unknown, reason, "k0", as: caller).status == 404)
            let done = try await withdraw(id, reason, "k", as: caller)
            #expect(done.status == 202, "\(done.body)")
            #expect(try await caller.get("/v1/statements/\(id)").json["status"] == "imported")
            #expect(try await api.approve(done).status == 201)
            let reported = try await caller.get("/v1/statements/\(id)").json
            #expect(
                reported["status"] == "withdrawn" && reported["withdrawal"]?["reason"] == "read as if it were in euros"
            )
            let position = try #require(reported["withdrawal"]?["position"]?.int64)
            let replay = try await withdraw(id, reason, "k", as: caller)
            #expect(
                try replay.status == 202 && replay.fields["idempotency-replayed"] == "true" && replay.json == done.json
            )
            let misused = try await withdraw(id, #"{"reason": "another"}"#, "k", as: caller)
            #expect(misused.status == 422 && misused.code == "idempotency-mismatch")
            #expect(try await withdraw(id, reason, "k2", as: caller).code == "already-withdrawn")

            let again = try await send(body, "?format=daybook-csv&currency=USD", as: caller)
            #expect(again.status == 201, "\(again.body)")
            let right = try again.json
            #expect(right["replaces"]?.string == id && right["id"]?.string != id && right["currency"] == "USD")
            #expect(try await send(body, "?format=daybook-csv&currency=USD", as: caller).status == 200)
            // At present and at a past position.
            func ids(_ query: String) async throws -> [String?] {
                let items = try await caller.get("/v1/statements?\(query)").json["items"]?.array ?? []
                return items.map { $0["id"]?.string }
            }
            #expect(try await ids("status=withdrawn") == [id])
            #expect(try await ids("status=imported") == [right["id"]?.string])
            #expect(try await ids("as_of_position=\(position - 1)&status=imported") == [id])
            let past = try await caller.get("/v1/statements/\(id)?as_of_position=\(position - 1)").json
            #expect(past["status"] == "imported" && past["withdrawal"] == nil)
            #expect(try await caller.get("/v1/statements/\(id)?as_of_position=0").status == 404)
            let digest = try #require(right["digest"]?.string)
            let sought = try await caller.get("/v1/search?q=\(digest)")
            #expect(sought.status == 200 && sought.body.contains(id), "\(sought.body)")
        }
    }

    /// The same line in two files counts once; equal lines within a file count each.
    @Test func overlappingFilesAreRecognised() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            let first = try await send(Self.file([Self.rows[0], Self.rows[1], Self.rows[1]]), as: caller).json
            #expect(first["repeatedLines"] == 0)
            let second = try await send(Self.file([Self.rows[2], Self.rows[1], Self.rows[0]]), as: caller).json
            #expect(second["lines"] == 3 && second["repeatedLines"] == 2)
            let id = try #require(second["id"]?.string)
            let lines = try await caller.get("/v1/statements/\(id)/lines").json["items"]?.array ?? []
            #expect(lines.compactMap { $0["repeated"]?.bool } == [false, true, true])
        }
    }

    /// A control that differs from the lines is reported and kept.
    @Test func failedControlsAreReported() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            let file = """
                01,122099999,123456789,150623,0200,1,,,2/
                02,031001234,122099999,1,150620,0200,,2/
                03,0123456789,USD,010,+4350000,,,040,2830000,,/
                16,115,450000,S,100000,200000,150000,,,/
                49,4350001,3/
                98,4350001,1,5/
                99,4350001,1,7/

                """
            let reported = try await send(file, as: caller).json
            #expect(reported["format"] == "bai2" && reported["side"] == "bank", "\(reported.text)")
            let id = try #require(reported["id"]?.string)
            let failed = try await caller.get("/v1/statements/\(id)/controls?holds=false").json["items"]?.array ?? []
            #expect(!failed.isEmpty && failed.allSatisfy { $0["holds"] == false })
            #expect(reported["failedControls"]?.int64 == Int64(failed.count))
            let all = try await caller.get("/v1/statements/\(id)/controls").json["items"]?.array ?? []
            #expect(reported["controls"]?.int64 == Int64(all.count) && all.count > failed.count)
            #expect(try await caller.get("/v1/statements?inconsistent=true").json["items"]?.array?.count == 1)
        }
    }
}
