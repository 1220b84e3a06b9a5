import Canonical
import Testing

/// Bytes that are not JSON, with the code and the offset of the refusal. In the style of the `n_` cases of
/// JSONTestSuite.
@Suite("JSON that is refused")
struct JSONRefusedTests {
    private static let texts: [(String, JSONParseError.Code, Int)] = [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2),
        ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("{", .unexpectedEnd, 1),
        (#"{"a"#, .unexpectedEnd, 3), (#"{"a""#, .unexpectedEnd, 4), (#"{"a":"#, .unexpectedEnd, 5),
        (#"{"a":1"#, .unexpectedEnd, 6), (#"{"a":1,"#, .unexpectedEnd, 7),
        (#"""#, .unexpectedEnd, 1), (#""a"#, .unexpectedEnd, 2), (#""\"#, .unexpectedEnd, 2),
        (#""\u"#, .unexpectedEnd, 3),
        (#""\u00"#, .unexpectedEnd, 5), (#""\u0041"#, .unexpectedEnd, 7), (#""\ud83d"#, .unexpectedEnd, 7),
        (#""\ud83d\"#, .unexpectedEnd, 8), (#""\ud83d\u"#, .unexpectedEnd, 9), (#""\n"#, .unexpectedEnd, 3),
        ("tru", .unexpectedEnd, 3), ("n", .unexpectedEnd, 1), ("-", .unexpectedEnd, 1), ("1.", .unexpectedEnd, 2),
        ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
        ("[1,]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1), ("[1,,2]", .unexpectedByte, 3),
        ("[1 2]", .unexpectedByte, 3), ("[1}", .unexpectedByte, 2), ("[\"a\":1]", .unexpectedByte, 4),
        ("]", .unexpectedByte, 0),
        (#"{"a":1,}"#, .unexpectedByte, 7), ("{,}", .unexpectedByte, 1), (#"{"a"}"#, .unexpectedByte, 4),
        (#"{"a" 1}"#, .unexpectedByte, 5), (#"{"a"::1}"#, .unexpectedByte, 5), ("{a:1}", .unexpectedByte, 1),
        ("{1:1}", .unexpectedByte, 1), ("{'a':1}", .unexpectedByte, 1), (#"{"a":1]"#, .unexpectedByte, 6),
        (#"{"a":1 "b":2}"#, .unexpectedByte, 7), (#"{"a":}"#, .unexpectedByte, 5), ("{null:1}", .unexpectedByte, 1),
        ("True", .unexpectedByte, 0), ("trUe", .unexpectedByte, 2), ("nul1", .unexpectedByte, 3),
        ("undefined", .unexpectedByte, 0),
        ("NaN", .unexpectedByte, 0), ("nan", .unexpectedByte, 1), ("Infinity", .unexpectedByte, 0),
        ("-Infinity", .unexpectedByte, 1),
        ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0), ("-.5", .unexpectedByte, 1),
        ("1.e1", .unexpectedByte, 2),
        ("1.a", .unexpectedByte, 2), ("1ex", .unexpectedByte, 2), ("1e++1", .unexpectedByte, 3),
        ("--1", .unexpectedByte, 1),
        ("'a'", .unexpectedByte, 0), ("/**/1", .unexpectedByte, 0), ("#1", .unexpectedByte, 0),
        ("\u{A0}1", .unexpectedByte, 0),
        ("[\u{B}]", .unexpectedByte, 1), ("\u{C}1", .unexpectedByte, 0), ("\0", .unexpectedByte, 0),
        ("１", .unexpectedByte, 0),
        ("\"\n\"", .unexpectedByte, 1), ("\"a\tb\"", .unexpectedByte, 2), ("\"\0\"", .unexpectedByte, 1),
        ("\"\u{1F}\"", .unexpectedByte, 1), ("\"01234567\u{1}\"", .unexpectedByte, 9),
        (#""\a""#, .unexpectedByte, 2), (#""\x41""#, .unexpectedByte, 2), (#""\U0041""#, .unexpectedByte, 2),
        (#""\'""#, .unexpectedByte, 2), (#""\u004g""#, .unexpectedByte, 6), (#""\u+041""#, .unexpectedByte, 3),
        (#""\u{41}""#, .unexpectedByte, 3), ("\"\\\u{1}\"", .unexpectedByte, 2), ("\"\\é\"", .unexpectedByte, 2),
        (#""\u00""#, .unexpectedByte, 5),
        (#""\ud83d""#, .loneSurrogate, 1), (#""\ude00""#, .loneSurrogate, 1), (#""a\ud83db""#, .loneSurrogate, 2),
        (#""\ud83d\n""#, .loneSurrogate, 1), (#""\ud83d\ud83d""#, .loneSurrogate, 1),
        (#""\ud83d\u0041""#, .loneSurrogate, 1),
        (#""\ude00\ud83d""#, .loneSurrogate, 1), (#""\ud83d\ude00\ude00""#, .loneSurrogate, 13),
        ("1 2", .trailingData, 2), ("[]]", .trailingData, 2), ("{}{}", .trailingData, 2), ("01", .trailingData, 1),
        ("-01", .trailingData, 2), ("1.5.5", .trailingData, 3), ("0x1", .trailingData, 1), ("truee", .trailingData, 4),
        ("null\0", .trailingData, 4), ("\"a\"b", .trailingData, 3), ("1,", .trailingData, 1), ("1//", .trailingData, 1),
        (#"{"a":1,"a":1}"#, .duplicateKey, 7), (#"{"a":1,"b":2,"\u0061":3}"#, .duplicateKey, 13),
        (#"[{"":0, "":1}]"#, .duplicateKey, 8), (#"{"b":{"a":1,"a":2},"b":2}"#, .duplicateKey, 12),
        ("\u{FEFF}1", .byteOrderMark, 0), ("\u{FEFF}", .byteOrderMark, 0),
    ]

    @Test("Texts", arguments: texts)
    func text(_ text: String, _ code: JSONParseError.Code, _ offset: Int) {
        #expect(throws: JSONParseError(code, offset: offset)) { try JSONValue(parsing: text) }
    }

    private static let illFormed: [([UInt8], Int)] = [
        ([0x80], 0), ([0xBF], 0), ([0xFF], 0), ([0xFE], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC3], 0),
        ([0xC3, 0x28], 0), ([0x61, 0xE2, 0x82], 1), ([0xE2, 0x28, 0xA1], 0), ([0xE0, 0x80, 0x80], 0),
        ([0xE0, 0x9F, 0xBF], 0),
        ([0xED, 0xA0, 0x80], 0), ([0xED, 0xBF, 0xBF], 0), ([0xF0, 0x80, 0x80, 0x80], 0), ([0xF0, 0x8F, 0xBF, 0xBF], 0),
        ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xF0, 0x9F, 0x98], 0),
        ([0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xFF], 5), (Array("01234567890é".utf8) + [0x80, 0x41], 13),
        ([0xF8, 0x88, 0x80, 0x80, 0x80], 0),
    ]

    @Test("Ill-formed UTF-8 within a string, with and without an escape beside it", arguments: illFormed)
    func invalidUTF8(_ bytes: [UInt8], _ offset: Int) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONParseError(.invalidUTF8, offset: 1 + offset)) {
            try JSONValue(parsing: [quote] + bytes + [quote])
        }
        #expect(throws: JSONParseError(.invalidUTF8, offset: 3 + offset)) {
            try JSONValue(parsing: Array(#""\n"#.utf8) + bytes + [quote])
        }
        #expect(throws: JSONParseError(.invalidUTF8, offset: 2 + offset)) {
            try JSONValue(parsing: Array("{\"".utf8) + bytes + Array(#"\n":1}"#.utf8))
        }
    }

    @Test("Every ASCII byte at every place of a string, read and written")
    func everyByteEverywhere() throws {
        for byte in 0...0x7F as ClosedRange<UInt8> {
            for place in 0..<20 {
                var content = [UInt8](repeating: UInt8(ascii: "a"), count: 20)
                content[place] = byte
                let text = String(decoding: content, as: UTF8.self)
                let written = JSONValue.string(text).canonicalBytes
                #expect(try JSONValue(parsing: written) == .string(text))
                let document = [UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")]
                switch byte {
                case 0..<0x20:
                    #expect(throws: JSONParseError(.unexpectedByte, offset: 1 + place)) {
                        try JSONValue(parsing: document)
                    }
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    #expect(throws: JSONParseError.self) { try JSONValue(parsing: document) }
                default:
                    #expect(written == document)
                    #expect(try JSONValue(parsing: document) == .string(text))
                }
            }
        }
    }

    @Test("Other encodings")
    func otherEncodings() {
        #expect(throws: JSONParseError(.unexpectedByte, offset: 0)) {
            try JSONValue(parsing: [0xFF, 0xFE, 0x31, 0x00])
        }
        #expect(throws: JSONParseError(.trailingData, offset: 1)) { try JSONValue(parsing: [0x31, 0x00]) }
        #expect(throws: JSONParseError(.unexpectedByte, offset: 0)) { try JSONValue(parsing: [0x00, 0x31]) }
    }

    @Test("Keys are compared by their bytes, not by their appearance")
    func equivalentKeys() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value.object?.count == 2)
        #expect(value["\u{E9}"]?.int64 == 1)
        #expect(value["e\u{301}"]?.int64 == 2)
    }

    @Test("A repeated key among many", arguments: [2, 16, 17, 18, 5000])
    func duplicateAmongMany(count: Int) {
        let keys = (0..<count).map { "\"k\($0)\":0" }
        for repeated in [0, count / 2, count - 1] {
            let text = "{" + (keys + [keys[repeated]]).joined(separator: ",") + "}"
            let offset = text.utf8.count - 1 - keys[repeated].utf8.count
            #expect(throws: JSONParseError(.duplicateKey, offset: offset)) { try JSONValue(parsing: text) }
        }
    }

    @Test("Depth is limited, and arrays and objects both count")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            (0..<depth).map { $0.isMultiple(of: 2) ? "[" : "{\"a\":" }.joined() + "0"
                + (0..<depth).reversed().map { $0.isMultiple(of: 2) ? "]" : "}" }.joined()
        }
        #expect(try JSONValue(parsing: nested(64)).text == nested(64))
        #expect(throws: JSONParseError(.depthExceeded, offset: 32 * 6)) { try JSONValue(parsing: nested(65)) }
        #expect(throws: JSONParseError(.depthExceeded, offset: 64)) {
            try JSONValue(parsing: [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000))
        }
        #expect(throws: JSONParseError(.depthExceeded, offset: 0)) {
            try JSONValue(parsing: "[]", limits: JSONLimits(maximumDepth: 0))
        }
        #expect(try JSONValue(parsing: "0", limits: JSONLimits(maximumDepth: 0)) == 0)
        // Side by side is not deep.
        #expect(try JSONValue(parsing: "[" + String(repeating: "[],", count: 1000) + "[]]").array?.count == 1001)
        #expect(JSONLimits(maximumDepth: .max).maximumDepth == JSONLimits.deepest)
        #expect(try JSONValue(parsing: nested(512), limits: JSONLimits(maximumDepth: 512)).text == nested(512))
    }

    @Test("Length is limited")
    func length() throws {
        let limits = JSONLimits(maximumBytes: 4, maximumNumberBytes: 3)
        #expect(try JSONValue(parsing: "\"ab\"", limits: limits) == "ab")
        #expect(throws: JSONParseError(.tooLarge, offset: 4)) { try JSONValue(parsing: "\"abc\"", limits: limits) }
        #expect(throws: JSONParseError(.tooLarge, offset: 4)) { try JSONValue(parsing: "1    ", limits: limits) }
        #expect(try JSONValue(parsing: "-12", limits: limits) == -12)
        #expect(throws: JSONParseError(.numberTooLong, offset: 0)) { try JSONValue(parsing: "1234", limits: limits) }
        let digits = String(repeating: "1", count: 64)
        #expect(try JSONValue(parsing: "[\(digits)]").text == "[\(digits)]")
        #expect(throws: JSONParseError(.numberTooLong, offset: 1)) { try JSONValue(parsing: "[\(digits)1]") }
        #expect(JSONNumber(literal: digits + "1") == nil)
    }

    @Test(
        "A number's text is checked",
        arguments: ["", "-", "01", "1.", "+1", "1 ", " 1", "1e", "0x1", "NaN", "1,0", "٣"]
    )
    func malformedNumber(_ text: String) {
        #expect(JSONNumber(literal: text) == nil)
    }

    @Test("An error has the code and the offset, and nothing of the input")
    func description() {
        let error = #expect(throws: JSONParseError.self) { try JSONValue(parsing: #"{"pan":4111111111111111x}"#) }
        #expect(error.map { String(describing: $0) } == "unexpected-byte at byte 23")
        #expect(error.map { String(reflecting: $0) }?.contains("4111") == false)
    }
}
