import Payments

extension String {
    /// The text made safe for a column. PostgreSQL cannot store U+0000, nor index more than about 2,700 bytes, and a
    /// sender must not be able to halt a read model with either. A text of more than 1,000 bytes is replaced by its
    /// SHA-256. Payments are not displayed from these columns.
    package var storable: String {
        let text = ReferenceKey.bounded(self, toBytes: 1000)
        return text.utf8.contains(0) ? text.replacing("\u{0}", with: "\u{2400}") : text
    }

    /// The text made safe for a key column: different texts remain different.
    package var storableKey: String {
        let isAmbiguous = utf8.contains(0) || unicodeScalars.contains("\u{2400}")
        return ReferenceKey.bounded(self, toBytes: isAmbiguous ? 0 : 1000)
    }
}
