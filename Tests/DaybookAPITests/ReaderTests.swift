import Canonical
import DaybookTestKit
import Testing

/// `/v1/readers` over a socket. Every answer is checked against the OpenAPI document.
@Suite struct ReaderTests {
    private static func record(_ stream: String, _ type: String, _ report: String) -> String {
        #"{"stream":"\#(stream)","events":[{"type":"\#(type)","schema":1,"occurredAt":"2026-03-01T12:00:00Z","data":\#(report)}]}"#
    }

    private static let update =
        #"{"response":{"message":"SVPP"},"details":[{"name":"mandatory","value":"true"}]}"#

    @Test func reportsOfReadersAreListedAndShown() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let records = [
                Self.record("reader/handpoint/0123", "ReaderConnected", #"{"response":{}}"#),
                Self.record("reader/handpoint/0123", "ReaderBatteryReported", #"{"response":{},"battery":41}"#),
                Self.record("reader/youtransactor/77", "ReaderUpdateFound", Self.update),
                Self.record("reader/youtransactor/77", "ReaderErrorReported", #"{"response":{"code":"E1"}}"#),
            ]
            var last: Int64 = 0
            for record in records {
                let answer = try await caller.send(
                    "POST",
                    "/v1/events",
                    ["Content-Type": "application/json"],
                    body: record
                )
                #expect(answer.status == 201, "\(answer)")
                last = try #require(try answer.json["positions"]?[0]?.int64)
            }
            let all = try await caller.get("/v1/readers?min_position=\(last)").json
            #expect(all["items"]?.array?.compactMap { $0["serial"]?.string } == ["77", "0123"])
            let due = try await caller.get("/v1/readers?update_due=true&vendor=youtransactor").json["items"]
            #expect(due?.array?.count == 1)
            let update = due?[0]?["updates"]?[0]
            #expect(update?["status"] == "due" && update?["isMandatory"] == true)
            for (isDue, serials) in [("true", ["77"]), ("false", ["0123"])] {
                let found = try await caller.get("/v1/readers?mandatory_update_due=\(isDue)").json["items"]
                #expect(found?.array?.compactMap { $0["serial"]?.string } == serials)
            }
            #expect(try await caller.get("/v1/readers?mandatory_update_due=yes").code == "invalid-parameter")
            let one = try await caller.get("/v1/readers/handpoint/0123").json
            #expect(one["battery"]?.int64 == 41 && one["connected"]?.bool == true)
            #expect(try await caller.get("/v1/readers/handpoint/9").status == 404)
            #expect(try await caller.get("/v1/readers/nobody/0123").status == 404)
            let first = try await caller.get("/v1/readers?limit=1").json
            let next = try #require(first["next"]?.string)
            let second = try await caller.get("/v1/readers?limit=1&cursor=\(next)").json
            #expect(second["items"]?[0]?["serial"] == "0123" && second["next"] == nil)
            #expect(try await caller.get("/v1/readers?cursor=c1").status == 400)
        }
    }

    @Test func streamsOfReadersAcceptOnlyReaderEvents() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let type = ["Content-Type": "application/json"]
            for (stream, event) in [("reader/handpoint/1", "Captured"), ("till/1", "ReaderConnected")] {
                let record = Self.record(stream, event, #"{"response":{}}"#)
                let answer = try await caller.send("POST", "/v1/events", type, body: record)
                #expect(answer.status == 422, "\(stream)")
            }
        }
    }
}
