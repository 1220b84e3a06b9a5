/// The named bits of an EMV value of a fixed number of bytes.
///
/// The raw value of a flag is its byte, counted from 1, in the upper eight bits, and its mask in the lower eight:
/// `0x0304` is byte 3, bit 3.
package protocol BitFlag: RawRepresentable<UInt16>, CaseIterable, Hashable, Sendable {
    /// The length of the value in bytes.
    static var byteCount: Int { get }
    /// The meaning of a set bit, in a few words.
    var meaning: String { get }
}

extension BitFlag {
    /// The byte, counted from zero.
    var index: Int { Int(rawValue >> 8) - 1 }
    var mask: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
}

/// A value whose bits are flags. It lists the flags that are set, and the reserved bits that are set.
package struct BitField<Flag: BitFlag>: Sendable, Hashable {
    package let bytes: [UInt8]

    /// Nil when the number of bytes is not that of the value.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Flag.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Nil unless the text has the right number of hexadecimal digits.
    package init?(hex: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(hex) else { return nil }
        self.init(bytes)
    }

    package init(_ flags: Set<Flag>) {
        var bytes = [UInt8](repeating: 0, count: Flag.byteCount)
        for flag in flags where bytes.indices.contains(flag.index) { bytes[flag.index] |= flag.mask }
        self.bytes = bytes
    }

    package func contains(_ flag: Flag) -> Bool {
        bytes.indices.contains(flag.index) && bytes[flag.index] & flag.mask != 0
    }

    /// The flags that are set, from the first byte's highest bit on.
    package var flags: [Flag] {
        Flag.allCases.filter(contains).sorted { ($0.index, $1.mask) < ($1.index, $0.mask) }
    }

    /// Bits that are set but have no meaning, as in `5.1`: byte and bit, both counted from 1, bit 8 the highest.
    package var reserved: [String] {
        bytes.enumerated().flatMap { index, byte in
            (1...8).reversed().compactMap { bit in
                let mask = UInt8(1) << UInt8(bit - 1)
                let isNamed = Flag.allCases.contains { $0.index == index && $0.mask == mask }
                return byte & mask != 0 && !isNamed ? "\(index + 1).\(bit)" : nil
            }
        }
    }
}

extension BitField: CustomStringConvertible {
    package var description: String { Hexadecimal.text(bytes) }
}
