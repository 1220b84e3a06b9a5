import DaybookTestKit
import Tables
import Testing

@Suite struct ScannerTests {
    private static let parts = [
        "a", "b c", ",", ";", "\"", "\"\"", "\n", "\r\n", "\r", " ", "é", "\u{1F600}", "1.50", "", "'", "\t",
    ]

    private func rows(_ bytes: [UInt8], _ form: CSVForm = CSVForm(), piece: Int = 1 << 20) throws -> [[String]] {
        var rows: [[String]] = []
        var scanner = CSVScanner(form)
        func take(_ row: CSVRow) { rows.append((0..<row.count).map { String(decoding: row[$0], as: UTF8.self) }) }
        var rest = bytes[...]
        while !rest.isEmpty {
            try scanner.read(rest.prefix(piece), take)
            rest = rest.dropFirst(piece)
        }
        try scanner.finish(take)
        return rows
    }

    /// Both CSV readers read Daybook's own output with the same result.
    @Test func agreesWithTheOtherReader() throws {
        var random = SeededGenerator.forTest()
        var bytes: [UInt8] = []
        for _ in 0..<500 {
            let cells = (0..<4).map { _ in
                Cell.text(
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in
                        Self.parts.randomElement(using: &random) ?? ""
                    }.joined()
                )
            }
            CSVDialect.raw.append(cells, to: &bytes)
        }
        let expected = try CSVReader.rows(bytes, .raw).map { $0.map { $0 ?? "" } }
        for piece in [1, 2, 5, 100, 1 << 20] { #expect(try rows(bytes, piece: piece) == expected) }
    }

    @Test func linesWithinQuotesCount() throws {
        let text = "a,\"b\nc\r\nd\re\"\nf,g\r\nh,i"
        for piece in [1, 3, 100] {
            var lines: [Int] = []
            var scanner = CSVScanner(CSVForm())
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                try scanner.read(rest.prefix(piece)) { lines.append($0.line) }
                rest = rest.dropFirst(piece)
            }
            try scanner.finish { lines.append($0.line) }
            #expect(lines == [1, 5, 6])
        }
    }

    @Test func aQuoteWithinACellIsACharacter() throws {
        #expect(try rows(Array("5\" pipe;b\n".utf8), CSVForm(delimiter: 0x3B)) == [["5\" pipe", "b"]])
        #expect(try rows(Array("\"a\"  ,b\n".utf8)) == [["a", "b"]])
        #expect(try rows(Array("\n\n".utf8)) == [[""], [""]])
    }

    @Test func malformedRowsAreRefused() {
        func refusal(_ text: String, _ form: CSVForm = CSVForm()) -> CSVReader.Malformed? {
            #expect(throws: CSVReader.Malformed.self) { try rows(Array(text.utf8), form) }
        }
        #expect(refusal("a\n\"b\"c\n") == .init(reason: .textAfterQuote, line: 2))
        #expect(refusal("a\n\"b\n\n") == .init(reason: .openQuote, line: 2))
        #expect(refusal("a,bcdef", CSVForm(longestRow: 5)) == .init(reason: .tooLong, line: 1))
    }
}
