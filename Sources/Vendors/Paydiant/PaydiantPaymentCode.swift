/// The platform's code for one payment: `paymentStatusCode` of a `PDTransactionAccount` in a success, and `errorCode`
/// of a `PDErrorInformation` in a failure. Sources: PayPal white-label wallet, iOS response handling, B2B customer
/// care, fuel and mobile transaction status codes (facts/vendor_codes, 5).
///
/// These codes are a separate number space, see `PaydiantFault`.
enum PaydiantPaymentCode: Int, Sendable, CaseIterable {
    case approved = 200
    case declined = 201
    case settlementFailed = 202
    case insufficientFunds = 203
    case partialPayment = 204
    case authorizationApproved = 210
    case authorizationFailed = 211
    case partialPreAuthorization = 212
    case approvedAndScheduled = 220
    case refundApproved = 230
    case refundOnHold = 231
    case duplicate = 240
    case processingError = 241
    case gatewayProcessingError = 242
    case tenderNotSupported = 370
    case duplicatesNotAllowed = 798

    /// The meaning of a code for the money.
    enum Meaning: Sendable, Hashable {
        /// Captured, in full or in part.
        case paid, partlyPaid
        /// Authorised; it may be captured later.
        case authorized, partlyAuthorized
        case refunded
        case declined, failed
        /// A duplicate of an earlier payment, so this one was not made.
        case duplicate
        /// The outcome is unknown, or not known yet.
        case unknown
        /// Not about a payment.
        case notPayment
    }

    var meaning: Meaning {
        switch self {
        case .approved: .paid
        case .partialPayment: .partlyPaid
        case .authorizationApproved, .approvedAndScheduled: .authorized
        // The payment is still authorised; taking the money failed.
        case .settlementFailed: .authorized
        case .partialPreAuthorization: .partlyAuthorized
        case .refundApproved: .refunded
        case .declined, .insufficientFunds, .authorizationFailed: .declined
        case .processingError, .tenderNotSupported: .failed
        case .duplicate, .duplicatesNotAllowed: .duplicate
        case .refundOnHold, .gatewayProcessingError: .unknown
        }
    }

    /// The ranges reserved for a purpose. Most of their codes are not published.
    enum Range: Int, Sendable, CaseIterable {
        case settlement = 200
        case authorization = 210
        case schedule = 220
        case refund = 230
        case paymentSystem = 240
        case inputFailure = 250
        case databaseUpdate = 340
        case nonTransactionInput = 345
        case balance = 370
        case verification = 380
        case issuer = 500
        case merchant = 550
        case fullReversal = 600
        case voidAndRefund = 620

        var codes: ClosedRange<Int> {
            switch self {
            case .settlement: 200...209
            case .authorization: 210...219
            case .schedule: 220...229
            case .refund: 230...239
            case .paymentSystem: 240...249
            case .inputFailure: 250...299
            case .databaseUpdate: 340...344
            case .nonTransactionInput: 345...369
            case .balance: 370...379
            case .verification: 380...389
            case .issuer: 500...549
            case .merchant: 550...599
            case .fullReversal: 600...619
            case .voidAndRefund: 620...639
            }
        }

        /// The meaning that follows from the range alone; nil if its codes have different meanings.
        var meaning: Meaning? {
            switch self {
            case .issuer: .declined
            case .inputFailure, .merchant: .failed
            case .databaseUpdate, .nonTransactionInput, .balance, .verification: .notPayment
            case .settlement, .authorization, .schedule, .refund, .paymentSystem, .fullReversal, .voidAndRefund: nil
            }
        }
    }

    /// A code's meaning, and whether the tables contain it. A code outside the tables counts as known if its range
    /// determines the meaning.
    static func meaning(of text: String) -> (meaning: Meaning, isKnown: Bool) {
        guard let number = Int(text) else { return (.unknown, false) }
        if let code = PaydiantPaymentCode(rawValue: number) { return (code.meaning, true) }
        guard let meaning = Range.allCases.first(where: { $0.codes.contains(number) })?.meaning else {
            return (.unknown, false)
        }
        return (meaning, true)
    }
}
