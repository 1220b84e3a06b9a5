/// Decimal digits, two per byte.
package enum BinaryCodedDecimal {
    /// The number; nil for a byte with a nibble beyond 9, for no bytes, and if it does not fit.
    package static func number(_ bytes: some Collection<UInt8>) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        var number: Int64 = 0
        for byte in bytes {
            let (high, low) = (byte >> 4, byte & 15)
            guard high < 10, low < 10 else { return nil }
            let (shifted, isTooLarge) = number.multipliedReportingOverflow(by: 100)
            let (sum, isOver) = shifted.addingReportingOverflow(Int64(high * 10 + low))
            guard !isTooLarge, !isOver else { return nil }
            number = sum
        }
        return number
    }

    /// The bytes; nil for a negative number and for one with too many digits.
    package static func bytes(_ number: Int64, count: Int) -> [UInt8]? {
        guard number >= 0, count >= 0 else { return nil }
        var rest = number
        var bytes: [UInt8] = []
        for _ in 0..<count {
            let pair = UInt8(truncatingIfNeeded: rest % 100)
            bytes.append((pair / 10) << 4 | (pair % 10))
            rest /= 100
        }
        return rest == 0 ? bytes.reversed() : nil
    }

    /// The digits of compressed numeric or plain numeric bytes up to the F padding; nil for other nibbles.
    package static func digits(_ bytes: some Collection<UInt8>) -> String? {
        var digits = ""
        var isPadded = false
        for byte in bytes {
            for nibble in [byte >> 4, byte & 15] {
                switch nibble {
                case 0...9 where !isPadded: digits.unicodeScalars.append(Unicode.Scalar(0x30 + nibble))
                case 15: isPadded = true
                default: return nil
                }
            }
        }
        return digits
    }
}
