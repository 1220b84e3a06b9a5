/// A universally unique identifier, RFC 9562. Ordered by its bytes; for version 7 that is the order of time.
package struct UUID128: Sendable, Hashable {
    /// Bytes 0 to 7, the first one most significant.
    package let high: UInt64
    /// Bytes 8 to 15, the first one most significant.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Made of the sixteen bytes in the order of the text; nil for any other count.
    package init?(bytes: some Collection<UInt8>) {
        // Called for every row: going byte by byte through a generic collection costs a hundred times as much as two
        // loads.
        let words = bytes.withContiguousStorageIfAvailable { Self.words(of: UnsafeRawBufferPointer($0)) }
        guard let words = words ?? Array(bytes).withUnsafeBytes({ Self.words(of: $0) }) else { return nil }
        self.init(high: words.high, low: words.low)
    }

    private static func words(of bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64)? {
        guard bytes.count == 16 else { return nil }
        return (
            UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
    }

    /// The sixteen bytes in the order of the text.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }

    /// Bits 48 to 51: 7 for a UUIDv7.
    package var version: Int { Int(high >> 12 & 0xF) }

    /// A UUIDv7: the time in milliseconds, and 74 random bits.
    ///
    /// Times before 1970 count as 1970. Two made in the same millisecond have no particular order; `UUIDv7Generator`
    /// keeps them in order.
    package static func v7(at time: Timestamp, random: inout some RandomNumberGenerator) -> UUID128 {
        v7(
            milliseconds: UInt64(max(time.millisecondsSince1970, 0)),
            randomA: UInt16(truncatingIfNeeded: random.next() as UInt64),
            randomB: random.next()
        )
    }

    /// - Parameters:
    ///   - milliseconds: since 1970; only the lower 48 bits are used.
    ///   - randomA: only the lower 12 bits are used.
    ///   - randomB: only the lower 62 bits are used.
    static func v7(milliseconds: UInt64, randomA: UInt16, randomB: UInt64) -> UUID128 {
        UUID128(
            high: milliseconds << 16 | 0x7000 | UInt64(randomA & 0x0FFF),
            low: 0x8000_0000_0000_0000 | randomB & 0x3FFF_FFFF_FFFF_FFFF
        )
    }

    /// The time within a UUIDv7; nil for other versions.
    package var time: Timestamp? {
        guard version == 7 else { return nil }
        return Timestamp(exactMicrosecondsSince1970: Int64(high >> 16) * 1000)
    }
}

extension UUID128: Comparable {
    package static func < (left: UUID128, right: UUID128) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension UUID128: LosslessStringConvertible {
    /// Reads the 36 characters of the canonical form, in either case; nil for every other spelling.
    package init?(_ text: String) {
        self.init(text: text)
    }

    /// Reads the 36 characters of the canonical form, in either case; nil for every other spelling.
    package init?(text: String) {
        var text = text
        guard let id = text.withUTF8({ Self(ascii: $0) }) else { return nil }
        self = id
    }

    /// Reads the 36 characters of the canonical form, in either case; nil for every other spelling.
    package init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 36 else { return nil }
        let dash = UInt8(ascii: "-")
        guard bytes[8] == dash, bytes[13] == dash, bytes[18] == dash, bytes[23] == dash else { return nil }
        // A byte that is no digit sets a bit above the lowest four.
        var seen: UInt8 = 0
        func digits(_ range: Range<Int>, after start: UInt64 = 0) -> UInt64 {
            var value = start
            for position in range {
                let digit = HexadecimalDigits.value(of: bytes[position]) ?? 0xFF
                seen |= digit
                value = value << 4 | UInt64(digit & 0xF)
            }
            return value
        }
        let high = digits(14..<18, after: digits(9..<13, after: digits(0..<8)))
        let low = digits(24..<36, after: digits(19..<23))
        guard seen < 16 else { return nil }
        self.init(high: high, low: low)
    }

    /// The canonical form, 36 characters in lower case.
    package var text: String {
        String(unsafeUninitializedCapacity: 36) { write(to: $0) }
    }

    /// Appends the canonical form as ASCII.
    package func append(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { buffer in
            let end = write(to: buffer)
            bytes.append(contentsOf: buffer[..<end])
        }
    }

    private func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var end = 0
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                buffer[end] = UInt8(ascii: "-")
                end += 1
            }
            let half = digit < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - digit % 16 * 4)) & 0xF
            buffer[end] = HexadecimalDigits.lowercase(value)
            end += 1
        }
        return end
    }

    package var description: String { text }
}

extension UUID128: Codable {
    package init(from decoder: any Decoder) throws {
        guard let value = UUID128(text: try decoder.singleValueContainer().decode(String.self)) else {
            throw DecodingError.invalid("A UUID in its canonical form is expected.", for: decoder)
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
