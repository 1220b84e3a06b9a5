extension DejavooAdapter {
    /// By table and case. The texts of the document's tables of errors (document 003, @33311, @36355 and @40704) say or
    /// imply what to do about some of them.
    package func remedy(of error: String) -> String? { Self.remedies[error] }

    private static let session = "Start the payment again, in a new session."
    private static let terms = "Accept Apple's terms and conditions on the phone with a valid Apple ID."
    private static let foreground = "Keep the app in the foreground until the card is read."
    private static let entitlement = "Check how the app's entitlement for payments on the phone is configured."
    private static let phone = "Use a phone that supports NFC."

    static let remedies: [String: String] = [
        "PaymentSessionError.backgroundRequestNotAllowed": foreground,
        "PaymentSessionError.osVersionNotSupported": "Update the app and the phone's iOS.",
        "PaymentSessionError.modelNotSupported": phone,
        "PaymentSessionError.networkError": "Check the network settings of the phone and retry.",
        "PaymentSessionError.notReady": session,
        "PaymentSessionError.prepareExpired": session,
        "PaymentSessionError.accountNotLinked": terms,
        "PaymentSessionError.accountLinkingRequiresiCloudSignIn": "Sign in to iCloud on the phone. \(terms)",
        "CardReaderSessionError.invalidAmount": "Send a positive amount of fewer than 10 digits.",
        "CardReaderSessionError.invalidCurrencyCode": "Send the currency by its code of ISO 4217.",
        "CardReaderSessionError.nfcDisabled": "Enable NFC on the phone.",
        "CardReaderSessionError.passcodeDisabled": "Set a passcode on the phone.",
        "CardReaderSessionError.readFromBackgroundError": foreground,
        "CardReaderSessionError.readNotAllowed": entitlement,
        "CardReaderSessionError.readNotAllowedDuringCall": "End the phone call and retry.",
        "CustomErrorMessage.entitlementIssue": entitlement,
        "CustomErrorMessage.deviceUnSupportTapOnPay": phone,
    ]
}
