import Canonical

/// Finds the documents of a JSON file: one, several one after another or one per line; the elements, if a document is a
/// list.
struct JSONDocuments: Sendable {
    /// The largest document or element that is read, in bytes.
    static let largest = 32 << 20

    private enum Place {
        /// Outside any list; a value may begin.
        case outside
        /// In the list: an element or the end is expected, an element is, or a comma or the end is.
        case first, element, comma
    }

    private var input = DecodedInput()
    private var place = Place.outside
    private var value: [UInt8] = []
    private var valueLine = 1
    private var line = 1
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    private var isScalar = false
    private var isAfterReturn = false
    private(set) var isEmpty = true

    /// True once text was read as Windows-1252.
    var isWindows1252: Bool { input.isWindows1252 }

    mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (JSONRecord) throws -> Void) throws {
        var decoded = input
        defer { input = decoded }
        try decoded.read(bytes) { for byte in $0 { try take(byte, body) } }
    }

    /// - Throws: `.empty` or `.truncated`.
    mutating func finish(_ body: (JSONRecord) throws -> Void) throws {
        var decoded = input
        try decoded.finish { for byte in $0 { try take(byte, body) } }
        if depth > 0 || isInText || place != .outside {
            throw StatementProblem(.truncated, line: line, "The file ends within a value.")
        }
        if isScalar { try end(body) }
        if isEmpty { throw StatementProblem(.empty, line: 0, "The file is empty.") }
    }

    private mutating func take(_ byte: UInt8, _ body: (JSONRecord) throws -> Void) throws {
        if byte == 0x0D || (byte == 0x0A && !isAfterReturn) { line += 1 }
        isAfterReturn = byte == 0x0D
        if depth > 0 || isInText {
            try append(byte)
            try takeWithin(byte, body)
            return
        }
        if isScalar {
            guard [0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x5D, 0x5B, 0x7B].contains(byte) else { return try append(byte) }
            try end(body)
        }
        try takeBetween(byte, body)
    }

    private mutating func takeWithin(_ byte: UInt8, _ body: (JSONRecord) throws -> Void) throws {
        if isInText {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == 0x22 {
                isInText = false
                if depth == 0 { try end(body) }
            }
            return
        }
        switch byte {
        case 0x22: isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 { try end(body) }
        default: break
        }
    }

    private mutating func takeBetween(_ byte: UInt8, _ body: (JSONRecord) throws -> Void) throws {
        switch (byte, place) {
        case (0x20, _), (0x09, _), (0x0A, _), (0x0D, _): break
        case (UInt8(ascii: "["), .outside):
            place = .first
            isEmpty = false
        case (UInt8(ascii: "]"), .first), (UInt8(ascii: "]"), .comma): place = .outside
        case (UInt8(ascii: ","), .comma): place = .element
        case (_, .comma): throw unexpected("A comma or the end of the list is expected.")
        case (UInt8(ascii: "]"), _), (UInt8(ascii: ","), _), (UInt8(ascii: "}"), _), (UInt8(ascii: ":"), _):
            throw unexpected("A value is expected.")
        default:
            isEmpty = false
            valueLine = line
            try append(byte)
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth = 1
            } else if byte == 0x22 {
                isInText = true
            } else {
                isScalar = true
            }
        }
    }

    private func unexpected(_ detail: String) -> StatementProblem {
        StatementProblem(.malformedRow, line: line, detail)
    }

    private mutating func append(_ byte: UInt8) throws {
        guard value.count < Self.largest else {
            throw StatementProblem(.tooLarge, line: valueLine, "A document has \(Self.largest >> 20) MiB at the most.")
        }
        value.append(byte)
    }

    private mutating func end(_ body: (JSONRecord) throws -> Void) throws {
        let bytes = value
        value.removeAll(keepingCapacity: true)
        isScalar = false
        if place != .outside { place = .comma }
        let parsed: JSONValue
        do {
            parsed = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: Self.largest))
        } catch {
            let offset = bytes.prefix(error.offset)
            let lines = offset.count { $0 == 0x0A }
            let start = offset.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            throw StatementProblem(
                error.code == .depthExceeded || error.code == .tooLarge ? .tooLarge : .malformedRow,
                line: valueLine + lines,
                column: .character(error.offset - start + 1),
                "This is not JSON: \(error.code.rawValue)."
            )
        }
        guard let object = parsed.object else {
            throw StatementProblem(.malformedRow, line: valueLine, "An object is expected.")
        }
        try body(JSONRecord(object, line: valueLine))
    }
}

/// A JSON object, whose members are found by the letters and digits of their names.
struct JSONRecord {
    let line: Int
    private let members: [String: (name: String, value: JSONValue)]

    init(_ object: JSONObject, line: Int) {
        self.line = line
        members = Dictionary(
            object.members.map { (Self.plain($0.key), ($0.key, $0.value)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    static func plain(_ name: String) -> String {
        String(decoding: CSVColumns<DaybookColumn>.plain(Array(name.utf8)[...]), as: UTF8.self)
    }

    func has(_ name: String) -> Bool { members[Self.plain(name)] != nil }

    /// The characters of a text, a number or a flag; empty if there is none of these.
    subscript(names: String...) -> Field {
        for name in names {
            guard let member = members[Self.plain(name)] else { continue }
            let text =
                member.value.string ?? member.value.number?.literal
                ?? member.value.bool.map { $0 ? "true" : "false" }
            guard let text, !text.isEmpty else { continue }
            return Field(Array(text.utf8)[...], line: line, column: .named(member.name))
        }
        return Field([], line: line, column: .named(names.first ?? ""))
    }

    func object(_ name: String) -> JSONRecord? {
        members[Self.plain(name)]?.value.object.map { JSONRecord($0, line: line) }
    }

    /// The objects of a list; nil if there is no such list.
    ///
    /// - Throws: `.malformedRow` if the list contains something else.
    func objects(_ name: String) throws(StatementProblem) -> [JSONRecord]? {
        guard let list = members[Self.plain(name)]?.value.array else { return nil }
        let objects = list.compactMap(\.object)
        guard objects.count == list.count else {
            throw StatementProblem(.malformedRow, line: line, column: .named(name), "A list of objects is expected.")
        }
        return objects.map { JSONRecord($0, line: line) }
    }
}
