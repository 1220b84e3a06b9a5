/// The table between two markers of a document. Rows of lines that did not run stay as they are.
package struct PublishedTable: Sendable {
    package static let begin = "<!-- The table of `make bench WRITE=1` begins. -->"
    package static let end = "<!-- The table of `make bench WRITE=1` ends. -->"

    private let before: String
    private let after: String
    /// The line of each row, and its text.
    private var rows: [(line: String, text: String)]

    /// - Throws: `ReportFailure` if the document lacks a marker.
    package init(of document: String) throws {
        guard let begin = document.firstRange(of: Self.begin),
            let end = document[begin.upperBound...].firstRange(of: Self.end)
        else { throw ReportFailure("the document lacks the markers of the table: \(Self.begin)") }
        before = String(document[..<begin.upperBound])
        after = String(document[end.lowerBound...])
        let table = document[begin.upperBound..<end.lowerBound].split(separator: "\n").filter { $0.hasPrefix("|") }
        // Without the heading and the rule below it.
        rows = table.dropFirst(2).map { row in
            let cell = row.dropFirst().prefix { $0 != "|" }
            return (cell.split(separator: " ").joined(separator: " "), String(row))
        }
    }

    /// Replaces every row of the lines that these rows belong to.
    package mutating func replace(with new: [BenchRow]) {
        let lines = Set(new.map(\.line))
        rows.removeAll { lines.contains($0.line) }
        rows += new.map { ($0.line, Self.row($0.cells)) }
        let sorted = rows.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
        rows = sorted.map(\.element)
    }

    package var document: String {
        let rule = String(repeating: "|---", count: BenchRow.heading.count) + "|"
        let table = [Self.row(BenchRow.heading), rule] + rows.map(\.text)
        return ([before, ""] + table + ["", after]).joined(separator: "\n")
    }

    private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
}
