/// The tables of the guide, played in turns. Texts of errors as the SDK's enumerations have them.
enum DejavooTables {
    /// Offsets 21074 to 23640.
    static let variants = [
        DejavooForms.Variant(entry: "chip", network: "LTE", result: "00", code: "0", label: "sale", request: "SALE"),
        .init(entry: "manual entry", network: "Ethernet", result: "0", code: "00", label: "Sale", request: "SALE"),
        .init(entry: "tap-on-phone", network: "WIFI", result: "00", code: "00", label: "sale", request: "SALE"),
    ]

    /// The types of requests in version 1.
    static let legacyTypes = ["SALE", "sale", "REFUND", "PREAUTH", "VOID", "TICKET", "ticket"]
    static let legacyBatches = ["BATCH", "SETTLEMENTS", "batch"]

    /// Errors of the session, and the messages beside them, which are about no payment.
    static let session = [
        "notAllowed", "backgroundRequestNotAllowed", "unsupported", "osVersionNotSupported", "modelNotSupported",
        "networkError", "networkAuthenticationError", "serviceConnectionError", "notReady", "emptyReaderToken",
        "prepareExpired", "tokenExpired", "readerMemoryFull", "accountNotLinked", "accountAlreadyLinked",
        "accountLinkingFailed", "accountLinkingRequiresiCloudSignIn", "accountLinkingCancelled", "merchantBlocked",
        "invalidMerchant", "somethingWentWrong",
    ]
    static let messages = [
        "entitlementIssue", "environmentIssue", "deviceSupportTapOnPay", "deviceUnSupportTapOnPay",
        "readerSessionCleanUp",
    ]

    /// Errors while a card is read; nothing is sent before it is read.
    static let reader: [(name: String, meaning: CodeMeaning)] = [
        ("cardReadFailed", .failed), ("invalidAmount", .failed), ("invalidCurrencyCode", .failed),
        ("nfcDisabled", .failed), ("noReaderSession", .failed), ("passcodeDisabled", .failed),
        ("paymentCardDeclined", .declined), ("paymentReadFailed", .failed), ("pinCancelled", .cancelled),
        ("pinNotAllowed", .failed), ("pinEntryFailed", .unclear), ("pinEntryTimeout", .cancelled),
        ("pinTokenInvalid", .unclear), ("readFromBackgroundError", .failed), ("readNotAllowed", .failed),
        ("readNotAllowedDuringCall", .failed), ("readerServiceConnectionError", .unclear),
        ("readerServiceError", .unclear), ("readerSessionAuthenticationError", .unclear),
        ("readerSessionBusy", .failed), ("readerSessionExpired", .unclear), ("readerSessionNetworkError", .unclear),
        ("readerTokenExpired", .unclear), ("vasReadFail", .unclear), ("invalidReaderToken", .unclear),
        ("prepareFailed", .failed),
    ]
}
