/// One row of the result.
struct BenchRow: Sendable {
    var line: String
    var what: String
    var figure: String
    var ceiling = "-"
    var ratio = "-"
    var memory = "-"
    /// The goal, and whether it is reached.
    var target = "-"
}

/// The result, as a Markdown table.
struct BenchTable: Sendable {
    private(set) var rows: [BenchRow] = []

    mutating func add(_ row: BenchRow) { rows.append(row) }

    var text: String {
        let cells =
            [["line", "what", "figure", "ceiling in the same run", "ratio", "peak memory", "target"]]
            + rows.map { [$0.line, $0.what, $0.figure, $0.ceiling, $0.ratio, $0.memory, $0.target] }
        let widths = (0..<7).map { column in cells.reduce(0) { max($0, $1[column].count) } }
        func row(_ cells: [String]) -> String {
            "| " + zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: " | ")
                + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([row(cells[0]), rule] + cells.dropFirst().map(row)).joined(separator: "\n")
    }
}
