import Canonical

extension String {
    /// The text on one line, without characters that do not show. They, those of `meaning`, `%` and white space at the
    /// ends are written as `%` and two hexadecimal digits for each byte of UTF-8, so that different texts stay different.
    ///
    /// - Parameter meaning: Characters that have a meaning in the file.
    func escaped(_ meaning: String = "") -> String {
        let scalars = Array(unicodeScalars)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for (index, scalar) in scalars.enumerated() {
            let isAtEnd = index == 0 || index == scalars.count - 1
            let isEscaped =
                scalar == "%" || scalar.isHidden || meaning.unicodeScalars.contains(scalar)
                || isAtEnd && scalar.properties.isWhitespace
            for byte in scalar.utf8 {
                bytes += isEscaped ? [UInt8(ascii: "%")] + HexadecimalDigits.pair(byte) : [byte]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HexadecimalDigits {
    static func pair(_ byte: UInt8) -> [UInt8] { [lowercase(byte >> 4), lowercase(byte & 15)] }
}

extension Unicode.Scalar {
    /// Controls, separators of lines, joiners, marks of direction, and tags. A fixed list, because the tables of a
    /// later version of Unicode would give other bytes.
    fileprivate var isHidden: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }
}
