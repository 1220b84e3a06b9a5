import Canonical
import DaybookTestKit
import EventLog
import Postgres
import Testing

struct VerbatimTests {
    private static let texts = [
        "{\"z\":1,\"a\":2}", "{\"u\":\"\u{e9}\u{1F4B3}\"}", "{\"nul\":\"a\\u0000b\"}",
        "{\"n\":1.10,\"e\":1E+2,\"big\":9007199254740993}", "{\"slash\":\"a/b\"}", "[]", "null", "\"text\"",
        "{\"tab\":\"\\t\",\"del\":\"\u{7F}\"}", "-0", "[[],{}]",
    ]

    /// JSON that is not in canonical form, and text that is not JSON.
    private static let others = [
        "{ \"a\":1}", "{\"a\":1,\"a\":2}", "{\"u\":\"\\u00e9\"}", "{\"slash\":\"a\\/b\"}", "{}\n", " {}", "{}{}", "",
        "{",
        "{\"card\": 4111", "01", "nul", "\"\t\"", "[1,]",
        String(repeating: "[", count: 201) + String(repeating: "]", count: 201),
    ]

    @Test func dataThatIsNotCanonicalIsRefusedBeforeAnythingIsWritten() async throws {
        try await TestLog.with { log in
            var items = Self.others.map { text in
                var item = AppendItem.sample("a", count: 2)
                item.events[1].data = text
                return item
            }
            // Stored text is not trusted to be canonical.
            var stored = ProposedEvent.sample()
            try stored.encode(StoredJSON("{\n}"))
            var careless = AppendItem.sample("a", count: 1)
            careless.events[0] = stored
            items.append(careless)
            // The source of an event that was encoded vouches for no other data.
            var encoded = ProposedEvent.sample()
            try encoded.encode(JSONValue.null)
            var item = AppendItem.sample("a", count: 1)
            item.events[0] = ProposedEvent(
                id: encoded.id,
                type: encoded.type,
                schema: encoded.schema,
                occurredAt: encoded.occurredAt,
                actor: encoded.actor,
                correlation: encoded.correlation,
                data: "{ }",
                source: encoded.source
            )
            items.append(item)
            items.append(.sample("b"))
            let outcomes = await log.sequencer.append(items)
            #expect(outcomes.dropLast().allSatisfy { $0 == .failure(AppendError(.notCanonical)) })
            #expect(outcomes.last == .success(.appended(AppendedRange(firstPosition: 1, count: 1))))
            let events = try await log.events()
            #expect(events.map(\.stream) == ["b"])
        }
    }

    @Test func dataComesBackByteForByte() async throws {
        try await TestLog.with { log in
            var item = AppendItem.sample("a", count: 0)
            item.events = Self.texts.map { .sample(data: $0) }
            item.events.append(.sample(data: "\"" + String(repeating: "\u{20AC}", count: 300_000) + "\""))
            _ = try await log.sequencer.append(item)
            let stored = try await log.events()
            #expect(stored.map(\.data).map { Array($0.utf8) } == item.events.map { Array($0.data.utf8) })
        }
    }

    @Test func theEnvelopeComesBackAsItWas() async throws {
        try await TestLog.with { log in
            let cause = ProposedEvent.sample()
            let event = ProposedEvent(
                id: UUID128(high: 1, low: 2),
                type: "Type\u{e9}",
                schema: 32_767,
                occurredAt: .earliest,
                actor: "key:\"1\"",
                correlation: "",
                causation: cause.id,
                data: "{}"
            )
            var last = ProposedEvent.sample("Last", occurredAt: .latest)
            last.causation = nil
            var item = AppendItem.sample("stream/\u{1F4B3} x", tenant: "t\u{e9}", count: 0)
            item.events = [event, last]
            _ = try await log.sequencer.append(item)
            let stored = try await log.events()
            #expect(stored[0].id == event.id)
            #expect(stored[0].type == event.type)
            #expect(stored[0].schema == event.schema)
            #expect(stored[0].occurredAt == event.occurredAt)
            #expect(stored[0].actor == event.actor)
            #expect(stored[0].correlation == event.correlation)
            #expect(stored[0].causation == event.causation)
            #expect(stored[0].tenant == item.tenant)
            #expect(stored[0].stream == item.stream)
            #expect(stored[0].recordedAt == log.clock.now())
            #expect(stored[1].occurredAt == .latest)
            #expect(stored[1].causation == nil)
            #expect(try await log.reader.event(at: 1, of: item.tenant) == stored[0])
            #expect(try await log.reader.event(at: 1, of: "acme") == nil)
            let range = AppendedRange(firstPosition: 2, count: 1)
            #expect(try await log.reader.range(range) == [stored[1]])
        }
    }

    @Test func recordedAtNeverGoesBack() async throws {
        try await TestLog.with { log in
            let start = log.clock.now()
            _ = try await log.sequencer.append(.sample("a"))
            log.clock.advance(seconds: -3600)
            _ = try await log.sequencer.append(.sample("a"))
            log.clock.advance(seconds: 3601)
            _ = try await log.sequencer.append(.sample("a"))
            log.clock.set(.earliest)
            _ = try await log.sequencer.append(.sample("b"))
            let times = try await log.events().map(\.recordedAt)
            let later = start.adding(microseconds: 1_000_000)
            #expect(times == [start, start, later, later])
        }
    }

    @Test(arguments: ["events", "events_000000000001", "idempotency", "reference_keys", "tiles"])
    func recordedEventsCannotBeChanged(table: String) async throws {
        try await TestLog.with { log in
            _ = try await log.sequencer.append(.sample("a", keys: [.sample("k")], references: ["x"]))
            let column = ["idempotency": "events", "tiles": "level"][table] ?? "tenant"
            let before = try await log.superuser.query("SELECT count(*) FROM ledger.\(table)").single().int64(0)
            for sql in [
                "UPDATE ledger.\(table) SET \(column) = \(column)", "DELETE FROM ledger.\(table)",
                "TRUNCATE ledger.\(table)", "TRUNCATE ledger.\(table) CASCADE",
            ] {
                let error = await #expect(throws: PostgresError.self) { try await log.superuser.execute(sql) }
                #expect(error?.sqlState == "42501")
            }
            let count = try await log.superuser.query("SELECT count(*) FROM ledger.\(table)").single().int64(0)
            #expect(count == before)
        }
    }
}
