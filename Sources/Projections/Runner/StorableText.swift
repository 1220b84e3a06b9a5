import Canonical
import Payments

extension String {
    private static let longestStorable = 1000

    /// The text made safe for a column. PostgreSQL cannot store U+0000, nor index more than about 2,700 bytes, and a
    /// sender must not be able to halt a read model with either. A text of more than 1,000 bytes is replaced by its
    /// SHA-256. Payments are not displayed from these columns.
    package var storable: String {
        // Nearly every text is storable as it is: short, without control characters, and not beginning like a digest.
        if utf8.withContiguousStorageIfAvailable(Self.isPlain) == true { return self }
        let text = ReferenceKey.bounded(self, toBytes: Self.longestStorable)
        return text.utf8.contains(0) ? text.replacing("\u{0}", with: "\u{2400}") : text
    }

    /// The text made safe for a key column: different texts remain different.
    package var storableKey: String {
        let isAmbiguous = utf8.contains(0) || unicodeScalars.contains("\u{2400}")
        return ReferenceKey.bounded(self, toBytes: isAmbiguous ? 0 : Self.longestStorable)
    }

    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress, let first = bytes.first else { return true }
        guard bytes.count <= longestStorable, first != UInt8(ascii: "s") else { return false }
        return ByteScan.firstSpecial(base, from: 0, to: bytes.count).position == bytes.count
    }
}
