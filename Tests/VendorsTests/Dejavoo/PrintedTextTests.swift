import Canonical
import DaybookTestKit
import Redaction
import Testing

@testable import Vendors

@Suite("Printed values")
struct PrintedTextTests {
    @Test(
        "The printed forms of Swift and Foundation",
        arguments: [
            (#"["a": "1", "b": 2]"#, #"{"a":"1","b":"2"}"#),
            ("{ a = 1; b = \"x y\"; }", #"{"a":"1","b":"x y"}"#),
            ("{{[\"a\": {b = 1;}]\n\"c\" : \"d\"}}", #"{"a":{"b":"1"},"c":"d"}"#),
            ("a: {\"b\": \"1\"}", #"{"a":{"b":"1"}}"#),
            ("TxnData(amount: \"1.00\", tip: Optional(\"2\"), type: Link.TransType.SALE, fee: nil)", nil),
            ("{ list = (1, 2, (null)); none = \"<null>\"; gone = <null>; empty = ; }", nil),
            (#"["x": [:], "y": [], "quote": "a\"b\\c\n"]"#, #"{"x":{},"y":[],"quote":"a\"b\\c\n"}"#),
            ("{ at = 12:30:00; }", #"{"at":"12:30:00"}"#), ("{ a = 1; a = 2; }", #"{"a":"1"}"#),
            (#"@{ @"a" : @"1" }"#, #"{"a":"1"}"#),
        ] as [(String, String?)]
    )
    func forms(text: String, expected: String?) throws {
        let object = try #require(PrintedText.object(in: text))
        if let expected { #expect(JSONValue.object(object).text == expected) }
    }

    @Test("Structures, optionals and absent values")
    func structures() throws {
        let printed = "TxnData(amount: \"1.00\", tip: Optional(\"2\"), type: Link.TransType.SALE, fee: nil)"
        let object = try #require(PrintedText.object(in: printed))
        #expect(object["amount"] == "1.00" && object["tip"] == "2" && object["type"] == "Link.TransType.SALE")
        #expect(object["fee"] == .null)
        let list = try #require(PrintedText.object(in: "{ list = (1, 2, (null)); gone = <null>; empty = ; }"))
        #expect(list["list"] == ["1", "2", .null] && list["gone"] == .null && list["empty"] == .null)
    }

    @Test(
        "Texts that are not a printed dictionary",
        arguments: [
            "", " ", "text", "Account not allowed.", "{", "[\"a\": 1", "{ a = 1; ]", "}", "\"a", "{ a = \"b; }", "=",
            "()",
            "{}", "[:]", "1, 2, 3",
        ]
    )
    func others(text: String) {
        #expect(PrintedText.object(in: text) == nil)
    }

    @Test("Length, depth and number are bounded")
    func bounds() {
        func nested(_ depth: Int) -> String {
            String(repeating: "{ a = ", count: depth) + "1" + String(repeating: "; }", count: depth)
        }
        #expect(PrintedText.object(in: nested(PrintedText.maximumDepth)) != nil)
        #expect(PrintedText.object(in: nested(PrintedText.maximumDepth + 1)) == nil)
        #expect(PrintedText.object(in: String(repeating: "(", count: 60_000)) == nil)
        #expect(PrintedText.object(in: "a: 1 " + String(repeating: "x ", count: PrintedText.maximumValues)) == nil)
        #expect(PrintedText.object(in: "a: " + String(repeating: "x", count: PrintedText.maximumBytes)) == nil)
    }

    @Test("Any text is read or rejected, in bounded time", arguments: 0..<20 as Range<UInt64>)
    func anything(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let printed = try VendorFixture.named("dejavoo/v1-sale-printed").body.string ?? ""
        let pieces = ["{", "}", "[", "]", "(", ")", "=", ":", ";", ",", "\"", "\\", "a", "1", " ", "\n", "é", "<", "@"]
        for _ in 0..<300 {
            var text = Array(printed.unicodeScalars.map(String.init))
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place = Int.random(in: 0..<text.count, using: &generator)
                text[place] = pieces.randomElement(using: &generator) ?? ""
            }
            let document = Scrubber(schema: DejavooAdapter().redactionSchema(for: "didReceiveResponse"))
                .scrub(UnscrubbedDocument(.string(text.joined())))
            do {
                _ = try DejavooAdapter().interpret(document, kind: "didReceiveResponse", context: .init())
            } catch {
                #expect(error.pointer == "")
            }
        }
    }
}
