/// The digits 0-9 and a-f.
package enum HexadecimalDigits {
    /// The digit for `value`, 0...15.
    package static func lowercase(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x61 - 10 + value
    }

    /// The value of a digit in either case; nil for any other byte.
    package static func value(of byte: UInt8) -> UInt8? {
        if byte &- 0x30 < 10 { return byte - 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }
}
