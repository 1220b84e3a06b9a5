import Canonical
import Testing

@testable import EventLog

@Suite struct RecordLineTests {
    private func event(position: Int64 = 7) -> RecordedEvent {
        RecordedEvent(
            position: position,
            id: UUID128(high: 0x0197_0000_0000_7abc, low: 0x8000_0000_0000_0001),
            tenant: "acme",
            stream: "transaction/\"x\"",
            version: 3,
            type: "Captured",
            schema: 2,
            occurredAt: Timestamp(microsecondsSince1970: 1_767_225_600_000_001),
            recordedAt: Timestamp(microsecondsSince1970: 1_767_225_601_000_000),
            actor: "key:1",
            correlation: "a\u{1}b/\u{e9}",
            causation: nil,
            data: "{\"b\": 1,\"a\":\"\\u0000\"}"
        )
    }

    /// Exports and evidence consist of these bytes: they must never change.
    @Test func theLineHasTheseBytes() {
        let line = """
            {"position":7,"id":"01970000-0000-7abc-8000-000000000001","tenant":"acme",\
            "stream":"transaction/\\"x\\"","version":3,"type":"Captured","schema":2,\
            "occurredAt":"2026-01-01T00:00:00.000001Z","recordedAt":"2026-01-01T00:00:01.000000Z",\
            "actor":"key:1","correlation":"a\\u0001b/\u{e9}","causation":null,"claims":null,"data":{"b": 1,"a":"\\u0000"}}
            """
        #expect(event().recordLine == line)
        var caused = event()
        caused.causation = UUID128(high: 0, low: 1)
        #expect(
            caused.recordLine.contains(
                ",\"causation\":\"00000000-0000-0000-0000-000000000001\",\"claims\":null,\"data\":"
            )
        )
        #expect(!caused.recordLine.contains("\n"))
        caused.claims =
            Claims(
                events: 2,
                idempotency: [(UUID128(high: 1, low: 2), [0xAB, 0x0C])],
                references: ["a\"b", "c"]
            ).text
        #expect(
            caused.recordLine.contains(
                """
                ,"claims":{"events":2,"idempotency":{"00000000000000010000000000000002":"ab0c"},\
                "references":["a\\"b","c"]},"data":
                """
            )
        )
        #expect(Claims(events: 1, idempotency: [], references: []).text == nil)
    }

    @Test func aRunMustFollowOnItsPosition() throws {
        let run = [event(position: 4), event(position: 5)]
        try Follower.check(run, follow: 3)
        try Follower.check([], follow: 3)
        #expect(throws: GapInLog(expected: 3, found: 4)) { try Follower.check(run, follow: 2) }
        #expect(throws: GapInLog(expected: 5, found: 4)) { try Follower.check(run, follow: 4) }
        #expect(throws: GapInLog(expected: 5, found: 6)) {
            try Follower.check([event(position: 4), event(position: 6)], follow: 3)
        }
        #expect(throws: GapInLog(expected: 5, found: 4)) {
            try Follower.check([event(position: 4), event(position: 4)], follow: 3)
        }
    }
}
