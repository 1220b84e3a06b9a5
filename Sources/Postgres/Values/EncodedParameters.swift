/// A statement's parameters, encoded once into one buffer in the form libpq expects.
package struct EncodedParameters: Sendable {
    /// The protocol's parameter count has 16 bits.
    static let maximumCount = 65_535

    let types: [UInt32]
    private let bytes: [UInt8]
    /// The start of each value in `bytes`; nil for NULL.
    private let offsets: [Int?]
    private let lengths: [Int32]

    /// - Throws: `PostgresError` when a value cannot be sent: too large, or text with U+0000.
    package init(_ values: [PostgresValue]) throws(PostgresError) {
        guard values.count <= Self.maximumCount else { throw PostgresError(.parameterTooLarge) }
        var writer = BinaryWriter()
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        offsets.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        for value in values {
            let start = writer.bytes.count
            try writer.value(value)
            guard let length = Int32(exactly: writer.bytes.count - start) else {
                throw PostgresError(.parameterTooLarge)
            }
            offsets.append(value.type == .unspecified ? nil : start)
            lengths.append(length)
        }
        // An empty buffer has no address, and a nil address would turn an empty text into NULL.
        if writer.bytes.isEmpty { writer.integer(UInt8(0)) }
        self.types = values.map(\.type.oid)
        self.bytes = writer.bytes
        self.offsets = offsets
        self.lengths = lengths
    }

    var count: Int32 { Int32(lengths.count) }

    /// Passes pointers to the values, their lengths and their formats (all binary) to `body`.
    func withPointers<R>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> R
    ) -> R {
        guard !lengths.isEmpty else { return body(nil, nil, nil) }
        let formats = [Int32](repeating: 1, count: lengths.count)
        return bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return pointers.withUnsafeBufferPointer { values in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(values.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }

    /// True when every value may be bound to a statement prepared with these parameter types.
    func fits(_ prepared: [UInt32]) -> Bool {
        prepared.count == types.count && zip(types, prepared).allSatisfy { $0 == 0 || $0 == $1 }
    }
}
