/// The tag of a BER-TLV data object: one to four bytes (EMV book 3, annex B).
package struct EMVTag: Sendable, Hashable {
    /// The bytes of the tag as one number, the first byte most significant: `9F02` is `0x9F02`. Never zero.
    package let number: UInt32

    init(unchecked number: UInt32) {
        self.number = number
    }

    /// - Parameter bytes: The bytes of the tag. Nil when they are empty, more than four, begin with the padding byte
    ///   00, or end before or after the place that their own bits mark as the end.
    package init?(bytes: some BidirectionalCollection<UInt8>) {
        guard let first = bytes.first, first != 0, bytes.count <= 4 else { return nil }
        let others = bytes.dropFirst()
        guard others.isEmpty == (first & 0x1F != 0x1F) else { return nil }
        guard others.dropLast().allSatisfy({ $0 & 0x80 != 0 }), others.last.map({ $0 & 0x80 == 0 }) ?? true else {
            return nil
        }
        number = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A tag written in hexadecimal digits of either case. Nil as for `init(bytes:)`.
    package init?(hex: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// The tag with this number. Nil as for `init(bytes:)`.
    package init?(number: UInt32) {
        self.init(bytes: EMVTag(unchecked: number).bytes)
    }

    package var bytes: [UInt8] {
        let all = [UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16)]
        let low = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
        return Array((all + low).drop { $0 == 0 })
    }

    /// Capital hexadecimal digits: `9F02`.
    package var hex: String { Hexadecimal.text(bytes) }

    /// True for a tag whose value is a sequence of data objects.
    package var isConstructed: Bool { bytes.first.map { $0 & 0x20 != 0 } ?? false }
}

extension EMVTag: Comparable {
    /// By number.
    package static func < (left: EMVTag, right: EMVTag) -> Bool { left.number < right.number }
}

extension EMVTag: CustomStringConvertible {
    package var description: String { hex }
}

extension EMVTag: ExpressibleByIntegerLiteral {
    /// For tags written in source code: `0x9F02`. The literal is not checked.
    package init(integerLiteral number: UInt32) {
        self.init(unchecked: number)
    }
}
