import Redaction

extension PaydiantAdapter {
    /// The redaction schema for a document of `kind`, in any spelling.
    static func redaction(for kind: String) -> RedactionSchema {
        let name = SensitiveNames.normalized(kind)
        if name.contains("accesscode") { return accessCodeSchema }
        return name.contains("checkouttoken") ? checkoutTokenSchema : redactionSchema
    }

    /// The fields of the transaction module that need more than the general rules.
    ///
    /// A checkout token lets its holder join the transaction, and an account's URI represents a card in the wallet:
    /// both are kept as digests. Access codes are never kept, not even as a digest, because short codes are easily
    /// guessed from a digest.
    ///
    /// Every document is an object. A document that is not an object may be the token itself.
    private static let redactionSchema = RedactionSchema(
        [
            (["checkoutToken", "aCheckoutToken", "checkoutTokenValue", "qrCode"], .digest(.token)),
            (["accountUri", "paymentAccountUri", "selectedAccountUri"], .digest(.token)),
            (["accessCode", "generatedAccessCode", "fuelAccessCode", "pumpAccessCode"], .drop(.credential)),
            (["maskedAccountNumber", "maskedCardNumber", "cardNumber", "accountNumber"], .maskCardNumber),
            (["transDate", "transactionDate"], .identifier(.time)),
        ],
        document: .drop(.token)
    )

    /// `generateAccessCode` returns its code alone, and an app may give it any name. Only the requested length and the
    /// error's status code are kept.
    private static let accessCodeSchema =
        redactionSchema
        .adding([
            (["length"], .only(.init(.digits, 1...2), else: .credential)),
            (["statusCode"], .only(.init(.digits, 3...3), else: .credential)),
        ])
        .keeping(
            ["length", "statusCode"],
            objects: ["request", "arguments", "transactionError", "pdPaydiantError", "error"],
            dropping: .credential
        )

    /// A block that receives the token alone.
    private static let checkoutTokenSchema = redactionSchema.adding([
        (["returnValue", "return", "result", "value", "string", "output"], .digest(.token))
    ])
}
