import Canonical
import EventLog
import Testing

/// Intake of newline-delimited JSON.
@Suite struct StreamIntakeTests {
    private static let type = ["Content-Type": "application/x-ndjson"]

    private func status(_ lines: [String]) throws -> [Int64?] {
        try lines.map { try JSONValue(parsing: $0)["status"]?.int64 }
    }

    @Test func goodAndBadLinesAreAnsweredInOrder() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let sale = try Sample.named("MSR sale").record.text
            let unknown = try Sample.named("EMV sale").with("kind", as: "Nothing").record.text
            let body = [sale, "{\"kind\":", "", "[]", unknown, sale, try Sample.named("EMV sale").record.text]
            let answer = try await caller.send(
                "POST",
                "/v1/intake/bridgepay",
                Self.type,
                body: body.joined(separator: "\n")
            )
            #expect(answer.status == 200)
            let lines = try answer.lines.map { try JSONValue(parsing: $0) }
            #expect(lines.map { $0["line"]?.int64 } == [1, 2, 3, 4, 5, 6])
            #expect(lines.map { $0["status"]?.int64 } == [201, 400, 400, 201, 201, 201])
            #expect(
                lines.map { $0["problem"]?["code"]?.string } == [
                    nil, "malformed-json", "malformed-record", nil, nil, nil,
                ]
            )
            #expect(lines.map { $0["replayed"]?.bool } == [false, nil, nil, false, true, false])
            #expect(lines[4]["answer"] == lines[0]["answer"])
            #expect(lines[3]["answer"]?["anomalies"]?[0]?["kind"] == "unknown-kind")
            let types = try await api.events().map(\.type)
            #expect(types.count { $0 == "IntakeRefused" } == 2)
            #expect(types.count { $0 == "Captured" } == 2)
        }
    }

    @Test func aLineThatIsTooLongIsRefusedAndTheNextIsNot() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let long = "{\"kind\":\"BPNPayment\",\"body\":\"\(String(repeating: "x", count: 1 << 20))\"}"
            let body = long + "\n" + (try Sample.named("MSR sale").record.text)
            let answer = try await caller.send("POST", "/v1/intake/bridgepay", Self.type, body: body)
            #expect(try status(answer.lines) == [413, 201])
            let problem = try JSONValue(parsing: answer.lines[0])["problem"]
            #expect(problem?["code"] == "body-too-large")
            let trace = try #require(problem?["tracePosition"]?.int64)
            #expect(try await caller.get("/v1/events/\(trace)").json["data"]?["code"] == "body-too-large")
        }
    }

    @Test func eachLineHasItsOwnKey() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let first = try Sample.named("MSR sale").with("idempotencyKey", as: "k").record.text
            let other = try Sample.named("EMV sale").with("idempotencyKey", as: "k").record.text
            let body = [first, first, other].joined(separator: "\r\n") + "\r\n"
            let answer = try await caller.send("POST", "/v1/intake/bridgepay", Self.type, body: body)
            #expect(try status(answer.lines) == [201, 201, 422])
            let fields = Self.type.merging(["Idempotency-Key": "k"]) { given, _ in given }
            let refused = try await caller.send("POST", "/v1/intake/bridgepay", fields, body: body)
            #expect(refused.code == "idempotency-key-on-stream")
        }
    }

    @Test func anEmptyBodyRecordsNothing() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.send("POST", "/v1/intake/bridgepay", Self.type, body: "\n\n")
            #expect(answer.status == 200)
            #expect(answer.body == "")
            #expect(try await api.events().isEmpty)
        }
    }
}
