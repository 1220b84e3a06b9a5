import Payments

extension String {
    /// Text for a column: PostgreSQL cannot store U+0000 nor index some 2,700 bytes, and a sender must not be able to
    /// halt a read model with either. In place of more than 1,000 bytes stands their SHA-256; what is shown of a payment
    /// is not read from these columns.
    var storable: String {
        let text = ReferenceKey.bounded(self, toBytes: 1000)
        return text.utf8.contains(0) ? text.replacing("\u{0}", with: "\u{2400}") : text
    }

    /// The same for a column that rows are told apart by: different texts stay different.
    var storableKey: String {
        let isAmbiguous = utf8.contains(0) || unicodeScalars.contains("\u{2400}")
        return ReferenceKey.bounded(self, toBytes: isAmbiguous ? 0 : 1000)
    }
}
