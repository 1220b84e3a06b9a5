import Audit
import Canonical
import EventLog
import Testing

/// Record lines are read strictly, and every written line can be read.
@Suite struct RecordLineReadingTests {
    private func read(_ line: String) throws -> RecordedEvent {
        try Array(line.utf8).withUnsafeBufferPointer { bytes in
            let line = try RecordLine(bytes)
            return RecordedEvent(
                position: line.position,
                id: line.id,
                tenant: line.text(line.tenant),
                stream: line.text(line.stream),
                version: line.version,
                type: line.text(line.type),
                schema: Int(line.schema),
                occurredAt: line.occurredAt,
                recordedAt: line.recordedAt,
                actor: line.text(line.actor),
                correlation: line.text(line.correlation),
                causation: line.causation,
                claims: line.claims.map { String(decoding: line[$0], as: UTF8.self) },
                data: String(decoding: line[line.data], as: UTF8.self)
            )
        }
    }

    @Test func recordLinesAreReadBack() throws {
        for event in SampleLog(count: 60).events {
            #expect(try read(event.recordLine) == event)
        }
    }

    @Test func escapesInTextsAreDecoded() throws {
        let event = SampleLog(count: 1).events[0]
        try Array(event.recordLine.utf8).withUnsafeBufferPointer { bytes in
            let line = try RecordLine(bytes)
            #expect(line.says(event.actor, at: line.actor) && line.says("acme", at: line.tenant))
            #expect(!line.says("till \\\"7\\\"x", at: line.actor) && !line.says("acm", at: line.tenant))
        }
    }

    /// Texts to replace in a good line, and their replacements.
    private static let changes: [(String, String)] = [
        (#"{"position":1,"#, #"{ "position":1,"#), (#""position":1,"#, #""position":01,"#),
        (#""position":1,"#, #""position":0,"#), (#""position":1,"#, #""position":-1,"#),
        (#""position":1,"#, #""position":9223372036854775808,"#), (#""position":1,"#, #""position":1.0,"#),
        (#""position":1,"#, ""), (#""tenant":"acme","#, #""tenant":"acme","tenant":"acme","#),
        (#""tenant":"acme""#, #""tenant":null"#), (#""tenant":"acme""#, #""tenant":"acm\u0065""#),
        (#""tenant":"acme""#, #""tenant":"a\u0000""#), (#""tenant":"acme""#, "\"tenant\":\"a\u{9}\""),
        (#""schema":1,"#, #""schema":32768,"#), (#""version":1,"#, #""version":0,"#),
        (#"2026-01-01T00:00:00.000001Z","recorded"#, #"2026-01-01T00:00:00.00001Z","recorded"#),
        (#"2026-01-01T00:00:00.000001Z","recorded"#, #"2026-02-30T00:00:00.000001Z","recorded"#),
        (#"2026-01-01T00:00:00.000001Z","recorded"#, #"2026-01-01T00:00:00.000001+00:00","recorded"#),
        (#"2026-01-01T00:00:00.000001Z","recorded"#, #"2026-01-01t00:00:00.000001Z","recorded"#),
        (#""causation":null"#, #""causation":"""#), (#""claims":null"#, #""claims":{}"#),
        (#""claims":null"#, #""claims":{"events":1,"idempotency":{},"references":[]}"#),
        (#""claims":null"#, #""claims":{"events":0,"idempotency":{},"references":["a"]}"#),
        (#""claims":null"#, #""claims":{"idempotency":{},"events":1,"references":["a"]}"#),
        (#""claims":null"#, #""claims":{"events":1,"idempotency":{"ab":"cd"},"references":["a"]}"#),
        ("1.50", "1.5e"), ("1.50", "01.5"), ("1.50", "+1.5"), ("1.50", "NaN"), ("1.50", "1.50 "),
        (#"\n""#, #"\u000a""#), (#"\n""#, #"\/""#), (#"\n""#, #"\u001F""#), (#"\n""#, #"\ud800""#),
        (#""amount":1.50"#, #""note":1.50"#), ("[],null", "[],"), ("[],null", "[],nul"), ("[],null", "[},null"),
        (#"e2]}}"#, #"e2]}"#), (#"e2]}}"#, #"e2]}} "#), (#"e2]}}"#, #"e2]},"more":1}"#),
    ]

    @Test(arguments: changes.indices) func otherSpellingsAreRefused(_ index: Int) async throws {
        var event = SampleLog(count: 1).events[0]
        event.claims = nil
        let good = event.recordLine
        #expect(Check.faults(of: good + "\n").isEmpty)
        let (old, new) = Self.changes[index]
        let bad = good.replacing(old, with: new, maxReplacements: 1)
        try #require(bad != good)
        #expect(throws: RecordLineError.self) { try read(bad) }
        #expect(Check.faults(of: bad + "\n").map(\.kind) == [.line])
    }

    @Test func bothVerifiersRefuseTheSame() async throws {
        var event = SampleLog(count: 1).events[0]
        event.claims = nil
        let good = event.recordLine
        let bad = Self.changes.map { good.replacing($0.0, with: $0.1, maxReplacements: 1) + "\n" }
        let verdict = try await Check.python(bad.joined())
        let refused = Set(verdict.output.split(separator: "\n").filter { $0.contains(": line: ") })
        #expect(refused.count == bad.count, "\(verdict.output)")
    }

    @Test func invalidUTF8IsRefused() {
        var bytes = Array(SampleLog(count: 1).lines[0].utf8)
        let place = bytes.firstRange(of: Array("acme".utf8))?.lowerBound ?? 0
        for wrong: [UInt8] in [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF], [0xE2, 0x82]] {
            var changed = bytes
            changed.replaceSubrange(place..<place + 4, with: wrong)
            #expect(throws: RecordLineError.self) {
                try changed.withUnsafeBufferPointer { bytes in _ = try RecordLine(bytes) }
            }
        }
        bytes[place] = 0x62
        #expect(throws: Never.self) { try bytes.withUnsafeBufferPointer { bytes in _ = try RecordLine(bytes) } }
    }

    @Test func manyMemberNamesAreDistinctAndDeepNestingIsRefused() throws {
        func accepts(_ data: String) -> Bool {
            var event = SampleLog(count: 1).events[0]
            event.data = data
            return (try? read(event.recordLine)) != nil
        }
        func object(_ names: [Int]) -> String { "{" + names.map { "\"n\($0)\":{}" }.joined(separator: ",") + "}" }
        #expect(accepts(object(Array(0..<500))))
        #expect(!accepts(object(Array(0..<500) + [250])))
        // A few names are compared in another way.
        for count in 1...24 {
            #expect(accepts(object(Array(0..<count))))
            for twice in 0..<count - 1 { #expect(!accepts(object(Array(0..<count - 1) + [twice]))) }
        }
        #expect(accepts(#"{"":1,"a":2}"#) && !accepts(#"{"":1,"a":2,"":3}"#))
        #expect(accepts("[" + object([1, 2]) + "," + object([1, 2]) + "]"))
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(accepts(nested(200)) && !accepts(nested(201)))
    }
}
