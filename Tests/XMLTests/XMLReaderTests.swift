import Testing

@testable import XML

@Suite("XML reader")
struct XMLReaderTests {
    private static let wellFormed: [(String, String)] = [
        ("<a/>", "<a/>"), ("<a></a>", "<a/>"), ("<a >x</a >", "<a>x</a>"), ("\n<a/>\n", "<a/>"),
        ("<?xml version='1.0' encoding='utf-16'?>\n<a/>", "<a/>"), ("\u{FEFF}\n <?xml version='1.0'?><a/>", "<a/>"),
        ("<!-- before --><a/><!-- after -->", "<a/>"), ("<a>x<!-- <b> -->y</a>", "<a>xy</a>"),
        ("<a><![CDATA[<b>&amp;]]]></a>", "<a>&lt;b&gt;&amp;amp;]</a>"), ("<a>x<![CDATA[]]></a>", "<a>x</a>"),
        ("<a>&amp;&lt;&gt;&quot;&apos;</a>", "<a>&amp;&lt;&gt;&quot;&apos;</a>"), ("<a>&#65;&#x42;</a>", "<a>AB</a>"),
        ("<a>]] ></a>", "<a>]] &gt;</a>"), ("<n:a xmlns:n='u'><n:b/></n:a>", "<a xmlns:n=\"u\"><b/></a>"),
        ("<a x='\"' y=\"'\"/>", "<a x=\"&quot;\" y=\"&apos;\"/>"), ("<a x = '1&amp;2'/>", "<a x=\"1&amp;2\"/>"),
        ("<a x='1\n2\t3\r\n4'/>", "<a x=\"1 2 3 4\"/>"), ("<a x=']]>'/>", "<a x=\"]]&gt;\"/>"),
        ("<ä.-_1>é€𝄞</ä.-_1>", "<ä.-_1>é€𝄞</ä.-_1>"), ("<xmlish/>", "<xmlish/>"),
    ]

    @Test("Well-formed documents", arguments: wellFormed)
    func reads(document: String, as expected: String) throws {
        let tree = try XMLTree(parsing: Array(document.utf8))
        #expect(tree.xml == expected)
        #expect(try XMLTree(parsing: Array(tree.xml.utf8)).xml == expected)
    }

    private static let refused: [(String, XMLProblem.Kind, line: Int, column: Int)] = [
        ("", .truncated, 1, 1), (" \n", .truncated, 2, 1), ("<", .truncated, 1, 2), ("<a", .truncated, 1, 3),
        ("<a>", .truncated, 1, 4), ("<a x", .truncated, 1, 5), ("<a x='1", .truncated, 1, 8),
        ("<a>\n<b>", .truncated, 2, 4), ("<a></", .truncated, 1, 6), ("<a></a", .truncated, 1, 7),
        ("<a>&amp", .truncated, 1, 4), ("<a><!-- ", .truncated, 1, 9), ("<a><!", .truncated, 1, 4),
        ("<a><![CDATA[x]]", .truncated, 1, 16), ("<?xml version='1.0'", .truncated, 1, 20),
        ("x<a/>", .malformed, 1, 1), ("<a/>x", .malformed, 1, 5), ("<a/><b/>", .malformed, 1, 5),
        ("<a></b>", .malformed, 1, 4), ("<a>\n<b>\n</c></a>", .malformed, 3, 1), ("</a>", .malformed, 1, 1),
        ("<n:a></a>", .malformed, 1, 6), ("< a/>", .malformed, 1, 2), ("<1/>", .malformed, 1, 2),
        ("<a:/>", .malformed, 1, 4), ("<:a/>", .malformed, 1, 4), ("<a:b:c/>", .malformed, 1, 7),
        ("<a/ >", .malformed, 1, 4), ("<a b/>", .malformed, 1, 5), ("<a x=1/>", .malformed, 1, 6),
        ("<a x='1'y='2'/>", .malformed, 1, 9), ("<a x='1' x='2'/>", .malformed, 1, 15),
        ("<a x='<'/>", .malformed, 1, 7), ("<a <b/></a>", .malformed, 1, 4), ("<a>]]></a>", .malformed, 1, 4),
        ("<a><!-- b -- c --></a>", .malformed, 1, 13), ("<a>\u{0}</a>", .malformed, 1, 4),
        ("<a>\u{1F}</a>", .malformed, 1, 4), ("<a>\u{FFFE}</a>", .malformed, 1, 4),
        ("<a><![CDATA[\u{1}]]></a>", .malformed, 1, 13), ("<![CDATA[a]]><a/>", .malformed, 1, 1),
        ("<a><!ELEMENT b></a>", .malformed, 1, 4), ("<!ENTITY a 'b'><a/>", .malformed, 1, 1),
        ("<!DOCTYPE a><a/>", .documentType, 1, 1), ("\n<!DOCTYPE a SYSTEM 'file:///x'><a/>", .documentType, 2, 1),
        ("<!DOCTYPE a [<!ENTITY b 'ha'><!ENTITY c '&b;&b;'>]><a>&c;</a>", .documentType, 1, 1),
        ("<a>&b;</a>", .entity, 1, 4), ("<a>& b</a>", .entity, 1, 4), ("<a x='&b;'/>", .entity, 1, 7),
        ("<a>&#0;</a>", .entity, 1, 4), ("<a>&#xD800;</a>", .entity, 1, 4), ("<a>&#x110000;</a>", .entity, 1, 4),
        ("<a>&#+65;</a>", .entity, 1, 4), ("<a>&#x+41;</a>", .entity, 1, 4), ("<a>&#;</a>", .entity, 1, 4),
        ("<a>&#00000000065;</a>", .entity, 1, 4), ("<a><?b c?></a>", .processingInstruction, 1, 4),
        ("<a/><?xml version='1.0'?>", .processingInstruction, 1, 5),
        ("<?xml-stylesheet href='x'?><a/>", .processingInstruction, 1, 1),
    ]

