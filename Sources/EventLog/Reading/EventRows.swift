import Canonical
package import Merkle

/// Converts rows of `ledger.events`, in the format of a binary `COPY`, directly into record lines. It makes no
/// intermediate values, because an export or a verification reads the whole log.
package struct EventRows {
    /// The facts about the row whose line was made.
    package struct Row {
        package var position: Int64
        /// The leaf stored with the event; nil when it is not a hash.
        package var leaf: MerkleHash?
        /// False when a column holds a value that no record can have, such as an infinite time. There is no line then.
        package var isRecord: Bool
    }

    /// The bytes are not in the format of such a copy.
    package struct Malformed: Error {}

    /// The statement. Its columns are in the order of the line's members.
    package static func copyStatement(from first: Int64, to last: Int64) -> String {
        """
        COPY (SELECT position, id, tenant, stream, version, type, schema, occurred_at, recorded_at, actor, correlation, \
        causation, claims, data, leaf FROM ledger.events WHERE position BETWEEN \(first) AND \(last) \
        ORDER BY position) TO STDOUT (FORMAT binary)
        """
    }

    /// To be set before the copy. Without it, PostgreSQL might sort a whole table on disk instead of reading it by its
    /// index.
    package static let inOrderOfIndex = "SET LOCAL enable_sort = off"

    private static let columnCount = 15
    /// Signature, flags and the length of what follows them (PostgreSQL documentation, COPY, "Binary Format").
    private static let headerBytes = 19

    private var isBegun = false

    package init() {}

    /// Reads the row at `offset` and advances to the next. The first piece of a copy begins with its header, the last
    /// ends with a trailer; pieces end between rows.
    ///
    /// - Parameter line: The record line is appended here, without a line feed.
    /// - Returns: Nil at the end of the piece.
    package mutating func next(
        _ piece: UnsafeRawBufferPointer,
        at offset: inout Int,
        line: inout [UInt8]
    ) throws(Malformed) -> Row? {
        if !isBegun {
            guard piece.count >= Self.headerBytes else { throw Malformed() }
            isBegun = true
            offset += Self.headerBytes
        }
        guard offset < piece.count else { return nil }
        var reader = FieldReader(bytes: piece, offset: offset)
        let count = try reader.integer(Int16.self)
        guard count != -1 else {
            offset = piece.count
            return nil
        }
        guard count == Self.columnCount else { throw Malformed() }
        let start = line.count
        var isRecord = true
        let position = try reader.field(Int64.self)
        line.append("{\"position\":")
        line.append(decimal: position)
        line.append(",\"id\":\"")
        try reader.uuid()?.append(to: &line)
        line.append("\",\"tenant\":")
        try reader.quoted(to: &line)
        line.append(",\"stream\":")
        try reader.quoted(to: &line)
        line.append(",\"version\":")
        line.append(decimal: try reader.field(Int64.self))
        line.append(",\"type\":")
        try reader.quoted(to: &line)
        line.append(",\"schema\":")
        line.append(decimal: Int64(try reader.field(Int16.self)))
        line.append(",\"occurredAt\":\"")
        if let time = try reader.time() { time.appendRFC3339(to: &line) } else { isRecord = false }
        line.append("\",\"recordedAt\":\"")
        if let time = try reader.time() { time.appendRFC3339(to: &line) } else { isRecord = false }
        line.append("\",\"actor\":")
        try reader.quoted(to: &line)
        line.append(",\"correlation\":")
        try reader.quoted(to: &line)
        if let causation = try reader.uuid() {
            line.append(",\"causation\":\"")
            causation.append(to: &line)
            line.append("\",\"claims\":")
        } else {
            line.append(",\"causation\":null,\"claims\":")
        }
        if let claims = try reader.field() { line.append(contentsOf: claims) } else { line.append("null") }
        line.append(",\"data\":")
        if let data = try reader.field() { line.append(contentsOf: data) } else { isRecord = false }
        line.append("}")
        let leaf = try reader.field().flatMap { bytes in
            bytes.count == MerkleHash.byteCount ? bytes.loadUnaligned(as: MerkleHash.self) : nil
        }
        if !isRecord { line.removeSubrange(start...) }
        offset = reader.offset
        return Row(position: position, leaf: leaf, isRecord: isRecord)
    }
}

/// Reads the fields of a row; every read is checked against the end of the bytes.
private struct FieldReader {
    let bytes: UnsafeRawBufferPointer
    var offset: Int

    mutating func integer<I: FixedWidthInteger>(_: I.Type) throws(EventRows.Malformed) -> I {
        guard bytes.count - offset >= MemoryLayout<I>.size else { throw EventRows.Malformed() }
        defer { offset += MemoryLayout<I>.size }
        return I(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: I.self))
    }

    /// The bytes of the next field; nil when it is null.
    mutating func field() throws(EventRows.Malformed) -> UnsafeRawBufferPointer? {
        let length = Int(try integer(Int32.self))
        guard length >= 0 else { return nil }
        guard length <= bytes.count - offset else { throw EventRows.Malformed() }
        defer { offset += length }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
    }

    mutating func field<I: FixedWidthInteger>(_: I.Type) throws(EventRows.Malformed) -> I {
        guard try integer(Int32.self) == Int32(MemoryLayout<I>.size) else { throw EventRows.Malformed() }
        return try integer(I.self)
    }

    mutating func uuid() throws(EventRows.Malformed) -> UUID128? {
        guard let field = try field() else { return nil }
        guard field.count == 16 else { throw EventRows.Malformed() }
        return UUID128(
            high: UInt64(bigEndian: field.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: field.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }

    /// Nil outside the years 0001-9999.
    mutating func time() throws(EventRows.Malformed) -> Timestamp? {
        // Microseconds since 2000-01-01T00:00:00Z.
        let (sum, isOver) = try field(Int64.self).addingReportingOverflow(946_684_800_000_000)
        return isOver ? nil : Timestamp(exactMicrosecondsSince1970: sum)
    }

    mutating func quoted(to line: inout [UInt8]) throws(EventRows.Malformed) {
        guard let field = try field() else { throw EventRows.Malformed() }
        JSONValue.appendQuoted(utf8: field.assumingMemoryBound(to: UInt8.self), to: &line)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
