import Canonical
import Payments

/// A record whose fields are at fixed positions, which count from 1 as in the documents of such formats. Blanks at
/// its end may be cut off.
struct FixedRecord {
    let bytes: ArraySlice<UInt8>
    let line: Int

    /// The field at a position; what the record does not reach is empty.
    subscript(position: Int, length: Int) -> Field {
        let start = min(bytes.startIndex + position - 1, bytes.endIndex)
        let end = min(start + length, bytes.endIndex)
        return Field(bytes[start..<end], line: line, column: .character(position))
    }

    /// A field that has to be there whole.
    ///
    /// - Throws: `.recordTooShort`.
    func needed(_ position: Int, _ length: Int) throws(StatementProblem) -> Field {
        guard bytes.count >= position + length - 1 else {
            throw StatementProblem(
                .recordTooShort,
                line: line,
                column: .character(position),
                "The record has \(bytes.count) characters, \(position + length - 1) are needed."
            )
        }
        return self[position, length]
    }

    /// Zoned decimal that has to be there.
    ///
    /// - Throws: `.recordTooShort` or `.badAmount`.
    func amount(_ position: Int, _ length: Int) throws(StatementProblem) -> Int64 {
        try needed(position, length).overpunched()
    }

    /// Zoned decimal; zero where the record does not reach it or is blank there.
    ///
    /// - Throws: `.badAmount`.
    func optionalAmount(_ position: Int, _ length: Int) throws(StatementProblem) -> Int64 {
        let field = self[position, length]
        return field.isEmpty ? 0 : try field.overpunched()
    }
}
