import Canonical
import Payments
import ReplayRules
import Testing

/// Stored replay events stay readable and unchanged.
@Suite struct ReplayEventTests {
    private static let first = "00000000-0000-8000-8000-000000000001"
    private static let second = "00000000-0000-8000-8000-000000000002"

    /// A stored event of each type in today's form, with every optional member.
    private static let stored: [(name: ReplayEvent.Name, data: String)] = [
        (
            .planned,
            """
            {"filter":"status=declined","transactions":["\(first)"],"reason":"nightly","planner":{"name":"ann",\
            "holder":"person-1"},"book":{"edition":"2026.1","day":"2026-11-02","digest":"sha256:ab",\
            "overrides":["wait.retry=7200"]},"covers":40,"plannedAt":"2026-11-02T12:00:00.000000Z",\
            "expiresAt":"2026-11-03T12:00:00.000000Z","items":1,"totals":[{"disposition":"resubmit","currency":"USD",\
            "count":1,"amount":1000}]}
            """
        ),
        (
            .itemsPlanned,
            """
            {"items":[{"number":1,"transaction":"\(first)","version":7,"operation":"tip-adjustment",\
            "disposition":"wait-until","until":"2026-11-02T13:00:00.000000Z","rule":"wait.retry","evidence":[3,5],\
            "amount":{"value":1000,"currency":"USD"},"tip":{"value":100,"currency":"USD"},"instead":"reversal",\
            "card":"hmac-sha256:ab"}]}
            """
        ),
        (.approved, #"{"reason":"reviewed","approver":{"name":"bob","holder":"person-2"},"byPolicy":false}"#),
        (.rejected, #"{"reason":"too many"}"#),
        (.started, #"{"reason":"now"}"#),
        (.paused, #"{"reason":"the gateway is slow"}"#),
        (.resumed, #"{"reason":"it is not any more"}"#),
        (.stopped, #"{"reason":"enough"}"#),
        (.itemAttempted, #"{"item":1,"transaction":"\#(first)","version":7,"reference":"\#(second)"}"#),
        (
            .itemEnded,
            #"{"item":1,"transaction":"\#(first)","end":"moved-on","version":8,"rule":"iso.05","detail":"told since"}"#
        ),
        (.completed, #"{"ends":[{"end":"posted","count":3},{"end":"already-posted","count":1}]}"#),
    ]

    @Test func everyTypeKeepsItsShape() throws {
        #expect(Self.stored.map(\.name) == ReplayEvent.Name.allCases)
        for (name, text) in Self.stored {
            let data = try JSONValue(parsing: text.utf8)
            let event = try ReplayEvent(type: name.rawValue, schema: 1, data: data)
            #expect(event.name == name && event.type == name.rawValue && event.schema == 1)
            let again = try event.data()
            #expect(again.text == text, "\(name)")
            #expect(try ReplayEvent(type: name.rawValue, schema: 1, data: again) == event)
            #expect(throws: UnknownEvent.self) { try ReplayEvent(type: name.rawValue, schema: 2, data: data) }
        }
        #expect(throws: UnknownEvent.self) { try ReplayEvent(type: "ReplayForgotten", schema: 1, data: [:]) }
        #expect(throws: DecodingError.self) { try ReplayEvent(type: "ReplayStarted", schema: 1, data: [:]) }
    }

    @Test func optionalMembersMayBeMissing() throws {
        let item =
            #"{"number":1,"transaction":"\#(Self.first)","version":1,"operation":"sale","disposition":"never","rule":"iso.04","evidence":[]}"#
        for (name, text) in [
            (ReplayEvent.Name.itemsPlanned, #"{"items":[\#(item)]}"#),
            (.itemEnded, #"{"item":1,"transaction":"\#(Self.first)","end":"posted"}"#),
            (.approved, #"{"reason":"x","approver":{"name":"bob"},"byPolicy":true}"#),
        ] {
            let data = try JSONValue(parsing: text.utf8)
            #expect(try ReplayEvent(type: name.rawValue, schema: 1, data: data).data().text == text)
        }
    }

    /// Stored names never change.
    @Test func wordsAreStable() {
        #expect(
            Disposition.Name.allCases.map(\.rawValue) == [
                "resubmit", "already-posted", "never", "wait-until", "needs-person",
            ]
        )
        #expect(
            ReplayItemEnd.End.allCases.map(\.rawValue) == [
                "posted", "declined", "already-posted", "moved-on", "needs-person", "unknown",
            ]
        )
        #expect(
            ReplayOperation.allCases.map(\.rawValue) == [
                "sale", "authorization", "credit", "verification", "capture", "tip-adjustment", "void", "refund",
                "reversal",
            ]
        )
    }
}
