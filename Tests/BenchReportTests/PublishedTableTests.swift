import BenchReport
import Testing

@Suite struct PublishedTableTests {
    private static let heading = """
        | line | what | figure | compared with, in the same run | ratio | peak memory | target | measured |
        |---|---|---|---|---|---|---|---|
        """

    private static func document(_ table: String) -> String {
        "# Benchmarks\n\n\(PublishedTable.begin)\n\(table)\n\(PublishedTable.end)\n\n| f | other | table |\n"
    }

    private static func row(_ line: String, _ what: String, _ commit: String) -> BenchRow {
        var row = BenchRow(line: line, what: what, figure: "1 /s")
        row.measured = "`\(commit)`"
        return row
    }

    @Test func replacesTheLinesThatRanAndKeepsOthers() throws {
        let old = """

            \(Self.heading)
            | b | kept | 1 /s | - | - | - | - | `aaaaaaaa` |
            | f | old | 1 /s | - | - | - | - | `aaaaaaaa` |
            | f | removed | 1 /s | - | - | - | - | `aaaaaaaa` |
            | m | kept | 1 /s | - | - | - | - | `bbbbbbbb` |

            """
        let new = """

            \(Self.heading)
            | a | new | 1 /s | - | - | - | - | `cccccccc` |
            | b | kept | 1 /s | - | - | - | - | `aaaaaaaa` |
            | f | first | 1 /s | - | - | - | - | `cccccccc` |
            | f | second | 1 /s | - | - | - | - | `cccccccc` |
            | m | kept | 1 /s | - | - | - | - | `bbbbbbbb` |

            """
        var table = try PublishedTable(of: Self.document(old))
        table.replace(with: [
            Self.row("f", "first", "cccccccc"), Self.row("f", "second", "cccccccc"), Self.row("a", "new", "cccccccc"),
        ])
        #expect(table.document == Self.document(new))
        #expect(try PublishedTable(of: table.document).document == table.document)
    }

    @Test func writesTheFirstTable() throws {
        var table = try PublishedTable(of: Self.document(""))
        table.replace(with: [Self.row("a", "new", "cccccccc")])
        let new = "\n\(Self.heading)\n| a | new | 1 /s | - | - | - | - | `cccccccc` |\n"
        #expect(table.document == Self.document(new))
    }

    @Test(arguments: [PublishedTable.begin, PublishedTable.end])
    func refusesADocumentWithoutAMarker(_ marker: String) {
        let document = Self.document("").replacing(marker, with: "")
        #expect(throws: ReportFailure.self) { try PublishedTable(of: document) }
    }
}
