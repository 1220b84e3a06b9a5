import Tables

/// A column of a format. The raw values count up from zero.
protocol CSVColumn: CaseIterable, RawRepresentable, Sendable where RawValue == Int {
    /// The column's name in the format's document.
    var title: String { get }
    /// Other names of the column.
    var aliases: [String] { get }
}

extension CSVColumn {
    var aliases: [String] { [] }
}

/// The names of a format's columns.
struct CSVNames<Column: CSVColumn>: Sendable {
    private var columns: [[UInt8]: [(column: Column, rank: Int)]] = [:]
    /// The minimum number of cells in a header.
    let needed: Int

    init(_ rows: some CSVRows<Column>) {
        needed = rows.required.count
        for column in Column.allCases {
            for (rank, name) in rows.names(of: column).enumerated() where !name.isEmpty {
                columns[CSVColumns<Column>.plain(Array(name.utf8)[...]), default: []].append((column, rank))
            }
        }
    }

    /// The columns that may have this name, and the name's rank: 0 is the preferred name.
    subscript(plain: [UInt8]) -> [(column: Column, rank: Int)] { columns[plain] ?? [] }
}

/// The positions of a file's columns, found by the names in its header. Names are compared by their letters and digits.
struct CSVColumns<Column: CSVColumn>: Sendable {
    /// Positions by raw value; -1 for a column that the file does not have.
    private(set) var positions = [Int](repeating: -1, count: Column.allCases.count)
    /// The file's own column names by raw value; the format's name for a column that the file does not have.
    private(set) var titles: [String] = Column.allCases.map(\.title)
    /// The number of columns in the file.
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
                        "The header has the column twice."
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

    /// The number of the format's columns that the file has.
    var known: Int { positions.count { $0 >= 0 } }

    /// The letters of a name in lower case, and its digits.
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

    /// The cell; an empty one if the file does not have the column.
    subscript(column: Column) -> Field {
        let position = columns.positions[column.rawValue]
        return Field(position < 0 ? [] : row[position], line: row.line, column: .named(columns.titles[column.rawValue]))
    }
}
