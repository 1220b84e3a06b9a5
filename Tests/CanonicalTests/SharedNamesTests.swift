import DaybookTestKit
import Testing

@testable import Canonical

private final class Count: Sendable {}

/// Objects that were read with the same names share them, and behave like objects with own lists.
@Suite struct SharedNamesTests {
    private static func unshared(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            var own = JSONObject()
            for member in object { _ = own.append(member.key, unshared(member.value)) }
            return .object(own)
        case .array(let elements): return .array(elements.map(unshared))
        case .null, .bool, .number, .string: return value
        }
    }

    private static func document(_ random: inout SeededGenerator, depth: Int = 0) -> String {
        let names = ["amount", "a", "b", "merchant_id", "x-y.z", "longer than eight", "\\u0061b", "é", "12345678", ""]
        switch depth < 3 ? Int.random(in: 0..<6, using: &random) : 0 {
        case 0, 1: return ["1", "\"t\"", "null", "true", "-0.50"].randomElement(using: &random) ?? "1"
        case 2:
            let count = Int.random(in: 0..<4, using: &random)
            return "[" + (0..<count).map { _ in document(&random, depth: depth + 1) }.joined(separator: ",") + "]"
        default:
            let chosen = names.shuffled(using: &random).prefix(Int.random(in: 0...10, using: &random))
            return "{" + chosen.map { "\"\($0)\":\(document(&random, depth: depth + 1))" }.joined(separator: ",") + "}"
        }
    }

    @Test func sharedAndOwnNamesAreAlike() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let text = Self.document(&random)
            let first = try JSONValue(parsing: text)
            let second = try JSONValue(parsing: text)
            let own = Self.unshared(first)
            #expect(first == second && first == own && first.hashValue == own.hashValue)
            #expect(first.text == own.text && first.sortedText == own.sortedText)
            guard case .object(let object) = second, case .object(let plain) = own else { continue }
            #expect(object.keys == plain.keys)
            for key in object.keys { #expect(object[key] == plain[key]) }
            #expect(object["absent"] == nil)
            // Any part may be left out, and the rest goes on as before.
            let removed = object.indices.filter { _ in Bool.random(using: &random) }
            let rest = object.with(values: object.values, without: removed)
            let kept = JSONObject(plain.enumerated().filter { !removed.contains($0.offset) }.map { ($1.key, $1.value) })
            #expect(rest == kept && JSONValue.object(rest).sortedText == kept.map { JSONValue.object($0).sortedText })
            var changed = object
            changed["absent"] = .null
            #expect(changed.sharedNames == nil && changed.count == object.count + 1)
            #expect(JSONValue.object(object).text == first.text)
        }
    }

    @Test func plainNamesAreShared() throws {
        func object(_ text: String) throws -> JSONObject { try #require(try JSONValue(parsing: text).object) }
        let first = try object(#"{"shared.amount":1,"currency":"USD","password":"x"}"#)
        let second = try object(#" { "shared.amount" : 2 , "currency" : null , "password" : [] } "#)
        #expect(first.sharedNames != nil && first.sharedNames === second.sharedNames)
        let rest = [first, second].map { $0.with(values: $0.values, without: [2]) }
        #expect(rest[0].sharedNames != nil && rest[0].sharedNames === rest[1].sharedNames)
        #expect(try rest[0].sharedNames === object(#"{"shared.amount":1,"currency":1}"#).sharedNames)
        // A name could hold a card number, or be spelt in two ways.
        for name in ["4111111111111111", "pan 4111", "\\u0061", "ä", String(repeating: "a", count: 65)] {
            #expect(try object("{\"\(name)\":1}").sharedNames == nil, "\(name)")
        }
        let many = (0...128).map { "\"n\($0)\":1" }.joined(separator: ",")
        #expect(try object("{\(many)}").sharedNames == nil)
    }

    @Test func derivedValuesAreMadeOnce() throws {
        let names = try #require(try JSONValue(parsing: #"{"derived.once":1}"#).object?.sharedNames)
        let first = names.derived(Count.self) { Count() }
        let second = names.derived(Count.self) { Count() }
        #expect(ObjectIdentifier(first) == ObjectIdentifier(second))
    }

    /// The fault that comes first in the text is reported, although names are compared when their object ends.
    @Test(arguments: [
        (#"{"a":1,"a":2}"#, JSONParseError(.duplicateKey, offset: 7)),
        (#"{"a":1,"a":2,x}"#, JSONParseError(.duplicateKey, offset: 7)),
        (#"{"a":1,"a":x}"#, JSONParseError(.unexpectedByte, offset: 11)),
        (#"{"a":1,"\u0061":2,"b":3}"#, JSONParseError(.duplicateKey, offset: 7)),
        (#"{"a":1,"a":2,"b":{"c":1,"c":2"#, JSONParseError(.duplicateKey, offset: 7)),
        (#"{"a":1,"b":{"c":1,"c":2,"d":x"#, JSONParseError(.duplicateKey, offset: 18)),
        (#"{"a":{"c":1,"c":2},"a":1}"#, JSONParseError(.duplicateKey, offset: 12)),
        (#"{"a":1,"a""#, JSONParseError(.unexpectedEnd, offset: 10)),
        (#"{"a":1,"a":[1,]}"#, JSONParseError(.unexpectedByte, offset: 14)),
        (#"[{"a":1,"b":2,"a":3},{"#, JSONParseError(.duplicateKey, offset: 14)),
    ])
    func theFirstFaultIsReported(text: String, error: JSONParseError) {
        #expect(throws: error) { try JSONValue(parsing: text) }
    }
}
