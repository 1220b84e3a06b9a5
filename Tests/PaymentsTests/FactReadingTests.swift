import Canonical
import DaybookTestKit
import Payments
import TestFacts
import Testing

/// The direct reading of a text gives the same values as `Decodable`.
@Suite struct FactReadingTests {
    private static let quick: Set<String> = [
        "DocumentReceived", "SaleRequested", "AuthorizationRequested", "AuthorizationApproved", "Captured", "Settled",
    ]

    private static var events: [TransactionEvent] { Samples.transactions.flatMap { [$0.full, $0.minimal] } }

    /// The same event with apostrophes in place of quotation marks: texts with escapes are left to `Decodable`.
    private static func withoutEscapes(_ event: TransactionEvent) throws -> (event: TransactionEvent, text: String) {
        let text = try event.data().text.replacing(#"\""#, with: "'")
        let data = try JSONValue(parsing: text.utf8)
        return (try TransactionEvent(type: event.type, schema: event.schema, data: data), text)
    }

    @Test func theCommonFactsAreReadFromTheirText() throws {
        for sample in Self.events {
            let (event, text) = try Self.withoutEscapes(sample)
            let read = TransactionEvent(folding: text, type: event.type, schema: event.schema)
            #expect(read == (Self.quick.contains(event.type) ? event.withoutDocument : nil), "\(event.type)")
            #expect(TransactionEvent(folding: text, type: event.type, schema: 2) == nil)
            #expect(TransactionEvent(folding: text + "x", type: event.type, schema: 1) == nil)
            #expect(TransactionEvent(folding: String(text.dropLast()), type: event.type, schema: 1) == nil)
        }
    }

    @Test func bothReadingsFoldToTheSame() throws {
        for sample in Self.events where Self.quick.contains(sample.type) {
            let (event, text) = try Self.withoutEscapes(sample)
            let read = try #require(TransactionEvent(folding: text, type: event.type, schema: event.schema))
            #expect(TransactionState(folding: [read]) == TransactionState(folding: [event]))
        }
    }

    /// The JSON that is written by hand equals the encoded JSON.
    @Test func storedAnswersAreReadInParts() throws {
        var cards = 0
        for case .authorizationApproved(let approval) in Self.events {
            var json = JSONText()
            json.object { json in
                json.set("references", approval.references)
                json.set("card", approval.card)
            }
            var encoded: JSONObject = ["references": try approval.references.jsonValue()]
            encoded.set("card", try approval.card?.jsonValue())
            #expect(json.text == JSONValue.object(encoded).text)
            if approval.card != nil { cards += 1 }
        }
        #expect(cards > 0)
    }

    /// Members are removed, set to null, repeated, given other values, and joined by further members.
    @Test func unusualFactsAreReadTheSameOrByTheDecoder() throws {
        var random = SeededGenerator.forTest()
        var read = 0
        let events = Self.events.filter { Self.quick.contains($0.type) && $0.type != "DocumentReceived" }
        for _ in 0..<4000 {
            let event = try #require(events.randomElement(using: &random))
            let text = try Self.changed(event.data(), &random).text
            guard let found = TransactionEvent(folding: text, type: event.type, schema: 1) else { continue }
            read += 1
            let ordinary = try TransactionEvent(type: event.type, schema: 1, data: JSONValue(parsing: text.utf8))
            #expect(found == ordinary, "\(text)")
        }
        #expect(read > 400)
    }

    @Test("Generated facts are read from their text as they are decoded")
    func generatedFacts() throws {
        var random = SeededGenerator.forTest()
        for range in [FactGenerator.Range.plausible, .extreme] {
            var generator = FactGenerator(SeededGenerator(seed: random.next()), range)
            var read: Set<String> = []
            for _ in 0..<4_000 {
                let event = generator.fact()
                guard Self.quick.contains(event.type) else { continue }
                let text = try event.data().text
                let data = try JSONValue(parsing: text.utf8)
                #expect(try TransactionEvent(type: event.type, schema: event.schema, data: data) == event, "\(text)")
                // What the fast path does not read is left to the decoder.
                guard let found = TransactionEvent(folding: text, type: event.type, schema: event.schema) else {
                    continue
                }
                #expect(found == event, "\(text)")
                read.insert(event.type)
            }
            #expect(read == Self.quick.subtracting(["DocumentReceived"]))
        }
    }

    @Test(arguments: [
        #"{"code":"a\nb"}"#, #"{"code":1}"#, #"{"code":null}"#, #"{"code":"a","code":"b"}"#, #"{"code":"a",}"#,
        #"{ "code":"a"}"#, #"{"code""a"}"#, #"{"message":"a""#, #"["a"]"#,
    ])
    func unreadableFactsAreLeftToTheDecoder(response: String) {
        let text = """
            {"id":"1","amounts":{"total":{"value":1,"currency":"USD"}},"evidence":"gateway","response":\(response),\
            "references":{}}
            """
        #expect(TransactionEvent(folding: text, type: "Captured", schema: 1) == nil)
    }

    @Test(arguments: [
        ("0", 0), ("-5", -5), ("12345678901234567", 12_345_678_901_234_567), ("-0", 0), ("1.0", nil), ("1e2", nil),
        ("01", nil), ("-", nil), ("123456789012345678901", nil), ("\"1\"", nil), ("true", nil),
    ])
    func wholeNumbersAreReadExactly(literal: String, value: Int64?) {
        #expect(JSONTextReader.read(literal) { $0.integer() } == value)
    }

    @Test(arguments: [
        ("{\"a\":[1,{\"b\":\"\\\"}\"},null],\"c\":true}", true), ("\"\\\\\"", true), ("[]", true), ("-1.5e3", true),
        ("[[1,2],[3]]", true), ("[1,2", false), ("{\"a\":1", false), ("\"a", false), ("]", false), (",", false),
    ])
    func aValueIsSkippedWhole(text: String, isWhole: Bool) {
        #expect((JSONTextReader.read(text) { $0.skip() ? true : nil } ?? false) == isWhole)
    }

    private static func changed(_ value: JSONValue, _ random: inout SeededGenerator) -> JSONValue {
        switch value {
        case .object(let object):
            var members = object.members.map { ($0.key, $0.value) }
            if members.isEmpty || Int.random(in: 0..<8, using: &random) == 0 {
                members.append(("other\(members.count)", ["x": [1, "\"", true]]))
                return JSONObject(members).map(JSONValue.object) ?? value
            }
            let index = Int.random(in: 0..<members.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: members.remove(at: index)
            case 1: members[index].1 = .null
            case 2: members.shuffle(using: &random)
            case 3: members[index].1 = .number(JSONNumber(Int64.random(in: -9...9, using: &random)))
            case 4: members[index].1 = .string(["USD", "é\u{1}", "", "gateway"].randomElement(using: &random) ?? "")
            default: members[index].1 = changed(members[index].1, &random)
            }
            return JSONObject(members).map(JSONValue.object) ?? value
        case .array(let elements) where !elements.isEmpty:
            var elements = elements
            let index = Int.random(in: 0..<elements.count, using: &random)
            elements[index] = changed(elements[index], &random)
            return .array(elements)
        default: return .bool(true)
        }
    }
}

extension TransactionEvent {
    /// The event without the parts that folding does not use.
    fileprivate var withoutDocument: TransactionEvent {
        guard case .documentReceived(var received) = self else { return self }
        received.document = .null
        received.redactions = []
        return .documentReceived(received)
    }
}
