/// The form of a delimited file of any origin, for `CSVScanner`.
package struct CSVForm: Sendable, Hashable {
    /// The separator of two cells: a comma, a semicolon, a tab, a vertical bar.
    package var delimiter: UInt8
    /// The longest row that is read, in bytes.
    package var longestRow: Int

    package init(delimiter: UInt8 = UInt8(ascii: ","), longestRow: Int = 1 << 20) {
        self.delimiter = delimiter
        self.longestRow = longestRow
    }
}

/// A row as bytes, without quotes. Cells are read where they are needed; the others are not converted.
package struct CSVRow: Sendable {
    /// The 1-based physical line on which the row begins. Line ends within quotes count.
    package fileprivate(set) var line = 1
    fileprivate var bytes: [UInt8] = []
    /// The end of each cell in `bytes`.
    fileprivate var ends: [Int] = []

    /// The number of cells.
    package var count: Int { ends.count }

    /// True for an empty line.
    package var isBlank: Bool { bytes.isEmpty && ends.count <= 1 }

    /// The bytes of a cell.
    package subscript(cell: Int) -> ArraySlice<UInt8> {
        bytes[(cell == 0 ? 0 : ends[cell - 1])..<ends[cell]]
    }
}

/// Reads delimited rows as fast as bytes can be copied. Accepts bytes piece by piece.
///
/// Quotes, delimiters and line ends are as in RFC 4180; lines may end with CR, LF or both. A quote within a cell that
/// does not begin with one is an ordinary character. For Daybook's own CSV, which distinguishes an absent value from an
/// empty text and protects texts against spreadsheets, see `CSVReader`.
package struct CSVScanner: Sendable {
    private enum State {
        case start, plain, quoted, closed
    }

    private let form: CSVForm
    private var state = State.start
    private var row = CSVRow()
    private var line: Int
    /// The last byte was a carriage return outside quotes: a following line feed belongs to it.
    private var isAfterReturn = false
    private var isAfterQuotedReturn = false
    private var isRowBegun = false

    /// - Parameter line: The physical line of the first byte.
    package init(_ form: CSVForm, line: Int = 1) {
        self.form = form
        self.line = line
        row.line = line
    }

    /// Passes on every row that ends within these bytes.
    ///
    /// - Throws: `CSVReader.Malformed`, and the errors of `body`.
    package mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (CSVRow) throws -> Void) throws {
        try bytes.withUnsafeBufferPointer { buffer in
            var place = 0
            while place < buffer.count { try step(buffer, &place, body) }
        }
    }

    /// Passes on the last row, if it has no line end.
    ///
    /// - Throws: `CSVReader.Malformed`, and the errors of `body`.
    package mutating func finish(_ body: (CSVRow) throws -> Void) throws {
        if case .quoted = state { throw CSVReader.Malformed(reason: .openQuote, line: row.line) }
        guard isRowBegun else { return }
        row.ends.append(row.bytes.count)
        try body(row)
        clear()
    }

    @inline(__always)
    private mutating func step(
        _ buffer: UnsafeBufferPointer<UInt8>,
        _ place: inout Int,
        _ body: (CSVRow) throws -> Void
    ) throws {
        let byte = buffer[place]
        if isAfterReturn {
            isAfterReturn = false
            if byte == 0x0A {
                place += 1
                return
            }
        }
        switch state {
        case .start:
            isRowBegun = true
            if byte == 0x22 {
                state = .quoted
                isAfterQuotedReturn = false
                place += 1
            } else {
                state = .plain
            }
        case .plain: try plain(buffer, &place, body)
        case .quoted: try quoted(buffer, &place)
        case .closed:
            switch byte {
            case 0x22:
                row.bytes.append(byte)
                state = .quoted
                place += 1
            case form.delimiter, 0x0A, 0x0D: state = .plain
            // Blanks after the closing quote are padding.
            case 0x20: place += 1
            default: throw CSVReader.Malformed(reason: .textAfterQuote, line: line)
            }
        }
    }

    private mutating func plain(
        _ buffer: UnsafeBufferPointer<UInt8>,
        _ place: inout Int,
        _ body: (CSVRow) throws -> Void
    ) throws {
        let start = place
        let delimiter = form.delimiter
        while place < buffer.count {
            let byte = buffer[place]
            if byte == delimiter || byte == 0x0A || byte == 0x0D { break }
            place += 1
        }
        try append(buffer, start, place)
        guard place < buffer.count else { return }
        let byte = buffer[place]
        place += 1
        row.ends.append(row.bytes.count)
        state = .start
        guard byte != delimiter else { return }
        isAfterReturn = byte == 0x0D
        line += 1
        try body(row)
        clear()
    }

    private mutating func quoted(_ buffer: UnsafeBufferPointer<UInt8>, _ place: inout Int) throws {
        let start = place
        while place < buffer.count, buffer[place] != 0x22 {
            let byte = buffer[place]
            if byte == 0x0D || (byte == 0x0A && !isAfterQuotedReturn) { line += 1 }
            isAfterQuotedReturn = byte == 0x0D
            place += 1
        }
        try append(buffer, start, place)
        if place < buffer.count {
            isAfterQuotedReturn = false
            state = .closed
            place += 1
        }
    }

    private mutating func append(_ buffer: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) throws {
        guard end > start else { return }
        guard row.bytes.count + (end - start) <= form.longestRow else {
            throw CSVReader.Malformed(reason: .tooLong, line: row.line)
        }
        row.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start..<end]))
    }

    private mutating func clear() {
        row.bytes.removeAll(keepingCapacity: true)
        row.ends.removeAll(keepingCapacity: true)
        row.line = line
        isRowBegun = false
        state = .start
    }
}
