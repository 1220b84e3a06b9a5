import Redaction

extension HandpointAdapter {
    /// The fields that need more than the general rules. Source: Handpoint Heft SDK for iOS 2.6.0.
    ///
    /// Receipts come from the reader as HTML and are displayed.
    static let redactionSchema = RedactionSchema(declarations)

    /// `requestSignature` contains only the receipt.
    static let receiptSchema = RedactionSchema(declarations, document: .markup)

    private static let declarations: [(fields: [String], treatment: RedactionSchema.Treatment)] = [
        (["customerReceipt", "merchantReceipt", "receipt"], .markup),
        (["sharedSecretString", "ss", "sharedSecretData"], .drop(.credential)),
        // The REST interface sends it beside the masked number; it is empty for most merchants.
        (["unMaskedPan"], .maskCardNumber),
        // A flag for the presence of the cardholder; elsewhere the field is a name.
        (["cardholder"], .flag),
        // Milliseconds since 1970, or a time of 14 or 17 digits.
        (["EFTTimestamp"], .identifier(.init(.digits, 13...17))),
        // Article numbers have up to fourteen digits.
        (["scanCode", "xml.code"], .identifier(.init(.digits, 1...14))),
    ]
}
