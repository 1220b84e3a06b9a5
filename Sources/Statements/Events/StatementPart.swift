package import Canonical
import Payments

/// A few hundred lines, controls, notes and sections of a file in their stored form. The JSON is written directly,
/// since a large file has a million lines, and read by the database.
package struct StatementPart: Sendable, Hashable {
    /// The canonical JSON of the event.
    package let text: String

    init(text: String) {
        self.text = text
    }
}

/// Divides the items read from a file into parts.
package struct StatementPartWriter: Sendable {
    /// The largest number of lines, controls, notes and sections of a part.
    package static let partItems = 500
    private static let partBytes = 512 << 10

    /// The digest of the file.
    private let file: String
    private var lines: [UInt8] = []
    private var controls: [UInt8] = []
    private var notes: [UInt8] = []
    private var sections: [UInt8] = []
    private var count = 0
    /// The number of lines in the parts before.
    private var number: Int64 = 0
    /// The number of lines so far with the same content.
    private var occurrences: [UUID128: Int] = [:]

    /// - Parameter file: The digest of the file.
    package init(of file: String) {
        self.file = file
    }

    /// True when there is enough for a part.
    package var isFull: Bool {
        count >= Self.partItems || lines.count + controls.count + notes.count + sections.count >= Self.partBytes
    }

    package var isEmpty: Bool { count == 0 }

    package mutating func add(_ item: StatementItem) {
        count += 1
        switch item {
        case .line(let line):
            number += 1
            let content = line.contentDigest(in: file).id
            let occurrence = occurrences[content, default: 0]
            occurrences[content] = occurrence + 1
            let id = occurrence == 0 ? content : line.fingerprint(occurrence: occurrence, in: file).id
            Self.write(line, number: number, id: id, to: &lines)
        case .control(let control): Self.write(control, to: &controls)
        case .note(let note): Self.write(note, to: &notes)
        case .section(let section): Self.write(section, to: &sections)
        }
    }

    /// Returns the complete part and clears the writer for the next one.
    package mutating func take() -> StatementPart {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(lines.count + controls.count + notes.count + sections.count + 64)
        for (name, items) in [("lines", lines), ("controls", controls), ("notes", notes), ("sections", sections)]
        where !items.isEmpty {
            bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
            JSONValue.appendQuoted(name, to: &bytes)
            bytes.append(contentsOf: ":[".utf8)
            // Each item is followed by a comma.
            bytes.append(contentsOf: items.dropLast())
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(contentsOf: bytes.isEmpty ? "{}".utf8 : "}".utf8)
        lines.removeAll(keepingCapacity: true)
        controls.removeAll(keepingCapacity: true)
        notes.removeAll(keepingCapacity: true)
        sections.removeAll(keepingCapacity: true)
        count = 0
        return StatementPart(text: String(decoding: bytes, as: UTF8.self))
    }

    private static func write(_ line: StatementLine, number: Int64, id: UUID128, to bytes: inout [UInt8]) {
        var object = MemberWriter(bytes: bytes)
        bytes = []
        object.add("number", number)
        object.add("line", Int64(line.line))
        object.add("id", id.text)
        object.add("type", line.type.rawValue)
        object.add("raw", line.rawType)
        if line.role != .own { object.add("role", line.role.rawValue) }
        object.add("group", line.group)
        object.add("currency", line.currency.alpha)
        object.add("gross", line.gross)
        object.add("net", line.net)
        object.add("amount", line.amount)
        if let fees = line.feeTotal, !line.fees.isEmpty {
            object.add("fees", fees)
            object.open("fee")
            for fee in line.fees { object.add(fee.kind.rawValue, fee.amount) }
            object.close()
        }
        if let paid = line.transactionAmount {
            object.add("paid", paid.value)
            object.add("paidCurrency", paid.currency.alpha)
        }
        object.add("at", line.occurredAt?.rfc3339)
        object.add("localTime", line.localTime?.rfc3339)
        object.add("zone", line.zone)
        object.add("day", line.day?.description)
        object.add("bookedDay", line.bookedDay?.description)
        object.add("valueDay", line.valueDay?.description)
        object.add("status", line.rawStatus)
        object.add("revision", line.revision)
        object.open("references")
        for entry in line.references.entries { object.add(entry.kind.name, entry.value) }
        object.close()
        bytes = object.finish()
    }

    private static func write(_ control: StatementControl, to bytes: inout [UInt8]) {
        var object = MemberWriter(bytes: bytes)
        bytes = []
        object.add("kind", control.kind.rawValue)
        object.add("name", control.name)
        object.add("scope", control.scope)
        object.add("stated", control.stated)
        object.add("computed", control.computed)
        object.add("currency", control.currency?.alpha)
        object.add("line", Int64(control.line))
        bytes = object.finish()
    }

    private static func write(_ note: StatementNote, to bytes: inout [UInt8]) {
        var object = MemberWriter(bytes: bytes)
        bytes = []
        object.add("code", note.code.rawValue)
        object.add("line", Int64(note.line))
        object.add("detail", note.detail)
        bytes = object.finish()
    }

    private static func write(_ section: StatementSection, to bytes: inout [UInt8]) {
        var object = MemberWriter(bytes: bytes)
        bytes = []
        object.add("line", Int64(section.line))
        object.add("id", section.id)
        object.add("account", section.account)
        object.add("currency", section.currency?.alpha)
        object.add("from", section.from?.description)
        object.add("to", section.to?.description)
        object.add("opening", section.opening)
        object.add("closing", section.closing)
        bytes = object.finish()
    }
}

extension StatementFingerprint {
    /// The first sixteen bytes as an id of a custom form (RFC 9562, version 8).
    package var id: UUID128 {
        let words = bytes.prefix(16).enumerated().reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
            if byte.offset < 8 {
                words.high = words.high << 8 | UInt64(byte.element)
            } else {
                words.low = words.low << 8 | UInt64(byte.element)
            }
        }
        return UUID128(
            high: words.high & ~0xF000 | 0x8000,
            low: words.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }
}

/// Writes the present members of a JSON object, followed by a comma.
private struct MemberWriter {
    private var bytes: [UInt8]
    private var isFirst = true

    init(bytes: [UInt8]) {
        self.bytes = bytes
        self.bytes.append(UInt8(ascii: "{"))
    }

    mutating func add(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        JSONValue.appendQuoted(value.storableText, to: &bytes)
    }

    mutating func add(_ name: String, _ value: String) {
        key(name)
        JSONValue.appendQuoted(value.storableText, to: &bytes)
    }

    mutating func add(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        key(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func add(_ name: String, _ value: Int64) {
        key(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func open(_ name: StaticString) {
        key(name)
        bytes.append(UInt8(ascii: "{"))
        isFirst = true
    }

    mutating func close() {
        bytes.append(UInt8(ascii: "}"))
        isFirst = false
    }

    mutating func finish() -> [UInt8] {
        bytes.append(contentsOf: "},".utf8)
        return bytes
    }

    private mutating func key(_ name: StaticString) {
        separate()
        name.withUTF8Buffer { JSONValue.appendQuoted(utf8: $0, to: &bytes) }
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func key(_ name: String) {
        separate()
        JSONValue.appendQuoted(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }
}

extension String {
    /// The text without the one character that the database cannot store.
    fileprivate var storableText: String { utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self }
}
