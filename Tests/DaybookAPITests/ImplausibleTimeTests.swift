import Access
import Canonical
import DaybookTestKit
import EventLog
import Testing

/// A time that is too far ahead, or before the year 2000, is kept, flagged, and in no business day until an operator
/// acknowledges the anomaly.
@Suite struct ImplausibleTimeTests {
    private static let now = Timestamp(rfc3339: "2026-03-01T12:00:00Z")

    /// The time of the events, and whether it is flagged.
    private static let times: [(String, Bool)] = [
        ("2026-03-01T12:00:00.000000Z", false), ("2026-03-01T12:14:59.999999Z", false),
        ("2026-03-01T12:15:00.000000Z", false), ("2026-03-01T12:15:00.000001Z", true),
        ("2026-03-02T12:00:00.000000Z", true), ("2091-03-01T12:00:00.000000Z", true),
        ("9999-12-31T23:59:59.999999Z", true), ("2000-01-01T00:00:00.000000Z", false),
        ("1999-12-31T23:59:59.999999Z", true), ("2000-01-01T00:00:00.000001Z", false),
        ("1970-01-01T00:00:00.000000Z", true), ("0001-01-01T00:00:00.000000Z", true),
        ("2000-01-01T00:59:59+01:00", true), ("1999-12-31T23:30:00-01:00", false),
        ("2016-03-01T12:00:00.000000Z", false), ("1961-03-01T12:00:00.000000Z", true),
    ]

    private func clock() throws -> ManualClock { ManualClock(at: try #require(Self.now)) }

    private func sale(_ number: Int, at time: String) -> JSONValue {
        let id = "0198c1c2-6a00-7000-8000-0000000000" + (number < 10 ? "0" : "") + String(number)
        let money: JSONValue = ["currency": "USD", "value": 700]
        let references: JSONValue = ["merchant": "8846", "terminal": "4400"]
        let approval: JSONValue = [
            "amounts": ["total": money], "evidence": "reader", "response": [:], "references": references,
        ]
        let capture: JSONValue = [
            "id": "sale", "amounts": ["total": money], "evidence": "reader", "response": [:], "references": references,
            "batch": ["vendor": "dejavoo", "account": "4400"],
        ]
        func event(_ type: JSONValue, _ data: JSONValue) -> JSONValue {
            ["type": type, "schema": 1, "occurredAt": .string(time), "data": data]
        }
        return [
            "stream": .string("transaction/\(id)"), "idempotencyKey": .string("k-\(number)"),
            "events": [event("AuthorizationApproved", approval), event("Captured", capture)],
        ]
    }

    private func append(_ record: JSONValue, as caller: Caller) async throws -> JSONValue {
        let answer = try await caller.send(
            "POST",
            "/v1/events",
            ["Content-Type": "application/json"],
            body: record.text
        )
        #expect(answer.status == 201, "\(answer.body)")
        return try answer.json
    }

    private func captured(_ query: String, _ caller: Caller, _ position: Int64) async throws -> Int64 {
        let page = try await caller.get("/v1/totals?\(query)&min_position=\(position)").json
        return (page["items"]?.array ?? []).reduce(0) { $0 + ($1["captured"]?["value"]?.int64 ?? 0) }
    }

    @Test func eventsAreFlaggedAndLeftOutOfDays() async throws {
        let clock = try clock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller()
            for (number, (time, isFlagged)) in Self.times.enumerated() {
                let before = try await api.events().count
                let record = sale(number, at: time)
                let answer = try await append(record, as: caller)
                #expect(answer["positions"]?.array?.count == 2, "the answer names the sender's events")
                let types = try await api.events().dropFirst(before).map(\.type)
                #expect(
                    types == ["AuthorizationApproved", "Captured"] + (isFlagged ? ["AnomalyRaised"] : []),
                    "\(time)"
                )
                // Judged once, when it is recorded.
                #expect(try await append(record, as: caller) == answer)
                #expect(try await api.events().count == before + types.count)
            }
            let head = Int64(try await api.events().count)
            let plausible = Int64(Self.times.count { !$0.1 })
            #expect(try await captured("by=day", caller, head) == plausible * 700)
            #expect(try await captured("by=merchant", caller, head) == Int64(Self.times.count) * 700)
        }
    }

