import Canonical
import Payments

/// A record whose fields are at fixed positions, counted in characters from 1 as in the documents of such formats.
/// Trailing blanks may be missing.
struct FixedRecord {
    let bytes: ArraySlice<UInt8>
    let line: Int
    /// The start of each character; nil if each is one byte.
    private let starts: [Int]?

    init(bytes: ArraySlice<UInt8>, line: Int) {
        self.bytes = bytes
        self.line = line
        // A letter that was one byte in the file may be two after decoding.
        starts = bytes.contains { $0 >= 0x80 } ? bytes.indices.filter { bytes[$0] & 0xC0 != 0x80 } : nil
    }

    /// The number of characters.
    var count: Int { starts?.count ?? bytes.count }

    /// The place of the character at a position, or the end.
    private func place(of position: Int) -> Int {
        guard let starts else { return min(bytes.startIndex + position - 1, bytes.endIndex) }
        return position <= starts.count ? starts[position - 1] : bytes.endIndex
    }

    /// The position of the character at a place in `bytes`.
    func position(at place: Int) -> Int {
        guard let starts else { return place - bytes.startIndex + 1 }
        return (starts.firstIndex { $0 >= place } ?? starts.count) + 1
    }

    /// The characters at these positions.
    subscript(positions: ClosedRange<Int>) -> ArraySlice<UInt8> {
        bytes[place(of: positions.lowerBound)..<place(of: positions.upperBound + 1)]
    }

    /// The field at a position; it is empty beyond the end of the record.
    subscript(position: Int, length: Int) -> Field {
        Field(bytes[place(of: position)..<place(of: position + length)], line: line, column: .character(position))
    }

    /// A required field.
    ///
    /// - Throws: `.recordTooShort`.
    func needed(_ position: Int, _ length: Int) throws(StatementProblem) -> Field {
        guard count >= position + length - 1 else {
            throw StatementProblem(
                .recordTooShort,
                line: line,
                column: .character(position),
                "The record has \(count) characters, \(position + length - 1) are needed."
            )
        }
        return self[position, length]
    }

    /// A required zoned decimal.
    ///
    /// - Throws: `.recordTooShort` or `.badAmount`.
    func amount(_ position: Int, _ length: Int) throws(StatementProblem) -> Int64 {
        try needed(position, length).overpunched()
    }

    /// A zoned decimal; zero if the record ends before it or is blank there.
    ///
    /// - Throws: `.badAmount`.
    func optionalAmount(_ position: Int, _ length: Int) throws(StatementProblem) -> Int64 {
        let field = self[position, length]
        return field.isEmpty ? 0 : try field.overpunched()
    }
}
