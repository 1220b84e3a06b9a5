import Canonical
import Testing

@Suite("JSON text")
struct JSONTextTests {
    @Test("The text is the one of the same value")
    func everyKindOfValue() {
        let time = Timestamp(microsecondsSince1970: -1)
        let id = UUID128(high: 1, low: .max)
        var text = JSONText()
        text.object { text in
            text.name("empty")
            text.object { _ in }
            text.name("none")
            text.array { _ in }
            text.set("absent", String?.none)
            text.set("gone", Bool?.none)
            text.set("unknown", Int64?.none)
            text.set("never", Timestamp?.none)
            text.name("numbers")
            text.array { text in for number in [Int64.min, -10, -1, 0, 7, 10, .max] { text.write(number) } }
            // What these end with separates elsewhere.
            text.name("texts")
            text.array { text in for string in ["", "[", "{", ":", ",", "\"\\\u{0}é😀"] { text.write(string) } }
            text.name("truths")
            text.array { text in
                text.write(true)
                text.write(false)
                text.array { text in text.write(time) }
                text.object { text in text.set("id", id.text) }
                text.write(id)
            }
            text.set("a", "1")
            text.set("b", false)
            text.set("c", Int64(-5))
            text.set("d", time)
        }
        let value: JSONValue = [
            "empty": [:], "none": [],
            "numbers": .array([Int64.min, -10, -1, 0, 7, 10, .max].map { .number(.init($0)) }),
            "texts": ["", "[", "{", ":", ",", "\"\\\u{0}é😀"],
            "truths": [true, false, [.string(time.rfc3339)], ["id": .string(id.text)], .string(id.text)],
            "a": "1", "b": false, "c": -5, "d": .string(time.rfc3339),
        ]
        #expect(text.text == value.text)
        #expect(text.bytes == value.canonicalBytes)
    }
}
