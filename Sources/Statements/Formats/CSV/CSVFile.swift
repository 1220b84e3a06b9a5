import Tables

/// Converts the rows of a CSV in one format to statement items.
protocol CSVRows<Column>: Sendable {
    associatedtype Column: CSVColumn

    /// The names of a column, the preferred one first.
    func names(of column: Column) -> [String]
    /// The columns that a row must have to be the header.
    var required: [Column] { get }
    /// Nil if the delimiter is to be detected from the file's lines.
    var delimiter: UInt8? { get }
    /// Called when the header was found; called again if files were joined and another header follows.
    mutating func begin(_ columns: CSVColumns<Column>, line: Int, into sink: StatementSink) throws
    mutating func row(_ cells: CSVCells<Column>, into sink: StatementSink) throws
    /// - Parameter line: The last line of the file.
    mutating func finish(line: Int, into sink: StatementSink) throws
}

extension CSVRows {
    func names(of column: Column) -> [String] { [column.title] + column.aliases }
    var delimiter: UInt8? { nil }
    mutating func begin(_ columns: CSVColumns<Column>, line: Int, into sink: StatementSink) throws {}
}

/// Reads a CSV with a header, in any encoding, with any of four delimiters, and passes its rows to a format.
struct CSVFile<Rows: CSVRows>: StatementReader {
    /// The bytes and rows in which the header and the delimiter are searched.
    private static var headBytes: Int { 1 << 16 }
    static var headRows: Int { 30 }
    static var delimiters: [UInt8] { [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|")] }

    private var rows: Rows
    private let names: CSVNames<Rows.Column>
    private var input = DecodedInput()
    private var head: [UInt8] = []
    private var body: RowReader?
    private var isEncodingNoted = false

    init(_ rows: Rows) {
        self.rows = rows
        names = CSVNames(rows)
    }

    mutating func read(_ bytes: ArraySlice<UInt8>, into sink: StatementSink) throws {
        var decoded = input
        defer { input = decoded }
        try decoded.read(bytes) { try take($0, isLast: false, sink) }
        try noteEncoding(decoded.isWindows1252, sink)
    }

    mutating func finish(into sink: StatementSink) throws {
        var decoded = input
        try decoded.finish { try take($0, isLast: false, sink) }
        try noteEncoding(decoded.isWindows1252, sink)
        try take([], isLast: true, sink)
        guard body != nil else { throw StatementProblem(.empty, line: 0, "The file is empty.") }
        try body?.finish(&rows, sink)
    }

    private mutating func noteEncoding(_ isWindows1252: Bool, _ sink: StatementSink) throws {
        guard isWindows1252, !isEncodingNoted else { return }
        isEncodingNoted = true
        try sink(.note(StatementNote(.assumedEncoding, line: body?.line ?? 1, "Read as Windows-1252.")))
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, isLast: Bool, _ sink: StatementSink) throws {
        if body == nil {
            head += bytes
            guard isLast || head.count >= Self.headBytes || Self.hasLines(head, Self.headRows) else { return }
            guard head.contains(where: { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 }) else { return }
            body = RowReader(CSVForm(delimiter: rows.delimiter ?? delimiter(of: head)), names)
            let first = head
            head = []
            try body?.read(first[...], &rows, sink)
        } else {
            try body?.read(bytes, &rows, sink)
        }
    }

    private static func hasLines(_ bytes: [UInt8], _ count: Int) -> Bool {
        var found = 0
        for byte in bytes where byte == 0x0A || byte == 0x0D {
            found += 1
            if found > count { return true }
        }
        return false
    }

    /// The delimiter with which one of the first lines has most of the format's columns; a comma if none has any.
    private func delimiter(of head: [UInt8]) -> UInt8 {
        var best = (delimiter: UInt8(ascii: ","), known: 0)
        for delimiter in Self.delimiters {
            var scanner = CSVScanner(CSVForm(delimiter: delimiter))
            var most = 0
            // A file that cannot be read with this delimiter may be readable with another.
            try? scanner.read(head[...]) { row in
                guard row.count >= names.needed else { return }
                if let columns = try? CSVColumns(row, names) { most = max(most, columns.known) }
            }
            try? scanner.finish { row in
                if let columns = try? CSVColumns(row, names) { most = max(most, columns.known) }
            }
            if most > best.known { best = (delimiter, most) }
        }
        return best.delimiter
    }

    /// Finds the header, and passes on the rows after it.
    private struct RowReader: Sendable {
        private let names: CSVNames<Rows.Column>
        private var scanner: CSVScanner
        private var columns: CSVColumns<Rows.Column>?
        /// The header's spelling of the first required column.
        private var title: [UInt8] = []
        /// The last value in that column that is not a column name.
        private var ordinary: [UInt8] = []
        private var passedOver: [Int] = []
        private var bestCandidate: (known: Int, problem: StatementProblem)?
        private(set) var line = 1

        init(_ form: CSVForm, _ names: CSVNames<Rows.Column>) {
            self.names = names
            scanner = CSVScanner(form)
        }

        mutating func read(_ bytes: ArraySlice<UInt8>, _ rows: inout Rows, _ sink: StatementSink) throws {
            var scan = scanner
            defer { scanner = scan }
            do {
                try scan.read(bytes) { try take($0, &rows, sink) }
            } catch let malformed as CSVReader.Malformed {
                throw malformed.problem
            }
        }

        mutating func finish(_ rows: inout Rows, _ sink: StatementSink) throws {
            var scan = scanner
            do {
                try scan.finish { try take($0, &rows, sink) }
            } catch let malformed as CSVReader.Malformed {
                throw malformed.problem
            }
            guard columns != nil else { throw noHeader(rows) }
            try rows.finish(line: line, into: sink)
        }

        @inline(__always)
        private mutating func take(_ row: CSVRow, _ rows: inout Rows, _ sink: StatementSink) throws {
            line = row.line
            if row.isBlank || Self.isVoid(row) { return }
            guard let columns else { return try findHeader(row, &rows, sink) }
            guard row.count == columns.count else { return try takeUneven(row, columns, &rows, sink) }
            if isHeader(row, columns, rows) { return try takeHeader(row, &rows, sink) }
            do {
                try rows.row(CSVCells(row: row, columns: columns), into: sink)
            } catch let problem as StatementProblem {
                // A header with an unknown name in the first required column; it contains no amounts.
                guard namesColumns(row, rows) else { throw problem }
                try takeHeader(row, &rows, sink)
            }
        }

        /// True for a row of only empty cells, as spreadsheets add at the end.
        @inline(__always)
        private static func isVoid(_ row: CSVRow) -> Bool {
            (0..<row.count).allSatisfy { row[$0].allSatisfy { $0 <= 0x20 } }
        }

        /// True for a row that names each required column, and none twice.
        private func namesColumns(_ row: CSVRow, _ rows: Rows) -> Bool {
            guard let columns = try? CSVColumns(row, names) else { return false }
            return columns.missing(rows.required) == nil
        }

        /// True for a row of column names in any order, as occurs where files were joined.
        @inline(__always)
        private mutating func isHeader(_ row: CSVRow, _ columns: CSVColumns<Rows.Column>, _ rows: Rows) -> Bool {
            guard let first = rows.required.first else { return false }
            let cell = CSVCells(row: row, columns: columns)[first].bytes
            if cell == ordinary[...] { return false }
            guard cell == title[...] || !names[CSVColumns<Rows.Column>.plain(cell)].isEmpty else {
                ordinary = Array(cell)
                return false
            }
            return namesColumns(row, rows)
        }

        private mutating func takeUneven(
            _ row: CSVRow,
            _ columns: CSVColumns<Rows.Column>,
            _ rows: inout Rows,
            _ sink: StatementSink
        ) throws {
            if let other = try? CSVColumns(row, names), other.missing(rows.required) == nil {
                return try takeHeader(row, &rows, sink)
            }
            let isPadded = row.count > columns.count && (columns.count..<row.count).allSatisfy { row[$0].isEmpty }
            guard isPadded else {
                throw StatementProblem(
                    .malformedRow,
                    line: row.line,
                    "The row has \(row.count) cells, the header has \(columns.count)."
                )
            }
            try rows.row(CSVCells(row: row, columns: columns), into: sink)
        }

        private mutating func findHeader(_ row: CSVRow, _ rows: inout Rows, _ sink: StatementSink) throws {
            let found = try CSVColumns(row, names)
            if let missing = found.missing(rows.required) {
                let problem = StatementProblem(
                    .missingColumn,
                    line: row.line,
                    column: .named(missing.title),
                    "The header has no such column."
                )
                if found.known > bestCandidate?.known ?? 0 { bestCandidate = (found.known, problem) }
                passedOver.append(row.line)
                if passedOver.count >= CSVFile.headRows { throw noHeader(rows) }
                return
            }
            if let first = passedOver.first {
                try sink(.note(StatementNote(.information, line: first, "Lines before the header were passed over.")))
                passedOver = []
            }
            try takeHeader(row, &rows, sink)
        }

        private mutating func takeHeader(_ row: CSVRow, _ rows: inout Rows, _ sink: StatementSink) throws {
            let found = try CSVColumns(row, names)
            columns = found
            title = rows.required.first.map { Array(CSVCells(row: row, columns: found)[$0].bytes) } ?? []
            try rows.begin(found, line: row.line, into: sink)
        }

        private func noHeader(_ rows: Rows) -> StatementProblem {
            bestCandidate?.problem
                ?? StatementProblem(
                    .missingColumn,
                    line: passedOver.first ?? 1,
                    column: rows.required.first.map { .named($0.title) },
                    "None of the first lines is a header of this format."
                )
        }
    }
}

extension CSVReader.Malformed {
    /// The same error as a problem of a statement.
    var problem: StatementProblem {
        switch reason {
        case .openQuote:
            StatementProblem(.truncated, line: line, "A quote that begins in this row is never closed.")
        case .tooLong: StatementProblem(.tooLarge, line: line, "The row is longer than any that is read.")
        case .textAfterQuote, .strayQuote, .notUTF8:
            StatementProblem(.malformedRow, line: line, "A delimiter is expected after a closing quote.")
        }
    }
}
