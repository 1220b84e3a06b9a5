/// One row of the result.
package struct BenchRow: Sendable {
    package var line: String
    package var what: String
    package var figure: String
    /// The rate of something else in the same run.
    package var comparison: String
    package var ratio: String
    package var memory: String
    /// The goal, and whether it is reached.
    package var target: String
    /// The commit, the date and the machine.
    package var measured = "-"

    package init(
        line: String,
        what: String,
        figure: String,
        comparison: String = "-",
        ratio: String = "-",
        memory: String = "-",
        target: String = "-"
    ) {
        self.line = line
        self.what = what
        self.figure = figure
        self.comparison = comparison
        self.ratio = ratio
        self.memory = memory
        self.target = target
    }

    static let heading = [
        "line", "what", "figure", "compared with, in the same run", "ratio", "peak memory", "target", "measured",
    ]

    var cells: [String] { [line, what, figure, comparison, ratio, memory, target, measured] }
}

/// The result, as a Markdown table.
package struct BenchTable: Sendable {
    package private(set) var rows: [BenchRow] = []

    package init() {}

    package mutating func add(_ row: BenchRow) { rows.append(row) }

    /// With columns of equal width, for a terminal.
    package var text: String {
        let cells = [BenchRow.heading] + rows.map(\.cells)
        let widths = BenchRow.heading.indices.map { column in cells.reduce(0) { max($0, $1[column].count) } }
        func row(_ cells: [String]) -> String {
            "| " + zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: " | ")
                + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([row(cells[0]), rule] + cells.dropFirst().map(row)).joined(separator: "\n")
    }
}
