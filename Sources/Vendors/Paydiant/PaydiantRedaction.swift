extension PaydiantAdapter {
    /// What is secret in a document of `kind`, which may be written in any way.
    static func redaction(for kind: String) -> RedactionSchema {
        let name = SensitiveNames.normalized(kind)
        if name.contains("accesscode") { return accessCodeSchema }
        return name.contains("checkouttoken") ? checkoutTokenSchema : redactionSchema
    }

    /// The fields of the transaction module that need more than the general rules.
    ///
    /// A checkout token lets its holder join the transaction, and an account's URI stands for a card in the wallet: both
    /// are kept as digests. Access codes are never kept, not even as a digest: there are few of so few digits.
    ///
    /// Every document is an object. What is none can be the token by itself.
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

    /// `generateAccessCode` hands its code back bare, and an app gives it any name: nothing is kept but how long it was to
    /// be, and what went wrong.
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

    /// A block that is handed the token alone.
    private static let checkoutTokenSchema = redactionSchema.adding([
        (["returnValue", "return", "result", "value", "string", "output"], .digest(.token))
    ])
}
