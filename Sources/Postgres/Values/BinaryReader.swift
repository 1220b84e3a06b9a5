/// Reads big-endian values from a field's bytes; every read is checked against the end of the bytes.
struct BinaryReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - position }

    mutating func integer<I: FixedWidthInteger>(_: I.Type = I.self) throws(PostgresError) -> I {
        let field = try take(MemoryLayout<I>.size)
        return I(bigEndian: field.loadUnaligned(as: I.self))
    }

    mutating func take(_ count: Int) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw PostgresError(.malformedValue) }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    func finish() throws(PostgresError) {
        guard remaining == 0 else { throw PostgresError(.malformedValue) }
    }
}
