/// The calls of the transaction module, with the names of their callbacks. Source: Paydiant SDK for iOS, transaction
/// module; the two spellings without an `e` are the SDK's own.
enum PaydiantMethod: String, Sendable, CaseIterable {
    case obtainCheckoutTokenFor
    case releaseCheckoutToken
    case retrieveTransactionMetaData
    case updateTransaction
    case retrieveTransactionInformation
    case paymentWith
    case submitATMCashAccessAmount
    case generateAccessCode
    case cancelTransactionUsingToken

    /// The block called on success. Nil for `generateAccessCode`, which returns its result.
    var completion: String? {
        switch self {
        case .obtainCheckoutTokenFor: "ObtainCheckoutTokenCompletionBlock"
        case .releaseCheckoutToken: "ReleaseCheckoutTokenCompletionBlock"
        case .retrieveTransactionMetaData: "RetriveTransactionMetaDataCompletionBlock"
        case .updateTransaction: "UpdateTransactionCompletionBlock"
        case .retrieveTransactionInformation: "RetrieveTransactionInformationCompletionBlock"
        case .paymentWith: "SplitTenderPaymentCompletionBlock"
        case .submitATMCashAccessAmount: "SubmitCashAccessAmountCompletionBlock"
        case .generateAccessCode: nil
        case .cancelTransactionUsingToken: "CancelTransactionCompletionBlock"
        }
    }

    /// The block called with a `PDPaydiantError` on failure.
    var failure: String? {
        switch self {
        case .obtainCheckoutTokenFor: "ObtainCheckoutTokenFailureBlock"
        case .releaseCheckoutToken: "ReleaseCheckoutTokenFailureBlock"
        case .retrieveTransactionMetaData: "RetriveTransactionMetaDataFailureBlock"
        case .updateTransaction: "UpdateTransactionFailureBlock"
        case .retrieveTransactionInformation: "RetrieveTransactionInformationFailureBlock"
        case .paymentWith: "SplitTenderPaymentTransactionFailureBlock"
        case .submitATMCashAccessAmount: "SubmitCashAccessAmountFailureBlock"
        case .generateAccessCode: nil
        case .cancelTransactionUsingToken: "CancelTransactionFailureBlock"
        }
    }

    /// The key under which the app configures its messages to users; an error with this key identifies its call.
    var errorDomain: String? {
        switch self {
        case .obtainCheckoutTokenFor: "kUserErrorObtainCheckoutTokenDomain"
        case .releaseCheckoutToken: "kUserErrorReleaseCheckoutTokenDomain"
        case .retrieveTransactionMetaData: "kUserErrorRetriveTransactionMetaDataDomain"
        case .updateTransaction: "kUserErrorUpdateTransactionDomain"
        case .retrieveTransactionInformation: "kUserErrorRetrieveTransactionInformationDomain"
        case .paymentWith: "kUserErrorPaymentProcessorDomain"
        case .submitATMCashAccessAmount: "kUserErrorCashAccessProcessorDomain"
        case .generateAccessCode: nil
        case .cancelTransactionUsingToken: "kUserErrorCancelTransactionDomain"
        }
    }

    /// True for calls that always take money; an update does so at some flow rules.
    var takesMoney: Bool { self == .paymentWith || self == .submitATMCashAccessAmount }

    /// The role of a document.
    enum Callback: Sendable, Hashable {
        /// Named by the call: a request, with its answer beside it.
        case call
        case completion
        case failure
    }

    static let byKind: [String: (method: PaydiantMethod, callback: Callback)] = {
        var kinds: [String: (method: PaydiantMethod, callback: Callback)] = [:]
        for method in allCases {
            kinds[method.rawValue] = (method, .call)
            if let completion = method.completion { kinds[completion] = (method, .completion) }
            if let failure = method.failure { kinds[failure] = (method, .failure) }
        }
        return kinds
    }()

    init?(errorDomain: String) {
        guard let method = Self.allCases.first(where: { $0.errorDomain == errorDomain }) else { return nil }
        self = method
    }
}
