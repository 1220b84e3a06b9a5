extension HandpointAdapter {
    /// The fields that need more than the general rules. Source: Handpoint Heft SDK for iOS 2.6.0.
    ///
    /// Receipts come as HTML out of the reader, and are shown again.
    static let redactionSchema = RedactionSchema(declarations)

    /// `requestSignature` hands over nothing but the receipt.
    static let receiptSchema = RedactionSchema(declarations, document: .markup)

    private static let declarations: [(fields: [String], treatment: RedactionSchema.Treatment)] = [
        (["customerReceipt", "merchantReceipt", "receipt"], .markup),
        (["sharedSecretString", "ss", "sharedSecretData"], .drop(.credential)),
        // The REST interface has it beside the masked number; it is empty for most merchants.
        (["unMaskedPan"], .maskCardNumber),
        // The label of whether the cardholder is present; elsewhere it is a name.
        (["cardholder"], .flag),
        // Milliseconds since 1970, or a time of 14 or 17 digits.
        (["EFTTimestamp"], .identifier(.init(.digits, 13...17))),
        // Article numbers have up to fourteen digits.
        (["scanCode", "xml.code"], .identifier(.init(.digits, 1...14))),
    ]
}
