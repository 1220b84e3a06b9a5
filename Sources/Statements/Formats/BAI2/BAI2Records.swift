/// A logical record of BAI2: a physical record and its continuations.
struct BAI2Record: Sendable {
    /// `01`, `02`, `03`, `16`, `49`, `98` or `99`.
    var code: Int
    /// The fields after the code, from the record and all its continuations.
    var fields: [ArraySlice<UInt8>]
    /// The physical line on which it begins.
    var line: Int
    /// The number of physical records it consists of.
    var physical: Int
    /// The first physical line without a code that was taken as a continuation of the text.
    var wrapped: Int?
}

/// Finds the records of BAI2 in physical lines.
///
/// A record ends with a slash or, if its last field is text, with its line. Several may share a line. A slash within
/// the text of a detail is kept unless another record begins after it. If a text does not end with a slash and the next
/// line begins with no code, that line continues the text: some banks break texts without a continuation record.
struct BAI2Records: Sendable {
    /// A limit above the number of fields of any record, continuations included.
    private static let longestRecord = 1 << 18
    /// The longest text joined from broken lines, in bytes.
    private static let longestText = 1 << 16

    private var pending: BAI2Record?
    /// True while the last record is a text that no slash has ended.
    private var isTextOpen = false

    /// Reads a physical line.
    mutating func take(
        _ text: ArraySlice<UInt8>,
        line: Int,
        _ body: (BAI2Record) throws -> Void
    ) throws {
        var rest = Self.trimmed(text)
        var offset = 0
        while !rest.isEmpty {
            offset = rest.startIndex - text.startIndex
            guard let code = Self.code(rest) else {
                if isTextOpen {
                    let end = Self.end(of: rest, isTextual: true)
                    try wrap(rest[..<(end ?? rest.endIndex)], line: line)
                    isTextOpen = end == nil
                    rest = Self.trimmed(end.map { rest[($0 + 1)...] } ?? [])
                    continue
                }
                throw StatementProblem(
                    .unknownRecord,
                    line: line,
                    column: .character(offset + 1),
                    "A record of BAI2 begins with 01, 02, 03, 16, 49, 88, 98 or 99 and a comma."
                )
            }
            let isTextual = code == 16 || (code == 88 && pending?.code == 16)
            let end = Self.end(of: rest, isTextual: isTextual)
            isTextOpen = isTextual && end == nil
            let content = rest[..<(end ?? rest.endIndex)].dropFirst(3)
            rest = Self.trimmed(end.map { rest[($0 + 1)...] } ?? [])
            let fields = content.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            if code == 88 {
                try continueRecord(fields, line: line)
            } else {
                try flush(body)
                pending = BAI2Record(code: code, fields: fields, line: line, physical: 1)
            }
        }
    }

    mutating func flush(_ body: (BAI2Record) throws -> Void) throws {
        guard let record = pending else { return }
        pending = nil
        try body(record)
    }

    private mutating func continueRecord(_ fields: [ArraySlice<UInt8>], line: Int) throws {
        guard pending != nil else {
            throw StatementProblem(.misplacedRecord, line: line, "A continuation (88) has no record before it.")
        }
        guard (pending?.fields.count ?? 0) + fields.count <= Self.longestRecord else {
            throw StatementProblem(.tooLarge, line: line, "The record has more continuations than are read.")
        }
        pending?.fields += fields
        pending?.physical += 1
    }

    private mutating func wrap(_ text: ArraySlice<UInt8>, line: Int) throws {
        guard var record = pending, let last = record.fields.indices.last else { return }
        pending = nil
        defer { pending = record }
        guard record.fields[last].count + text.count < Self.longestText else {
            throw StatementProblem(.tooLarge, line: line, "The text has more lines than are read.")
        }
        record.fields[last] += [0x20] + text
        record.wrapped = record.wrapped ?? line
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let first = text.first, first == 0x20 || first == 0x09 || first == 0x1A { text = text.dropFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 || last == 0x1A { text = text.dropLast() }
        return text
    }

    private static func code(_ text: ArraySlice<UInt8>) -> Int? {
        guard let number = DateText.number(text.prefix(2)), text.count >= 3 else { return nil }
        let third = text[text.startIndex + 2]
        guard third == UInt8(ascii: ",") || third == UInt8(ascii: "/") else { return nil }
        return [1, 2, 3, 16, 49, 88, 98, 99].contains(number) ? number : nil
    }

    /// The slash that ends the record; nil if it ends with the line.
    private static func end(of text: ArraySlice<UInt8>, isTextual: Bool) -> Int? {
        guard isTextual else { return text.firstIndex(of: UInt8(ascii: "/")) }
        var place = text.startIndex
        while let slash = text[place...].firstIndex(of: UInt8(ascii: "/")) {
            let after = trimmed(text[(slash + 1)...])
            if after.isEmpty || beginsRecord(after) { return slash }
            place = slash + 1
        }
        return nil
    }

    /// True if the text after a slash is a whole record, not part of a date or a fraction.
    private static func beginsRecord(_ text: ArraySlice<UInt8>) -> Bool {
        guard let code = code(text) else { return false }
        let fields = text.prefix { $0 != UInt8(ascii: "/") }.split(
            separator: UInt8(ascii: ","),
            omittingEmptySubsequences: false
        )
        switch code {
        case 88: return fields.count > 1
        case 16: return fields.count >= 3 && fields[1].count == 3 && DateText.number(fields[1]) != nil
        case 49: return fields.count == 3
        case 98, 99: return fields.count == 4
        default: return fields.count >= 3
        }
    }
}
