import Canonical
import Testing

/// The schema checker finds faults.
@Suite struct JSONSchemaTests {
    private static let document: JSONValue = [
        "schemas": ["Name": ["type": "string", "pattern": "^[a-z]+$"]]
    ]
    private let judge = JSONSchema(document: document)

    static let cases: [(schema: JSONValue, good: JSONValue, bad: JSONValue)] = [
        (["type": "integer"], 1, "1"),
        (["type": "integer"], 1, .number(JSONNumber(literal: "1.5") ?? JSONNumber(0 as Int64))),
        (["type": ["string", "null"]], .null, false),
        (["type": "boolean"], true, 0),
        (["$ref": "#/schemas/Name"], "abc", "ABC"),
        (["required": ["a"]], ["a": .null], ["b": 1]),
        (["properties": ["a": ["type": "string"]]], ["b": 1], ["a": 1]),
        (["properties": ["a": [:]], "additionalProperties": false], ["a": 1], ["a": 1, "b": 2]),
        (["additionalProperties": ["type": "integer"]], ["a": 1], ["a": "1"]),
        (["items": ["type": "string"]], ["a", "b"], ["a", 1]),
        (["enum": ["a", "b"]], "b", "c"),
        (["const": "a"], "a", "b"),
        (["minimum": 1, "maximum": 3], 3, 4),
        (["minimum": 1], 1, 0),
        (["minLength": 1, "maxLength": 2], "ab", "abc"),
        (["minLength": 1], "a", ""),
        (["allOf": [["minimum": 1], ["maximum": 3]]], 2, 4),
        (["anyOf": [["const": 1], ["type": "integer"]]], 1, "1"),
        (["oneOf": [["const": 1], ["type": "integer"]]], 2, 1),
        (["not": ["type": "null"]], 1, .null),
        (["format": "date-time"], "2026-01-01T00:00:00Z", "yesterday"),
        (["format": "int64"], 1, .number(JSONNumber(literal: "99999999999999999999") ?? JSONNumber(0 as Int64))),
    ]

    @Test(arguments: cases)
    func distinguishesValidFromInvalid(_ schema: JSONValue, _ good: JSONValue, _ bad: JSONValue) {
        #expect(judge.faults(of: good, by: schema) == [])
        #expect(judge.faults(of: bad, by: schema) != [])
        #expect(judge.unknownKeywords(in: schema, at: "") == [])
    }

    @Test func anUncheckedKeywordIsAFault() {
        #expect(judge.faults(of: 1, by: ["multipleOf": 1]) != [])
        #expect(judge.faults(of: "a", by: ["format": "email"]) != [])
        #expect(judge.faults(of: 1, by: ["$ref": "#/schemas/Nobody"]) != [])
        #expect(judge.unknownKeywords(in: ["items": ["multipleOf": 1]], at: "") == ["/items/multipleOf"])
        #expect(judge.unknownKeywords(in: ["properties": ["a": ["if": true]]], at: "") == ["/properties/a/if"])
    }

    @Test func falseAllowsNothing() {
        #expect(judge.faults(of: 1, by: false) != [])
        #expect(judge.faults(of: 1, by: true) == [])
        #expect(judge.faults(of: 1, by: "no schema") != [])
    }
}