    @Test("Refused documents, and where", arguments: refused)
    func refuses(document: String, kind: XMLProblem.Kind, line: Int, column: Int) {
        #expect(throws: XMLProblem(kind: kind, line: line, column: column)) {
            try XMLTree(parsing: Array(document.utf8))
        }
    }

    private static func nested(_ count: Int) -> String {
        String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
    }

    private static let limits = XMLLimits(deepest: 3, mostElements: 5, longestText: 4, longestDocument: 64)

    private static let bounds: [(String, XMLProblem.Kind?)] = [
        (nested(3), nil), (nested(4), .tooDeep), ("<a><a><a><a/></a></a></a>", .tooDeep),
        ("<a><b/><b/><b/><b/></a>", nil), ("<a><b/><b/><b/><b/><b/></a>", .tooManyElements),
        ("<a>1234</a>", nil), ("<a>12345</a>", .longText), ("<a>&lt;&lt;&lt;&lt;</a>", nil), ("<a>€é</a>", .longText),
        ("<a>12<!-- -->34<b/>5</a>", .longText), ("<a>12<![CDATA[345]]></a>", .longText),
        ("<a x='1234'/>", nil), ("<a x='12345'/>", .longText),
        ("<a>" + String(repeating: " ", count: 57) + "</a>", .longText),
        ("<a>  \n<b/>  \n<b/>  \n</a>", nil),
        ("<a/>" + String(repeating: " ", count: 60), nil), ("<a/>" + String(repeating: " ", count: 61), .longDocument),
    ]

    @Test("Depth, number and length are bounded", arguments: bounds)
    func limits(document: String, expected: XMLProblem.Kind?) {
        var found: XMLProblem.Kind?
        do throws(XMLProblem) {
            _ = try XMLTree(parsing: Array(document.utf8), limits: Self.limits)
        } catch {
            found = error.kind
        }
        #expect(found == expected)
    }

    @Test("Deep and long documents are refused without being held", arguments: [1 << 15, 1 << 18])
    func bombs(count: Int) {
        #expect {
            try XMLTree(parsing: Array(String(repeating: "<a>", count: count).utf8))
        } throws: {
            ($0 as? XMLProblem)?.kind == .tooDeep
        }
        let references = "<a>" + String(repeating: "&amp;", count: count) + "</a>"
        let tree = try? XMLTree(parsing: Array(references.utf8))
        #expect((tree?.text.utf8.count ?? 0) <= XMLLimits.message.longestText)
    }

    private static func utf16(_ text: String, isBig: Bool, hasMark: Bool) -> [UInt8] {
        ((hasMark ? "\u{FEFF}" : "") + text).utf16.flatMap {
            isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
    }

    @Test("UTF-16 is recognised, whatever the declaration", arguments: [true, false], [true, false])
    func utf16(isBig: Bool, hasMark: Bool) throws {
        let text = "<?xml version='1.0' encoding='utf-8'?><a>é€𝄞</a>"
        let tree = try XMLTree(parsing: Self.utf16(text, isBig: isBig, hasMark: hasMark))
        #expect(tree.text == "é€𝄞")
    }

    @Test(
        "Bytes that are not text",
        arguments: [
            [0x3C, 0x61, 0xE9, 0x2F, 0x3E], [0xFF, 0xFE, 0x3C], [0xFE, 0xFF, 0xD8, 0x00, 0x00, 0x3C],
            [0x3C, 0x61, 0x3E, 0xC0, 0x80],
        ]
    )
    func notText(bytes: [UInt8]) {
        #expect(throws: XMLProblem(kind: .encoding, line: 1, column: 1)) { try XMLTree(parsing: bytes) }
    }

    @Test("Pieces come in order, with their lines")
    func pieces() throws {
        var limits = XMLLimits.message
        limits.skipsInstructions = true
        var reader = try XMLReader(Array("<n:a>\r\n<b\n x='1'/>y<?p q?></n:a>".utf8), limits: limits, firstLine: 7)
        var pieces: [XMLReader.Piece] = []
        while let piece = try reader.next() { pieces.append(piece) }
        #expect(
            pieces == [
                .start(name: "a", attributes: [:], line: 7), .text("\n"),
                .start(name: "b", attributes: ["x": "1"], line: 8), .end(name: "b", line: 9), .text("y"),
                .end(name: "a", line: 9),
            ]
        )
        #expect(try reader.next() == nil)
    }
}
