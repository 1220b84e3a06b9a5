import Canonical

/// Appends values in PostgreSQL's binary form to one contiguous buffer.
struct BinaryWriter {
    private(set) var bytes: [UInt8] = []

    mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ new: [UInt8]) {
        bytes.append(contentsOf: new)
    }

    /// Appends the value without a length; NULL appends nothing.
    mutating func value(_ value: PostgresValue) throws(PostgresError) {
        switch value {
        case .null: break
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .int16(let value): integer(value)
        case .int32(let value): integer(value)
        case .int64(let value): integer(value)
        case .text(let value), .json(let value): try text(value)
        case .jsonb(let value): try jsonb(value)
        case .bytea(let value): bytes.append(contentsOf: value)
        case .timestamptz(let value): timestamp(value)
        case .uuid(let value): bytes.append(contentsOf: value.bytes)
        case .boolArray(let items):
            try array(items, of: .bool) { (w, v) throws(PostgresError) in w.bytes.append(v ? 1 : 0) }
        case .int16Array(let items): try array(items, of: .int2) { (w, v) throws(PostgresError) in w.integer(v) }
        case .int32Array(let items): try array(items, of: .int4) { (w, v) throws(PostgresError) in w.integer(v) }
        case .int64Array(let items): try array(items, of: .int8) { (w, v) throws(PostgresError) in w.integer(v) }
        case .textArray(let items): try array(items, of: .text) { (w, v) throws(PostgresError) in try w.text(v) }
        case .jsonArray(let items): try array(items, of: .json) { (w, v) throws(PostgresError) in try w.text(v) }
        case .jsonbArray(let items): try array(items, of: .jsonb) { (w, v) throws(PostgresError) in try w.jsonb(v) }
        case .byteaArray(let items):
            try array(items, of: .bytea) { (w, v) throws(PostgresError) in w.bytes.append(contentsOf: v) }
        case .timestamptzArray(let items):
            try array(items, of: .timestamptz) { (w, v) throws(PostgresError) in w.timestamp(v) }
        case .uuidArray(let items):
            try array(items, of: .uuid) { (w, v) throws(PostgresError) in w.bytes.append(contentsOf: v.bytes) }
        case .array(let builder): try builder.write(to: &self)
        }
    }

    /// Appends a 32-bit length and the value; NULL is length -1.
    mutating func sized(_ value: PostgresValue) throws(PostgresError) {
        if case .null = value { return integer(Int32(-1)) }
        try sized { (writer) throws(PostgresError) in try writer.value(value) }
    }

    private mutating func sized(_ body: (inout BinaryWriter) throws(PostgresError) -> Void) throws(PostgresError) {
        let start = bytes.count
        integer(Int32(0))
        try body(&self)
        guard let size = Int32(exactly: bytes.count - start - 4) else { throw PostgresError(.parameterTooLarge) }
        withUnsafeBytes(of: size.bigEndian) { length in
            for offset in 0..<4 { bytes[start + offset] = length[offset] }
        }
    }

    private mutating func text(_ value: String) throws(PostgresError) {
        let start = bytes.count
        bytes.append(contentsOf: value.utf8)
        guard !bytes[start...].contains(0) else { throw PostgresError(.textContainsNUL) }
    }

    /// The leading byte is the version of the jsonb wire form (`jsonb_recv` in PostgreSQL's `jsonb.c`).
    private mutating func jsonb(_ value: String) throws(PostgresError) {
        bytes.append(1)
        try text(value)
    }

    private mutating func timestamp(_ value: Timestamp) {
        integer(PostgresEpoch.wire(value))
    }

    /// The layout of `array_recv` in PostgreSQL's `arrayfuncs.c`: dimensions, null flag, element type, then each
    /// dimension's length and lower bound, then the sized elements.
    private mutating func array<Element>(
        _ items: [Element?],
        of element: PostgresType,
        _ write: (inout BinaryWriter, Element) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        guard let count = Int32(exactly: items.count) else { throw PostgresError(.parameterTooLarge) }
        integer(Int32(items.isEmpty ? 0 : 1))
        integer(Int32(items.contains { $0 == nil } ? 1 : 0))
        integer(element.oid)
        guard !items.isEmpty else { return }
        integer(count)
        integer(Int32(1))
        for item in items {
            if let item {
                try sized { (writer) throws(PostgresError) in try write(&writer, item) }
            } else {
                integer(Int32(-1))
            }
        }
    }
}

/// PostgreSQL counts microseconds from 2000-01-01T00:00:00Z.
enum PostgresEpoch {
    private static let microsecondsAfterUnixEpoch: Int64 = 946_684_800_000_000

    /// Every `Timestamp` is within PostgreSQL's range.
    static func wire(_ timestamp: Timestamp) -> Int64 {
        timestamp.microsecondsSince1970 - microsecondsAfterUnixEpoch
    }

    /// Nil for PostgreSQL's infinities and for years outside the range of `Timestamp`.
    static func timestamp(wire: Int64) -> Timestamp? {
        let (unix, overflow) = wire.addingReportingOverflow(microsecondsAfterUnixEpoch)
        return overflow ? nil : Timestamp(exactMicrosecondsSince1970: unix)
    }
}
