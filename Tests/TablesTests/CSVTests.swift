import Canonical
import Tables
import Testing

@Suite struct CSVTests {
    private static let parts = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\r\n", "'", "\"", ",", ";", " ", "|", "%", "0", "007", "1E5", "12:30",
        "1-2", "1.50", "9223372036854775807", "4761730000000000119", "=1+1", "=cmd|' /C calc'!A0", "@SUM(A1)",
        "\u{FEFF}",
        "\u{202E}", "\u{200F}", "\u{FF1D}1", "שלום", "مرحبا", "\u{1F468}\u{200D}\u{1F469}", "\u{1F1FA}\u{1F1F8}",
        "e\u{301}",
        "é", "\u{0}", "\u{1B}[2J", "''", "\"\"", "a,b", "line\nline", "abc", "Straße", "\u{A0}", "\u{2028}",
    ]

    /// A small, fast generator, the same on every machine.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private static func row(_ random: inout Seeded) -> [Cell] {
        (0..<5).map { _ in
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return .absent
            case 1: return .text("")
            case 2: return .number(String(Int64.random(in: Int64.min...Int64.max, using: &random)))
            case 3: return .number(String(Int64.random(in: -9999...9999, using: &random)))
            default:
                let count = Int.random(in: 1...4, using: &random)
                return .text((0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined())
            }
        }
    }

    @Test(arguments: CSVDialect.allCases)
    func tenThousandAdversarialRowsComeBack(_ dialect: CSVDialect) throws {
        var random = Seeded(state: 7)
        let rows = (0..<10_000).map { _ in Self.row(&random) }
        var bytes = dialect.beginning
        for row in rows { dialect.append(row, to: &bytes) }
        // In pieces, as a file or a connection delivers them.
        var reader = CSVReader(dialect)
        var found: [[String?]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...4000, using: &random))
            found += try reader.read(bytes[start..<end])
            start = end
        }
        #expect(try reader.finish() == nil)
        try #require(found.count == rows.count)
        for (row, read) in zip(rows, found)
        where row.map({ $0.value.map { Array($0.utf8) } }) != read.map({ $0.map { Array($0.utf8) } }) {
            Issue.record("\(row) came back as \(read)")
        }
    }

    @Test func noCellBeginsLikeAFormula() throws {
        var random = Seeded(state: 11)
        for _ in 0..<10_000 {
            for cell in Self.row(&random) {
                guard case .text(let text) = cell else { continue }
                // As a spreadsheet reads it: without quotes, but with the apostrophe.
                let read = try CSVReader.rows(CSVDialect.excel.line([cell, .text("x")]), .raw)
                let seen = read.first?.first.flatMap { $0 } ?? ""
                let first = seen.unicodeScalars.first { !$0.properties.isWhitespace && $0.value != 0xFEFF }
                #expect(first.map { !"=+-@".unicodeScalars.contains($0) } ?? true, "\(text)")
                if text.utf8.count > 15, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                    #expect(seen == "'" + text)
                }
            }
        }
    }

    @Test(
        "What a spreadsheet would change is kept as text",
        arguments: [
            ("=1+1", "'=1+1"), ("+49", "'+49"), ("-1", "'-1"), ("@x", "'@x"), ("007", "'007"), ("1E5", "'1E5"),
            ("9269", "'9269"), ("1-2", "'1-2"), ("'quoted", "''quoted"), ("plain", "plain"), ("A-1", "A-1"),
            ("4761730000000000119", "'4761730000000000119"), ("SEP1", "'SEP1"), ("1-Mar", "'1-Mar"),
            ("5 january 2026", "'5 january 2026"), ("12:30 PM", "'12:30 PM"), ("TRUE", "'TRUE"), ("false", "'false"),
            ("MAR", "MAR"), ("MARS1", "MARS1"), ("true 1", "true 1"), ("1A", "1A"),
        ]
    )
    func guards(_ text: String, _ written: String) {
        #expect(String(decoding: CSVDialect.excel.line([.text(text)]), as: UTF8.self) == written + "\r\n")
        #expect(String(decoding: CSVDialect.raw.line([.text(text)]), as: UTF8.self) == text + "\n")
    }

    @Test func figuresAreNumbersWhileTheyFit() {
        let cells: [Cell] = [.number("-5"), .number("13.40"), .number("999999999999999"), .number("9007199254740993")]
        let line = String(decoding: CSVDialect.excel.line(cells), as: UTF8.self)
        #expect(line == "-5,13.40,999999999999999,'9007199254740993\r\n")
    }

    @Test func absentAndEmptyTextsAreDistinct() throws {
        for dialect in CSVDialect.allCases {
            let line = dialect.line([.absent, .text(""), .absent])
            #expect(try CSVReader.rows(line, dialect) == [[nil, "", nil]])
        }
    }

    @Test(
        "What is no CSV is refused",
        arguments: [
            ("a\"b", CSVReader.Malformed.Reason.strayQuote), ("\"a\"b", .textAfterQuote), ("\"a", .openQuote),
        ]
    )
    func malformed(_ text: String, _ reason: CSVReader.Malformed.Reason) {
        #expect(throws: CSVReader.Malformed(reason: reason, line: 1)) { try CSVReader.rows(text.utf8, .raw) }
    }

    @Test func invalidTextIsRefused() {
        #expect(throws: CSVReader.Malformed(reason: .notUTF8, line: 2)) {
            try CSVReader.rows([0x61, 0x0A, 0xFF, 0x0A], .raw)
        }
    }

    @Test func lineEndsOfEveryKindAreRead() throws {
        #expect(
            try CSVReader.rows("a,b\r\nc,d\re,f\n\"g\r\nh\",i".utf8, .raw) == [
                ["a", "b"], ["c", "d"], ["e", "f"], ["g\r\nh", "i"],
            ]
        )
    }
}
