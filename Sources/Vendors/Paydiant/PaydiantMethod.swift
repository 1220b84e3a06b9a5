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

    /// Called when it succeeded. Nil for `generateAccessCode`, which returns its result.
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

    /// Called with a `PDPaydiantError` when it did not.
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

    /// The key under which the app configures what users are told; an error that carries it tells its call.
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

    /// True for calls that take money, whatever they carry; an update does so at some flow rules.
    var takesMoney: Bool { self == .paymentWith || self == .submitATMCashAccessAmount }

    /// What a document of a kind is.
    enum Callback: Sendable, Hashable {
        /// Named by the call: a request, with whatever answered it beside it.
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
