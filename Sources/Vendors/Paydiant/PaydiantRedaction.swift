extension PaydiantAdapter {
    /// The fields of the transaction module that need more than the general rules.
    ///
    /// A checkout token lets its holder join the transaction, and an account's URI stands for a card in the wallet: both
    /// are kept as digests. Access codes are never kept, not even as a digest: there are few of so few digits.
    static let redactionSchema = RedactionSchema(fields)

    /// `generateAccessCode` hands its code back bare.
    static let accessCodeSchema = RedactionSchema(
        fields + [(["returnValue", "return", "result", "value", "code", "generateAccessCode"], .drop(.credential))],
        document: .drop(.credential)
    )

    private static let fields: [(fields: [String], treatment: RedactionSchema.Treatment)] = [
        (["checkoutToken", "aCheckoutToken", "checkoutTokenValue", "qrCode"], .digest(.token)),
        (["accountUri", "paymentAccountUri", "selectedAccountUri"], .digest(.token)),
        (["accessCode", "generatedAccessCode", "fuelAccessCode", "pumpAccessCode"], .drop(.credential)),
        (["maskedAccountNumber", "maskedCardNumber", "cardNumber", "accountNumber"], .maskCardNumber),
        (["transDate", "transactionDate"], .identifier(.time)),
    ]
}
