package import Canonical

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A value that can be read from a binary result field.
package protocol PostgresDecodable: Sendable {
    /// Reads one non-null field.
    ///
    /// - Throws: `PostgresError` with `.typeMismatch` when this value cannot be read from the column's type,
    ///   `.malformedValue` when the bytes do not fit the type, `.valueOutOfRange` for infinities and overflow.
    static func decode(_ bytes: UnsafeRawBufferPointer, as type: PostgresType) throws(PostgresError) -> Self
}

private func whole<I: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, _: I.Type) throws(PostgresError) -> I {
    var reader = BinaryReader(bytes)
    let value = try reader.integer(I.self)
    try reader.finish()
    return value
}

extension Bool: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, as type: PostgresType) throws(PostgresError) -> Bool {
        guard type == .bool else { throw .mismatch(type) }
        switch try whole(bytes, UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw PostgresError(.malformedValue)
        }
    }
}

extension Int16: PostgresDecodable {
    package static func decode(_ bytes: UnsafeRawBufferPointer, as type: PostgresType) throws(PostgresError) -> Int16 {
        guard type == .int2 else { throw .mismatch(type) }
        return try whole(bytes, Int16.self)
    }
}

extension Int32: PostgresDecodable {
    /// Also reads `smallint`.
    package static func decode(_ bytes: UnsafeRawBufferPointer, as type: PostgresType) throws(PostgresError) -> Int32 {
        type == .int4 ? try whole(bytes, Int32.self) : Int32(try Int16.decode(bytes, as: type))
    }
}

extension Int64: PostgresDecodable {
    /// Also reads `integer`, `smallint` and `oid`.
    package static func decode(_ bytes: UnsafeRawBufferPointer, as type: PostgresType) throws(PostgresError) -> Int64 {
        switch type {
        case .int8: try whole(bytes, Int64.self)
        case .oidType: Int64(try whole(bytes, UInt32.self))
        default: Int64(try Int32.decode(bytes, as: type))
        }
    }
}

extension String: PostgresDecodable {
    /// Reads the text types, `json` and `jsonb`, and `numeric` as its exact decimal text. Other types must be cast
    /// to `text` in the statement.
    package static func decode(_ bytes: UnsafeRawBufferPointer, as type: PostgresType) throws(PostgresError) -> String {
        switch type {
        case .text, .varchar, .blankPaddedText, .name, .json, .unknown:
            return try utf8(bytes)
        case .jsonb:
            guard bytes.first == 1 else { throw PostgresError(.malformedValue) }
            return try utf8(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        case .numeric:
            return try NumericText.decode(bytes)
        default:
            throw .mismatch(type)
        }
    }

    private static func utf8(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) -> String {
        // The validating initialiser takes three times as long. The repairing one changes only malformed text, so a
        // change reveals it.
        let text = String(decoding: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
        let isUnchanged = text.utf8.withContiguousStorageIfAvailable { repaired in
            guard repaired.count == bytes.count else { return false }
            guard let start = bytes.baseAddress, let repairedStart = repaired.baseAddress else { return true }
            return memcmp(start, repairedStart, bytes.count) == 0
        }
        guard isUnchanged ?? text.utf8.elementsEqual(bytes) else { throw PostgresError(.malformedValue) }
        return text
    }
}

extension Timestamp: PostgresDecodable {
    package static func decode(
        _ bytes: UnsafeRawBufferPointer,
        as type: PostgresType
    ) throws(PostgresError) -> Timestamp {
        guard type == .timestamptz else { throw .mismatch(type) }
        guard let timestamp = PostgresEpoch.timestamp(wire: try whole(bytes, Int64.self)) else {
            throw PostgresError(.valueOutOfRange)
        }
        return timestamp
    }
}

extension UUID128: PostgresDecodable {
    package static func decode(
        _ bytes: UnsafeRawBufferPointer,
        as type: PostgresType
    ) throws(PostgresError) -> UUID128 {
        guard type == .uuid else { throw .mismatch(type) }
        guard let uuid = UUID128(bytes: bytes) else { throw PostgresError(.malformedValue) }
        return uuid
    }
}

/// The bytes of a `bytea` field. A separate type, because `[UInt8]` would be read as an array of numbers.
package struct PostgresBytes: PostgresDecodable {
    package let bytes: [UInt8]

    package static func decode(
        _ bytes: UnsafeRawBufferPointer,
        as type: PostgresType
    ) throws(PostgresError) -> PostgresBytes {
        guard type == .bytea else { throw .mismatch(type) }
        return PostgresBytes(bytes: Array(bytes))
    }
}

extension PostgresError {
    static func mismatch(_ type: PostgresType) -> PostgresError {
        var error = PostgresError(.typeMismatch)
        error.typeOID = type.oid
        return error
    }
}
