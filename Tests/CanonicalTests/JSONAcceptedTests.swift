import Canonical
import Testing

/// Documents that are JSON, and their values. In the style of the `y_` cases of JSONTestSuite.
@Suite("JSON that is accepted")
struct JSONAcceptedTests {
    /// Noncharacter code points are valid text. Swift has no literal for them.
    private static let noncharacters = [0xFFFF, 0xFFFE, 0xFDD0].compactMap { Unicode.Scalar($0) }
        .map { String($0) }.joined()

    private static let values: [(String, JSONValue)] = [
        ("null", .null), ("true", true), ("false", false),
        (" \t\r\n null \t\r\n ", .null),
        ("[]", []), ("[ ]", []), ("{}", [:]), ("{\n}", [:]),
        ("[1,2 , 3]", [1, 2, 3]), ("[[],[[]]]", [[], [[]]]),
        ("[null, 1, \"1\", {}]", [.null, 1, "1", [:]]),
        (#"{"a":1,"b":{"a":[true]}}"#, ["a": 1, "b": ["a": [true]]]),
        (#"{"":0}"#, ["": 0]), (#"{"a":null,"A":false}"#, ["a": .null, "A": false]),
        (#"{"a":{"k":1},"b":{"k":1}}"#, ["a": ["k": 1], "b": ["k": 1]]),
        (#""""#, ""), (#"" ""#, " "), (#""asd""#, "asd"), ("\"\u{7F}\"", "\u{7F}"),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0000""#, "\0"), (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\u0060\u012a\u12AB""#, "`Ī\u{12AB}"),
        (#""\ud83d\ude00""#, "😀"), (#""\uD800\uDC00""#, "\u{10000}"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
        (#""\uFFFF\uFFFE\uFDD0""#, .string(noncharacters)), (#""\\u0000""#, #"\u0000"#), (#""\\\"""#, #"\""#),
        ("\"\u{2028}\u{2029}\"", "\u{2028}\u{2029}"), ("\"\u{FEFF}\"", "\u{FEFF}"), ("\"π€𝄞\"", "π€𝄞"),
        (#""plain and longer than eight bytes\n""#, "plain and longer than eight bytes\n"),
        (#""\nand the escape in front""#, "\nand the escape in front"),
    ]

    @Test("Values", arguments: values)
    func value(text: String, expected: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == expected)
        #expect(try JSONValue(parsing: Array(text.utf8)) == expected)
    }

    @Test(
        "Numbers keep their text",
        arguments: [
            "0", "-0", "1", "-1", "10", "123", "0.0", "-0.0", "1.000", "0.1e1", "1e1", "1E1", "1e+1", "1e-1", "1E+01",
            "1e00",
            "123.456e78", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e400", "-1e-400",
            "0.00000000000000000000000000000000000000000000000000000000000001",
        ]
    )
    func number(literal: String) throws {
        #expect(try JSONValue(parsing: literal).number?.literal == literal)
        #expect(try JSONValue(parsing: "[\(literal)]").text == "[\(literal)]")
        #expect(JSONNumber(literal: literal)?.literal == literal)
    }

    @Test(
        "Integers",
        arguments: [
            ("0", 0), ("-0", 0), ("-1", -1), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e2", nil),
        ] as [(String, Int64?)]
    )
    func integer(literal: String, expected: Int64?) throws {
        #expect(try JSONValue(parsing: literal).int64 == expected)
    }

    @Test("Every length of string around the eight bytes that are scanned together")
    func stringLengths() throws {
        for length in 0...40 {
            for special in 0...length {
                var text = String(repeating: "a", count: length)
                #expect(try JSONValue(parsing: "\"\(text)\"").string == text)
                text.insert("\n", at: text.index(text.startIndex, offsetBy: special))
                let written = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
                #expect(try JSONValue(parsing: "\"\(written)\"").string == text)
                #expect(JSONValue.string(text).text == "\"\(written)\"")
            }
        }
    }

    @Test("Bytes from a collection that is not contiguous")
    func discontiguous() throws {
        let bytes = Array(#"{"a":[1,"é"]}"#.utf8).lazy.map { $0 }
        #expect(try JSONValue(parsing: bytes) == ["a": [1, "é"]])
    }

    @Test("Members keep their order, even when there are many")
    func memberOrder() throws {
        for count in [0, 1, 15, 16, 17, 18, 1000] {
            let keys = (0..<count).map { "k\(($0 * 7919) % 1000)" }
            let text = "{" + keys.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}"
            let value = try JSONValue(parsing: text)
            #expect(value.object?.members.map(\.key) == keys)
            #expect(keys.allSatisfy { value[$0]?.string == $0 })
            #expect(value["missing"] == nil)
            #expect(value.text == text)
        }
    }
}
