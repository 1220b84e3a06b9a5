/// A JSON number as it was written. It is never converted to floating point.
package struct JSONNumber: Sendable, Hashable {
    /// The number exactly as written, in the grammar of RFC 8259 section 6.
    package let literal: String

    /// An integer in its shortest form.
    package init(_ value: Int64) {
        literal = String(value)
    }

    /// An integer in its shortest form.
    package init(_ value: UInt64) {
        literal = String(value)
    }

    /// A number written in the grammar of RFC 8259; nil for any other text and for more than 64 bytes.
    package init?(literal: String) {
        var literal = literal
        let isNumber = literal.withUTF8 { bytes in
            guard bytes.count <= JSONLimits.standard.maximumNumberBytes else { return false }
            var end = 0
            return JSONNumber.scan(bytes, from: &end) && end == bytes.count
        }
        guard isNumber else { return nil }
        self.literal = literal
    }

    /// Made of a literal that `scan` has accepted.
    init(scanned literal: String) {
        self.literal = literal
    }

    /// The value, if it is written without fraction and exponent and fits. `-0` is 0; `1.0` and `1e2` are not treated
    /// as integers, because they were not written as integers.
    package var int64: Int64? { Int64(literal) }

    /// The value, if it is written without sign, fraction and exponent and fits. `-0` is 0.
    package var uint64: UInt64? { UInt64(literal) }

    /// Advances `position` past the number that starts there.
    ///
    /// - Returns: false if the bytes violate the grammar; `position` is then at the offending byte, or at the end.
    package static func scan(_ bytes: UnsafeBufferPointer<UInt8>, from position: inout Int) -> Bool {
        func skipDigits() -> Bool {
            let start = position
            while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
            return position > start
        }
        func skip(_ byte: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == byte else { return false }
            position += 1
            return true
        }
        _ = skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")), !skipDigits() { return false }
        if skip(UInt8(ascii: ".")), !skipDigits() { return false }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            if !skipDigits() { return false }
        }
        return true
    }
}

extension JSONNumber: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(value) }
}

extension JSONNumber: CustomStringConvertible {
    package var description: String { literal }
}
