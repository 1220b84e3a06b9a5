package import Canonical

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Builds an array parameter in its wire form, element by element, for statements with thousands of values: no Swift
/// array of optionals is made first, and bytes are copied once.
package struct PostgresArrayBuilder: Sendable, Hashable {
    /// Dimensions, null flag, element type, length and lower bound, four bytes each (`array_recv` in PostgreSQL's
    /// `arrayfuncs.c`).
    private static let headerSize = 20

    let element: PostgresType
    private var elements: [UInt8] = []
    package private(set) var count = 0
    private var hasNull = false
    /// PostgreSQL cannot store U+0000 in text.
    private(set) var containsNUL = false

    private init(_ element: PostgresType, reserving bytes: Int) {
        self.element = element
        elements.reserveCapacity(bytes)
    }

    package static func text(reserving bytes: Int = 0) -> Self { .init(.text, reserving: bytes) }
    package static func json(reserving bytes: Int = 0) -> Self { .init(.json, reserving: bytes) }
    package static func bytea(reserving bytes: Int = 0) -> Self { .init(.bytea, reserving: bytes) }
    package static func uuid(reserving bytes: Int = 0) -> Self { .init(.uuid, reserving: bytes) }
    package static func int16(reserving bytes: Int = 0) -> Self { .init(.int2, reserving: bytes) }
    package static func int32(reserving bytes: Int = 0) -> Self { .init(.int4, reserving: bytes) }
    package static func int64(reserving bytes: Int = 0) -> Self { .init(.int8, reserving: bytes) }
    package static func timestamptz(reserving bytes: Int = 0) -> Self { .init(.timestamptz, reserving: bytes) }

    package mutating func appendNull() {
        count += 1
        hasNull = true
        integer(Int32(-1))
    }

    /// Appends a number; its width must be that of the element type.
    package mutating func append(_ value: some FixedWidthInteger) {
        count += 1
        integer(Int32(value.bitWidth / 8))
        integer(value)
    }

    package mutating func append(_ value: UUID128) {
        count += 1
        integer(Int32(16))
        integer(value.high)
        integer(value.low)
    }

    package mutating func append(_ value: Timestamp) {
        append(PostgresEpoch.wire(value))
    }

    package mutating func append(_ value: String) {
        var value = value
        value.withUTF8 { append($0) }
    }

    /// Appends bytes; for an array of text or JSON they must be UTF-8.
    package mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
        count += 1
        integer(Int32(truncatingIfNeeded: value.count))
        elements.append(contentsOf: value)
        guard element == .text || element == .json, let base = value.baseAddress else { return }
        if memchr(base, 0, value.count) != nil { containsNUL = true }
    }

    package mutating func append(_ value: [UInt8]) {
        value.withUnsafeBufferPointer { append($0) }
    }

    private mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { elements.append(contentsOf: $0) }
    }

    var type: PostgresType {
        switch element {
        case .bytea: .byteaArray
        case .uuid: .uuidArray
        case .json: .jsonArray
        case .int2: .int2Array
        case .int4: .int4Array
        case .int8: .int8Array
        case .timestamptz: .timestamptzArray
        default: .textArray
        }
    }

    func write(to writer: inout BinaryWriter) throws(PostgresError) {
        guard !containsNUL else { throw PostgresError(.textContainsNUL) }
        guard elements.count < Int32.max - Int32(Self.headerSize) else { throw PostgresError(.parameterTooLarge) }
        writer.integer(Int32(count == 0 ? 0 : 1))
        writer.integer(Int32(hasNull ? 1 : 0))
        writer.integer(element.oid)
        guard count > 0 else { return }
        writer.integer(Int32(count))
        writer.integer(Int32(1))
        writer.raw(elements)
    }
}