    @Test func anAcknowledgedTimeCountsOnItsDay() async throws {
        let clock = try clock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller([.admin, .events, .read])
            _ = try await append(sale(1, at: "2026-03-03T08:00:00Z"), as: caller)
            func count(_ position: Int64) async throws -> Int64? {
                try await caller.get("/v1/days/2026-03-03?min_position=\(position)").json["count"]?.int64
            }
            #expect(try await captured("by=day", caller, 3) == 0)
            #expect(try await count(3) == 0)
            let found = try await caller.get("/v1/anomalies?kind=implausible-time&min_position=3").json
            let id = try #require(found["items"]?.array?.first?["id"]?.string)
            let acknowledged = try await caller.send(
                "POST",
                "/v1/anomalies/\(id)/acknowledge",
                ["Content-Type": "application/json"],
                body: #"{"reason":"the till's clock was wrong"}"#
            )
            #expect(acknowledged.status == 201)
            #expect(try await captured("by=day", caller, 4) == 700)
            #expect(try await captured("by=day&as_of=3", caller, 4) == 0)
            #expect(try await count(4) == 1)
            // The changes of the day are the difference of its totals.
            func changes(_ from: Int, _ to: Int) async throws -> [String?] {
                let span = "merchant=8846&day=2026-03-03&from_position=\(from)&to_position=\(to)"
                let page = try await caller.get("/v1/totals/changes?\(span)").json
                return (page["items"]?.array ?? []).map { $0["change"]?.string }
            }
            #expect(try await changes(0, 3) == [])
            #expect(try await changes(3, 4) == ["added"])
            #expect(try await changes(0, 4) == ["added"])
            #expect(try await changes(4, 4) == [])
        }
    }

    /// Each line is judged by the rule for its sender, once.
    @Test func linesWithPlausibleTimesKeepTheirDay() async throws {
        let clock = try clock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller([.admin, .documents, .events, .read])
            // A terminal ten hours east prints its local time.
            let printed = try Sample.named("MSR sale").with("occurredAt", as: nil).with(
                "body",
                "BridgeCommResponse",
                "ISOTransactionDate",
                as: "2026-03-01 22:00:00"
            )
            let sold = try await caller.take(printed.vendor, printed.record)
            let stream = "transaction/" + (try #require(sold["transaction"]?.string))
            func capture(_ id: String, _ time: String) -> JSONValue {
                [
                    "type": "Captured", "schema": 1, "occurredAt": .string(time),
                    "data": [
                        "id": .string(id), "amounts": ["total": ["currency": "USD", "value": 1_00]],
                        "evidence": "reader", "response": [:], "references": ["merchant": "320000"],
                    ],
                ]
            }
            func capture(_ events: JSONValue...) async throws -> Int64 {
                _ = try await append(["stream": .string(stream), "events": .array(events)], as: caller)
                let head = try #require(try await api.events().last?.position)
                return try await captured("by=day", caller, head)
            }
            // Two clocks are wrong, and a good time is between them.
            let early = try await capture(
                capture("a", "2091-03-01T12:00:00Z"),
                capture("b", "2026-03-01T12:00:00Z"),
                capture("c", "1971-03-01T12:00:00Z")
            )
            #expect(early == 6_50)
            // Later the clock is right.
            clock.advance(seconds: 7200)
            #expect(try await capture(capture("d", "2026-03-01T14:00:00Z")) == 7_50)
            let kinds = try await api.events().filter { $0.data.contains("implausible-time") }
            #expect(kinds.map(\.occurredAt.rfc3339) == ["2091-03-01T12:00:00.000000Z", "1971-03-01T12:00:00.000000Z"])
        }
    }

    /// A vendor's local time has no zone and is read as UTC, so it may seem 14 hours ahead.
    @Test func documentsAreFlagged() async throws {
        let clock = try clock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller()
            let sample = try Sample.named("Tap-to-pay sale (V1)")
            func flags(_ record: JSONValue) async throws -> Int {
                let before = try await api.events().count
                _ = try await caller.take(sample.vendor, record)
                return try await api.events().dropFirst(before).count { $0.data.contains("implausible-time") }
            }
            let ahead = sample.with("occurredAt", as: "2026-03-01T12:15:00.000001Z").record
            #expect(try await flags(ahead) == 1)
            let early = sample.with("occurredAt", as: "2026-03-01T12:15:00Z").record
            #expect(try await flags(early) == 0)
        }
    }
}
