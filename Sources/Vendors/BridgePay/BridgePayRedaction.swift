import Redaction

extension BridgePayAdapter {
    /// The PayGuardian fields that need more than the general rules. Field lists: PayGuardian iOS integration guide.
    ///
    /// The username stays: it identifies the merchant's clerk to the gateway, and gives no access without the password.
    static let redactionSchema = RedactionSchema(
        [
            (["password", "privateKey", "publicKey", "authenticationTokenId"], .drop(.credential)),
            (["signatureData"], .drop(.cardholder)),
            (["token", "purchaseToken", "walletId", "walletPaymentMethodId"], .digest(.token)),
            (
                ["maskedPAN", "maskedCardNumber", "paymentAccountNumber", "cardIdentifier"],
                .maskCardNumber
            ),
            (["bankAccountNumber", "routingNumber"], .maskAccount),
            // The guide allows 12 and 15 characters; the samples have nine digits. `518564010126944`, a merchant number
            // of the samples, passes the Luhn check.
            (["gatewayTransactionID", "gatewayTransID", "pnRefNum"], .identifier(.init(.digits, 1...15))),
            (["networkMerchantID"], .identifier(.init(.digits, 1...15))),
            (["applicationIdentifier", "chipCardAID"], .identifier(.init(.hexadecimal, 10...32))),
            (["issuerApplicationData"], .identifier(.init(.hexadecimal, 2...64))),
        ],
        readsLines: true
    )
}
