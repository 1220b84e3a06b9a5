import Payments
import Redaction

// Source: Handpoint Heft SDK for iOS 2.6.0, transaction details, unless another source is named.

/// `FinancialStatus`, and `finStatus` of later versions.
package enum HandpointFinancialStatus: String, CaseIterable, Sendable {
    case undefined = "UNDEFINED"
    /// The value in the document; the SDK itself uses `AUTHORISED`.
    case approved = "APPROVED"
    case authorised = "AUTHORISED"
    case declined = "DECLINED"
    case processed = "PROCESSED"
    case failed = "FAILED"
    case cancelled = "CANCELLED"
    // Used by later versions and by the status query.
    case partialApproval = "PARTIAL_APPROVAL"
    case inProgress = "IN_PROGRESS"
    /// The payment was approved and later refunded; the refund has its own result.
    case refunded = "REFUNDED"
    case captured = "CAPTURED"

    init?(named text: String) {
        self.init(rawValue: text.uppercased().replacing(" ", with: "_"))
    }

    /// The meaning for the money. `PROCESSED` ends an operation that moves no money, so it has no meaning for a
    /// payment.
    var meaning: CodeMeaning {
        switch self {
        case .approved, .authorised, .refunded, .captured: .approved
        case .partialApproval: .partiallyApproved
        case .declined: .declined
        case .failed: .failed
        case .cancelled: .cancelled
        case .undefined, .processed, .inProgress: .unknown
        }
    }
}

/// `financialResult`, the number beside `FinancialStatus`. Source: the SDK's command ids.
package enum HandpointFinancialResult: Int, CaseIterable, Sendable {
    case undefined = 0
    case approved = 1
    case declined = 2
    case processed = 3
    case notProcessed = 4
    case cancelled = 5
    case partiallyApproved = 6

    /// A bit set in the number when the reader is about to restart.
    package static let restartMask = 0x80

    /// - Parameter number: With or without the mask. The SDK's simulator sends 18, the status of a cancellation, for a
    ///   cancelled payment.
    init?(number: Int) {
        guard (0...0xFF).contains(number) else { return nil }
        let plain = number & ~Self.restartMask
        if plain == 0x12 {
            self = .cancelled
        } else {
            self.init(rawValue: plain)
        }
    }

    var meaning: CodeMeaning {
        switch self {
        case .approved: .approved
        case .partiallyApproved: .partiallyApproved
        case .declined: .declined
        case .notProcessed: .failed
        case .cancelled: .cancelled
        case .undefined, .processed: .unknown
        }
    }
}

package enum HandpointTransactionType: String, CaseIterable, Sendable {
    case undefined = "UNDEFINED"
    case sale = "SALE"
    case voidSale = "VOID_SALE"
    case refund = "REFUND"
    case voidRefund = "VOID_REFUND"
    case cancelSale = "CANCEL_SALE"
    case cancelRefund = "CANCEL_REFUND"
    // Source: the SDK's simulator and command ids.
    case hostInit = "HOST_INIT"
    case startDay = "START_DAY"
    case endDay = "END_DAY"
    case recoverResult = "RECOVER_TXN_RESULT"
    // Source: the tip adjustment of later versions and of the REST API, whose answer prints no type.
    case tipAdjustment = "TIP_ADJUSTMENT"

    init?(named text: String) {
        self.init(rawValue: text.uppercased().replacing(" ", with: "_"))
    }

    /// True if the operation can move money.
    var isFinancial: Bool {
        switch self {
        case .sale, .voidSale, .refund, .voidRefund, .cancelSale, .cancelRefund, .tipAdjustment: true
        case .undefined, .hostInit, .startDay, .endDay, .recoverResult: false
        }
    }

    /// The transaction type that a `HeftClient` method starts.
    static func started(by method: String) -> HandpointTransactionType? {
        switch SensitiveNames.normalized(method) {
        case "salewithamount", "sale": .sale
        case "salevoidwithamount", "salevoid", "voidsale": .voidSale
        case "refundwithamount", "refund": .refund
        case "refundvoidwithamount", "refundvoid", "voidrefund": .voidRefund
        case "financeinit": .hostInit
        case "retrievependingtransaction": .recoverResult
        case "tipadjustment", "tipadjust": .tipAdjustment
        default: nil
        }
    }
}

/// `CVM`: the cardholder verification method.
package enum HandpointVerification: String, CaseIterable, Sendable {
    case undefined = "UNDEFINED"
    case signature = "SIGNATURE"
    case pin = "PIN"
    case pinAndSignature = "PIN_SIGNATURE"
    case failed = "FAILED"
    case notRequired = "NOT_REQUIRED"

    var requiresSignature: Bool? {
        switch self {
        case .undefined, .failed: nil
        case .signature, .pinAndSignature: true
        case .pin, .notRequired: false
        }
    }

    var pinEntered: Bool? {
        switch self {
        case .undefined, .failed: nil
        case .pin, .pinAndSignature: true
        case .signature, .notRequired: false
        }
    }

    /// The result without a method; nil if a method verified the cardholder, or nothing is known.
    var result: CardPresentation.Verification? {
        switch self {
        case .failed: .failed
        case .notRequired: .notRequired
        case .undefined, .signature, .pin, .pinAndSignature: nil
        }
    }
}

/// `CardEntryType`: the card's entry method.
package enum HandpointCardEntry: String, CaseIterable, Sendable {
    case undefined = "UNDEFINED"
    case magneticStripe = "MSR"
    case chip = "ICC"
    case cardNotPresent = "CNP"
}

/// `eLogLevel` by name. Numbers are not read: a later version inserted a level between the first two, so 1 has two
/// meanings.
package enum HandpointLogLevel: String, CaseIterable, Sendable {
    case none = "eLogNone"
    case info = "eLogInfo"
    case full = "eLogFull"
    case debug = "eLogDebug"
    /// Added in later versions.
    case error = "eLogError"
}

/// Limits of the requests. Source: the SDK's `HeftClient` header.
package enum HandpointLimits {
    /// Months over which a sale can be spread.
    package static let budgetMonths: Set<Int> = [3, 6, 12, 18, 24, 30, 36, 42, 48, 54, 60]
    /// Characters of a customer reference.
    package static let referenceLength = 25
    /// A scanner's longest wait.
    package static let scannerTimeoutSeconds = 0...65_535
    /// The reader's wait limit for the merchant's decision about a signature.
    package static let signatureTimeoutSeconds = 45
}

/// The SDK's own texts when it stops without a status. Source: the SDK's exceptions.
package enum HandpointException: String, CaseIterable, Sendable {
    case acknowledgementTimeout = "Timeout on ack"
    case responseTimeout = "Timeout on response"
    case financeTimeout = "Timeout on finance request"
    case communication = "Communication error"
    case connectionBroken = "Connection broken"
    case connectionImpossible = "Can't create bluetooth connection"

    /// A communication error is followed by its cause in angle brackets.
    init?(text: String) {
        let found = Self.allCases.first { $0.rawValue == text || text.hasPrefix($0.rawValue + " <") }
        guard let found else { return nil }
        self = found
    }

    /// The reader continues without the app and stores the result for it.
    var meaning: CodeMeaning { self == .connectionImpossible ? .failed : .unknown }
}

extension Currency {
    /// True for currencies with different decimals in the SDK's own table than in ISO 4217.
    var isScaledOtherwiseByHandpoint: Bool {
        handpointSDKExponent.map { $0 != exponent } ?? false
    }
}
