import Redaction

/// `PDTransactionType`: the purpose of a checkout token. Source: Paydiant SDK for iOS, `obtainCheckoutTokenFor`.
enum PaydiantTransactionType: String, Sendable, CaseIterable {
    case purchase = "kPDTransactionTypePurchase"
    case refund = "kPDTransactionTypeReturn"
    case cashAccess = "kPDTransactionTypeCashAccess"
    case unknown = "kPDTransactionTypeUnknown"
}

/// `PDCashAccessTransactionType`. Source: Paydiant SDK for iOS, `submitATMCashAccessAmount`.
enum PaydiantCashAccessType: String, Sendable, CaseIterable {
    case withdrawal = "kPDCashAccessTransactionTypeWithdrawal"
    case unknown = "kPDCashAccessTransactionTypeUnknown"
}

/// `PDPaymentStatusType`: whether a payment completed the transaction. Source: Paydiant SDK for iOS, `paymentWith`.
enum PaydiantPaymentStatusType: String, Sendable, CaseIterable {
    case completed = "kPDPaymentStatusTypeCompleted"
    case partiallyCompleted = "kPDPaymentStatusTypePartiallyCompleted"
}

/// `transactionStatus` of an update's answer; only this value is published. Source: Paydiant SDK for iOS,
/// `updateTransaction`.
enum PaydiantTransactionStatus: String, Sendable, CaseIterable {
    /// A cash machine had less than the requested amount.
    case partialPayment = "kPDTransactionStatusPartialPayment"
}

/// `paymentStatus` of an update's answer, as a cash machine sends it. Source: Paydiant SDK for iOS,
/// `updateTransaction`, which prints it without the last `E`.
enum PaydiantPaymentStatus: String, Sendable, CaseIterable {
    case forcedDepositSuccess = "FORCED_DEPOSIT_SUCCSS"
    case forcedDepositSuccessSpelled = "FORCED_DEPOSIT_SUCCESS"
}

/// The transaction's stage that a call is about. Only the first has a published name; any other is kept as written.
/// Source: Paydiant SDK for iOS, `retrieveTransctionMetadata`.
enum PaydiantFlowRule: String, Sendable, CaseIterable {
    /// The code was scanned; the wallet queries the amount due and the accepted tenders.
    case discovery = "DISCOVERY"
}

/// A value of one of the SDK's enumerations, as apps send it: by name, with or without its prefix.
enum PaydiantEnum<Case: RawRepresentable & CaseIterable & Sendable>: Sendable where Case.RawValue == String {
    case known(Case)
    /// Not in the table.
    case other

    init(_ text: String, prefix: String = "") {
        let name = SensitiveNames.normalized(text)
        let known = Case.allCases.first {
            let full = SensitiveNames.normalized($0.rawValue)
            return full == name || full == SensitiveNames.normalized(prefix) + name
        }
        self = known.map { .known($0) } ?? .other
    }

    var value: Case? {
        if case .known(let value) = self { value } else { nil }
    }
}
