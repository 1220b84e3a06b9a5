import Tables

/// A column that a format knows. The raw values count up from zero.
protocol CSVColumn: CaseIterable, RawRepresentable, Sendable where RawValue == Int {
    /// What the format's document calls it.
    var title: String { get }
    /// Other names it goes by.
    var aliases: [String] { get }
}

extension CSVColumn {
    var aliases: [String] { [] }
}

/// The names that a format's columns go by.
struct CSVNames<Column: CSVColumn>: Sendable {
    private var columns: [[UInt8]: [(column: Column, rank: Int)]] = [:]
    /// The fewest cells that a header has.
    let needed: Int

    init(_ rows: some CSVRows<Column>) {
        needed = rows.required.count
        for column in Column.allCases {
            for (rank, name) in rows.names(of: column).enumerated() where !name.isEmpty {
                columns[CSVColumns<Column>.plain(Array(name.utf8)[...]), default: []].append((column, rank))
            }
        }
    }

    /// The columns that may have this name, and how far it is from being the preferred one.
    subscript(plain: [UInt8]) -> [(column: Column, rank: Int)] { columns[plain] ?? [] }
}

/// Where the columns of a file are, found by the names in its header. Names are compared by their letters and digits.
struct CSVColumns<Column: CSVColumn>: Sendable {
    /// Positions by raw value; -1 for a column that the file does not have.
    private(set) var positions = [Int](repeating: -1, count: Column.allCases.count)
    /// What the file calls its columns, by raw value; the format's name for one that it does not have.
    private(set) var titles: [String] = Column.allCases.map(\.title)
    /// How many columns the file has.
    private(set) var count = 0

    init(_ header: CSVRow, _ names: CSVNames<Column>) throws(StatementProblem) {
        count = header.count
        var ranks = [Int](repeating: Int.max, count: positions.count)
        for place in 0..<header.count {
            for (column, rank) in names[Self.plain(header[place])] where rank <= ranks[column.rawValue] {
                guard rank < ranks[column.rawValue] else {
                    throw StatementProblem(
                        .duplicateColumn,
                        line: header.line,
                        column: .named(column.title),
                        "The column stands twice in the header."
                    )
                }
                ranks[column.rawValue] = rank
                positions[column.rawValue] = place
            }
        }
        for column in Column.allCases where has(column) {
            let cell = header[positions[column.rawValue]]
            titles[column.rawValue] = Field(cell, line: header.line, column: .named("")).text ?? column.title
        }
    }

    func has(_ column: Column) -> Bool { positions[column.rawValue] >= 0 }

    /// The first of these columns that the file does not have.
    func missing(_ columns: [Column]) -> Column? { columns.first { !has($0) } }

    /// How many columns of the format the file has.
    var known: Int { positions.count { $0 >= 0 } }

    /// Letters in lower case, and digits.
    static func plain(_ name: ArraySlice<UInt8>) -> [UInt8] {
        name.compactMap { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A, 0x80...: byte
            case 0x41...0x5A: byte | 0x20
            default: nil
            }
        }
    }
}

/// A row, with its cells by column.
struct CSVCells<Column: CSVColumn> {
    let row: CSVRow
    let columns: CSVColumns<Column>

    var line: Int { row.line }

    /// The cell; an empty one where the file does not have the column.
    subscript(column: Column) -> Field {
        let position = columns.positions[column.rawValue]
        return Field(position < 0 ? [] : row[position], line: row.line, column: .named(columns.titles[column.rawValue]))
    }
}
