/// Bytes as hexadecimal text.
package enum Hexadecimal {
    /// The bytes; nil when the text has an odd length or contains anything except hexadecimal digits; empty for an
    /// empty text.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = nibble(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Two capital digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        for byte in bytes {
            for value in [byte >> 4, byte & 15] { digits.append(value < 10 ? value + 0x30 : value + 0x37) }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The value of one ASCII digit; nil for every other byte.
    package static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
