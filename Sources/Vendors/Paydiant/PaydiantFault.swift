/// The reason why a call failed: the meanings of `statusCode` of a `PDPaydiantError`. Source: Paydiant SDK for iOS,
/// transaction module, the error table of each call.
///
/// These numbers, 400 to 510, are one number space; the codes of payments (`PaydiantPaymentCode`) are another, and 500
/// to 510 mean different things in each. The field decides: `statusCode` is always read here, `paymentStatusCode` and
/// `errorCode` never.
enum PaydiantFault: String, Sendable, CaseIterable {
    case declined
    case invalidParameter
    case suspectedFraud
    case notLoggedIn
    case amountNotFound
    case insufficientFunds
    case tokenBlocked
    case tokenInUse
    case invalidAmount
    case offerNotRedeemable
    case cancelledByPOS
    case timedOut
    case invalidToken
    case tippingNotSupported
    case tippingFailed
    case terminalError
    case accountRemoved
    case serverError
    case processingError
    case underReview
    case scannedCodeNotValid
    case invalidCardNumber
    case cardExpired
    case walletNotSupported
    case invalidBillingAddress
    case splitTenderNotSupported
    case typeNotValid

    /// The meaning for the money that the call would have moved.
    ///
    /// The outcome is unknown if the server did not answer in time (417), if it failed internally (500, 501), if the
    /// POS terminal failed meanwhile (422), or if the payment waits for a review (502).
    var meaning: CodeMeaning {
        switch self {
        case .declined, .suspectedFraud, .insufficientFunds, .invalidCardNumber, .cardExpired, .invalidBillingAddress:
            .declined
        case .cancelledByPOS: .cancelled
        case .timedOut, .terminalError, .serverError, .processingError, .underReview: .unknown
        case .invalidParameter, .notLoggedIn, .amountNotFound, .tokenBlocked, .tokenInUse, .invalidAmount,
            .offerNotRedeemable, .invalidToken, .tippingNotSupported, .tippingFailed, .accountRemoved,
            .scannedCodeNotValid, .walletNotSupported, .splitTenderNotSupported, .typeNotValid:
            .failed
        }
    }

    /// The codes of a call: only those that the document lists for it, because the same number can mean something else
    /// for another call (400: a decline, or a bad parameter).
    static func codes(of method: PaydiantMethod) -> [Int: PaydiantFault] { tables[method] ?? [:] }

    private static let tables: [PaydiantMethod: [Int: PaydiantFault]] = [
        .obtainCheckoutTokenFor: [400: .declined, 403: .notLoggedIn, 500: .serverError],
        .releaseCheckoutToken: token,
        .retrieveTransactionMetaData: retrieval,
        .updateTransaction: payment,
        .retrieveTransactionInformation: retrieval.merging([419: .invalidToken]) { $1 },
        .paymentWith: payment.merging([404: .amountNotFound]) { $1 },
        .submitATMCashAccessAmount: [
            400: .declined, 403: .notLoggedIn, 405: .insufficientFunds, 423: .accountRemoved, 500: .serverError,
            501: .processingError, 510: .typeNotValid,
        ],
        .cancelTransactionUsingToken: token,
    ]

    private static let token: [Int: PaydiantFault] = [
        400: .invalidParameter, 403: .notLoggedIn, 419: .invalidToken, 500: .serverError,
    ]

    private static let retrieval: [Int: PaydiantFault] = [
        400: .declined, 403: .notLoggedIn, 406: .tokenBlocked, 409: .tokenInUse, 416: .cancelledByPOS, 417: .timedOut,
        500: .serverError, 503: .scannedCodeNotValid, 508: .splitTenderNotSupported,
    ]

    private static let payment: [Int: PaydiantFault] = [
        400: .declined, 402: .suspectedFraud, 403: .notLoggedIn, 405: .insufficientFunds, 406: .tokenBlocked,
        409: .tokenInUse, 410: .invalidAmount, 414: .offerNotRedeemable, 416: .cancelledByPOS, 417: .timedOut,
        419: .invalidToken, 420: .tippingNotSupported, 421: .tippingFailed, 422: .terminalError, 423: .accountRemoved,
        500: .serverError, 501: .processingError, 502: .underReview, 503: .scannedCodeNotValid,
        504: .invalidCardNumber, 505: .cardExpired, 506: .walletNotSupported, 507: .invalidBillingAddress,
        508: .splitTenderNotSupported, 510: .typeNotValid,
    ]
}
