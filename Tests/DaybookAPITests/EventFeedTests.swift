import Access
import Canonical
import DaybookTestKit
import EventLog
import Testing

/// The event feed and the timeline of a payment.
@Suite struct EventFeedTests {
    private func positions(_ answer: Answer) throws -> [Int64] {
        try answer.json["items"]?.array?.compactMap { $0["position"]?.int64 } ?? []
    }

    @Test func filtersSelect() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller()
            let answer = try await caller.take("bridgepay", Sample.named("Authorisation").record)
            let stream = "transaction/\(try #require(answer["transaction"]?.string))"
            clock.advance(seconds: 60)
            let other = try await api.caller()
            _ = try await other.take("bridgepay", Sample.named("MSR sale").record)
            let events = try await api.events()
            let start = try #require(events.first)
            let minute = start.recordedAt.adding(microseconds: 60_000_000).rfc3339
            let cases: [(String, [Int64])] = [
                ("stream=\(stream)", [1, 2, 3]), ("type=DocumentReceived", [1, 4]),
                ("actor=\(start.actor)", [1, 2, 3]),
                ("after=5", [6, 7]), ("up_to=2", [1, 2]), ("after=2&up_to=4", [3, 4]),
                ("from=\(minute)", [4, 5, 6, 7]),
                ("to=\(minute)", [1, 2, 3]), ("type=Nothing", []), ("after=2&type=DocumentReceived", [4]),
            ]
            for (query, expected) in cases {
                #expect(try positions(await caller.get("/v1/events?\(query)")) == expected, "\(query)")
            }
            // Newest first, page by page.
            var newest: [Int64] = []
            var rest: String? = "/v1/events?order=newest&up_to=6&limit=4"
            while let target = rest {
                let page = try await caller.get(target)
                newest += try positions(page)
                rest = try page.json["next"]?.string.map { "/v1/events?order=newest&up_to=6&limit=4&cursor=\($0)" }
            }
            #expect(newest == [6, 5, 4, 3, 2, 1])
            #expect(try await caller.get("/v1/events?order=newest&after=1").code == "invalid-parameter")
            let lines = try await caller.get("/v1/events?order=newest&limit=2", ["Accept": "application/x-ndjson"])
            #expect(try lines.lines.map { try JSONValue(parsing: $0)["position"]?.int64 } == [7, 6])
        }
    }

    /// The lines are the events' canonical bytes in every form.
    @Test func recordLinesAreVerbatim() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .audit])
            for sample in try Sample.all().prefix(3) { _ = try await caller.take(sample.vendor, sample.record) }
            let lines = try await api.events().map(\.recordLine)
            let feed = try await caller.get("/v1/events", ["Accept": "application/x-ndjson"])
            #expect(feed.body == lines.map { $0 + "\n" }.joined())
            let stream = try await caller.get("/v1/events/stream?after=0&up_to=\(lines.count)")
            #expect(stream.events.map(\.data) == lines)
            let page = try await caller.get("/v1/events").body
            #expect(page == "{\"items\":[\(lines.joined(separator: ","))]}")
            #expect(try await caller.get("/v1/events/1").body == lines[0])
        }
    }

    @Test func theStreamContinuesAfterThePosition() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            for sample in try Sample.all().prefix(3) { _ = try await caller.take(sample.vendor, sample.record) }
            func ids(_ target: String, _ last: String? = nil) async throws -> [Int] {
                let fields = last.map { ["Last-Event-ID": $0] } ?? [:]
                return try await caller.get(target, fields).events.compactMap { $0.id.flatMap { Int($0) } }
            }
            #expect(try await ids("/v1/events/stream?up_to=11", "4") == Array(5...11))
            // The header field overrides the parameter.
            #expect(try await ids("/v1/events/stream?after=1&up_to=11", "9") == [10, 11])
            #expect(try await ids("/v1/events/stream?after=9&up_to=11") == [10, 11])
            #expect(try await ids("/v1/events/stream?type=Captured&up_to=11", "0") == [4, 8])
            for last in ["x", "-1", "", "1.5"] {
                let answer = try await caller.get("/v1/events/stream?up_to=0", ["Last-Event-ID": last])
                #expect(answer.code == "invalid-parameter", "\(last)")
            }
        }
    }

    @Test func appendedEventsArrive() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let other = try await api.caller(tenant: "other")
            let client = try await RawClient.connect(port: api.port)
            try await client.send(caller.request("GET", "/v1/events/stream?after=0"))
            let head = String(decoding: try await client.read(through: Array("\r\n\r\n".utf8)), as: UTF8.self)
            #expect(head.contains("200 OK") && head.contains("text/event-stream"))
            _ = try await other.take("bridgepay", Sample.named("EMV sale").record)
            _ = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            var text = ""
            while StreamedEvent.all(in: text).count < 4, let chunk = try await client.readChunk() {
                text += String(decoding: chunk, as: UTF8.self)
            }
            let events = StreamedEvent.all(in: text)
            #expect(events.map(\.id) == ["5", "6", "7", "8"])
            #expect(events.map(\.data) == (try await api.events().dropFirst(4).map(\.recordLine)))
        }
    }

    @Test func theTimelineOfAPaymentHasPages() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.take("bridgepay", Sample.named("Authorisation").record)
            _ = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            _ = try await caller.take("bridgepay", Sample.named("Capture with tip").record)
            let path = "/v1/transactions/\(try #require(answer["transaction"]?.string))/events"
            let first = try await caller.get("\(path)?limit=4")
            #expect(try positions(first) == [1, 2, 3, 8])
            let next = try #require(try first.json["next"]?.string)
            let second = try await caller.get("\(path)?limit=4&cursor=\(next)")
            #expect(try positions(second) == [9])
            #expect(try second.json["next"] == nil)
        }
    }
}
