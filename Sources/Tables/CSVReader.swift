/// Reads CSV as `CSVDialect` writes it, and as RFC 4180 describes it. Accepts bytes piece by piece.
package struct CSVReader: Sendable {
    /// Why bytes are not CSV, and on which line.
    package struct Malformed: Error, Hashable {
        package enum Reason: String, Sendable, Hashable {
            /// Something other than a separator follows a closing quote.
            case textAfterQuote
            /// A quote within a cell that does not begin with one.
            case strayQuote
            /// The input ended within quotes.
            case openQuote
            case notUTF8
            case tooLong
        }
        package var reason: Reason
        package var line: Int

        package init(reason: Reason, line: Int) {
            self.reason = reason
            self.line = line
        }
    }

    /// The longest cell that is read, in bytes.
    package static let longestCell = 1 << 20

    private enum State {
        case start, plain, quoted, closed, carriageReturn
    }

    private let dialect: CSVDialect
    private var state = State.start
    private var cell: [UInt8] = []
    private var row: [String?] = []
    private var isQuoted = false
    private var line = 1
    /// The part of the byte order mark that is still expected.
    private var mark: ArraySlice<UInt8>

    package init(_ dialect: CSVDialect) {
        self.dialect = dialect
        mark = dialect.beginning[...]
    }

    /// All rows of a whole file. An empty unquoted cell is nil; an empty text is quoted.
    package static func rows(_ bytes: some Sequence<UInt8>, _ dialect: CSVDialect) throws(Malformed) -> [[String?]] {
        var reader = CSVReader(dialect)
        var rows = try reader.read(bytes)
        if let last = try reader.finish() { rows.append(last) }
        return rows
    }

    /// The rows that end within these bytes.
    package mutating func read(_ bytes: some Sequence<UInt8>) throws(Malformed) -> [[String?]] {
        var rows: [[String?]] = []
        for byte in bytes {
            if let expected = mark.first {
                if byte == expected {
                    mark = mark.dropFirst()
                    continue
                }
                // An incomplete mark is ordinary text.
                let seen = dialect.beginning.dropLast(mark.count)
                mark = []
                for earlier in seen { try take(earlier, &rows) }
            }
            try take(byte, &rows)
        }
        return rows
    }

    /// The last row, if it has no line end.
    package mutating func finish() throws(Malformed) -> [String?]? {
        if case .quoted = state { throw Malformed(reason: .openQuote, line: line) }
        if case .carriageReturn = state {
            state = .start
            return nil
        }
        guard !row.isEmpty || !cell.isEmpty || isQuoted else { return nil }
        try endCell()
        defer { row = [] }
        return row
    }

    private mutating func take(_ byte: UInt8, _ rows: inout [[String?]]) throws(Malformed) {
        if case .carriageReturn = state {
            state = .start
            if byte == 0x0A { return }
        }
        switch (state, byte) {
        case (.quoted, 0x22): state = .closed
        case (.quoted, _): try append(byte)
        case (.closed, 0x22):
            try append(byte)
            state = .quoted
        case (.start, 0x22):
            state = .quoted
            isQuoted = true
        case (.plain, 0x22): throw Malformed(reason: .strayQuote, line: line)
        case (_, 0x2C): try endCell()
        case (_, 0x0A), (_, 0x0D):
            try endCell()
            rows.append(row)
            row = []
            line += 1
            if byte == 0x0D { state = .carriageReturn }
        case (.closed, _): throw Malformed(reason: .textAfterQuote, line: line)
        default:
            state = .plain
            try append(byte)
        }
    }

    private mutating func append(_ byte: UInt8) throws(Malformed) {
        guard cell.count < Self.longestCell else { throw Malformed(reason: .tooLong, line: line) }
        cell.append(byte)
    }

    private mutating func endCell() throws(Malformed) {
        var bytes = cell[...]
        if dialect == .excel, bytes.first == CSVDialect.guardByte { bytes = bytes.dropFirst() }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed(reason: .notUTF8, line: line) }
        row.append(cell.isEmpty && !isQuoted ? nil : text)
        cell.removeAll(keepingCapacity: true)
        isQuoted = false
        state = .start
    }
}
