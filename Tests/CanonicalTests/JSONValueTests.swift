import Canonical
import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test("The writer escapes what must be escaped, in the shortest way")
    func writing() {
        let everyControl = String(String.UnicodeScalarView((0...0x1F as ClosedRange<UInt8>).map { Unicode.Scalar($0) }))
        #expect(
            JSONValue.string(everyControl).text
                == #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
                + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f""#
        )
        #expect(JSONValue.string("a/\u{7F}é€😀\u{2028}").text == "\"a/\u{7F}é€😀\u{2028}\"")
        #expect(JSONValue.string(#"\"quoted\""#).text == #""\\\"quoted\\\"""#)
        let value: JSONValue = ["b": [1, true, .null, "x"], "a": [:], "": []]
        #expect(value.text == #"{"b":[1,true,null,"x"],"a":{},"":[]}"#)
        #expect(value.description == value.text)
        #expect(value.canonicalBytes == Array(value.text.utf8))
    }

    @Test("Sorted text sorts by UTF-8 bytes at every level")
    func sortedText() {
        let value: JSONValue = [
            "b": ["z": 1, "a": [["d": 1, "c": 2]]], "a": "1.0", "é": 0, "Z": 0, "": 0, "😀": 0, "\u{FFFD}": 0,
        ]
        #expect(
            value.sortedText == #"{"":0,"Z":0,"a":"1.0","b":{"a":[{"c":2,"d":1}],"z":1},"é":0,"\#u{FFFD}":0,"😀":0}"#
        )
    }

    @Test("Values are equal when their texts are equal, byte by byte")
    func equality() throws {
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(["\u{E9}": 1] as JSONValue != ["e\u{301}": 1])
        #expect(["a": 1, "b": 2] as JSONValue != ["b": 2, "a": 1])
        #expect(try JSONValue(parsing: "1") != JSONValue(parsing: "1.0"))
        #expect(JSONValue.null != false)
        #expect(JSONValue.bool(false) != 0)
        #expect(([] as JSONValue) != [:])
        #expect(Set<JSONValue>(["\u{E9}", "e\u{301}", "\u{E9}"]).count == 2)
    }

    @Test("Accessors return the value, or nil")
    func access() {
        let value: JSONValue = ["s": "x", "b": true, "n": 5, "a": [1], "z": .null]
        #expect(value["s"]?.string == "x")
        #expect(value["b"]?.bool == true)
        #expect(value["n"]?.int64 == 5)
        #expect(value["a"]?[0] == 1)
        #expect(value["a"]?[1] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["z"]?.isNull == true)
        #expect(value["missing"] == nil)
        #expect(value[0] == nil)
        #expect(value["s"]?["x"] == nil)
        #expect(value.string == nil && value.bool == nil && value.number == nil && value.array == nil && !value.isNull)
        #expect(JSONValue.null.object == nil)
    }

    @Test("Members are set, replaced in place and removed", arguments: [3, 16, 17, 40])
    func objectEditing(count: Int) {
        var object = JSONObject()
        for number in 0..<count { object["k\(number)"] = .number(JSONNumber(Int64(number))) }
        #expect(object.count == count)
        object["k1"] = "new"
        #expect(object.members[1] == .init(key: "k1", value: "new"))
        object["k0"] = nil
        object["absent"] = nil
        #expect(object.count == count - 1)
        #expect(object["k0"] == nil)
        #expect(object["k1"] == "new")
        #expect(object["k\(count - 1)"]?.int64 == Int64(count - 1))
        let isRepeatedAppended = object.append("k1", 0)
        let isNewAppended = object.append("k0", 0)
        #expect(!isRepeatedAppended && isNewAppended)
        #expect(object.members.map(\.key) == (1..<count).map { "k\($0)" } + ["k0"])
        #expect(JSONObject(object.members.map { ($0.key, $0.value) }) == object)
        #expect(JSONObject([("a", 1), ("b", 2), ("a", 3)]) == nil)
    }
}
