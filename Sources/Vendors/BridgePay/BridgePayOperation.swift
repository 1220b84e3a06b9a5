import Payments
import Redaction

/// The operation that a BridgePay document is about.
///
/// Transaction types: PayGuardian iOS guide, `BPNPaymentRequest`, `TransactionType`; the names without
/// `TRANSACTION_TYPE_` are BridgeComm's. Request types: the same guide, `BridgeCommResponse`, `RequestType`.
enum BridgePayOperation: String, Hashable, CaseIterable {
    case sale, authorization, credit, verification
    case capture, tipAdjust, void, refund, increment
    case find
    case balanceInquiry, activation, load, deactivation, token
    case passwordChange, merchantInfo
    case settlement

    enum Family: Hashable {
        /// Starts a payment.
        case payment
        /// Changes an existing payment.
        case followUp(FollowUp)
        /// Queries a payment.
        case query
        /// Queries or changes a card, without a payment.
        case value
        /// A gateway service unrelated to payments.
        case service
        /// Closes a batch.
        case batch
    }

    var family: Family {
        switch self {
        case .sale, .authorization, .credit, .verification: .payment
        case .capture: .followUp(.capture)
        case .tipAdjust: .followUp(.tipAdjustment)
        case .void: .followUp(.void)
        case .refund: .followUp(.refund)
        case .increment: .followUp(.increment)
        case .find: .query
        case .balanceInquiry, .activation, .load, .deactivation, .token: .value
        case .passwordChange, .merchantInfo: .service
        case .settlement: .batch
        }
    }

    /// The event of the operation, if it is about a card's value or its token.
    var valueEvent: ValueEventName? {
        switch self {
        case .balanceInquiry: .balanceInquired
        case .activation: .giftCardActivated
        case .load: .giftCardLoaded
        case .deactivation: .giftCardDeactivated
        case .token: .tokenIssued
        default: nil
        }
    }

    private static let names: [String: BridgePayOperation] = [
        "sale": .sale, "saleauth": .authorization, "auth": .authorization, "authonly": .authorization,
        "capture": .capture,
        "tipadjust": .tipAdjust, "tipadjustment": .tipAdjust, "adjustment": .tipAdjust,
        "void": .void, "refund": .refund, "credit": .credit, "creditauth": .credit,
        "increment": .increment, "incrementalauth": .increment,
        "accountverification": .verification, "verify": .verification, "verification": .verification,
        "findtransaction": .find, "find": .find,
        "balanceinquiry": .balanceInquiry, "balancecheck": .balanceInquiry, "inquiry": .balanceInquiry,
        "activate": .activation, "activation": .activation,
        "reactivate": .load, "reactivation": .load, "reload": .load,
        "deactivate": .deactivation, "deactivation": .deactivation,
        "pcitoken": .token, "token": .token,
    ]

    /// Accepts `TRANSACTION_TYPE_SALE_AUTH`, `sale-auth` and `Sale Auth`.
    init?(transactionType: String) {
        var name = SensitiveNames.normalized(transactionType)
        if name.hasPrefix("transactiontype") { name.removeFirst("transactiontype".count) }
        guard let operation = Self.names[name] else { return nil }
        self = operation
    }
}

/// The kinds of BridgeComm request messages: PayGuardian iOS guide, `BridgeCommResponse`, `RequestType`.
enum BridgePayRequestType: Int, CaseIterable {
    case multiUseToken = 1
    case authorization = 4
    case changePassword = 7
    case merchantInfo = 11
    case voidOrRefund = 12
    case manageGiftCard = 14
    case accountInquiry = 15
    case capture = 19
    case initiateSettlement = 20
    case findTransaction = 23

    /// Accepts `004` and `4`.
    init?(_ text: String) {
        guard let number = Int(text), let type = Self(rawValue: number) else { return nil }
        self = type
    }

    /// The operation, as far as the answer's request type and description show it.
    ///
    /// - Parameters:
    ///   - described: The operation named by `responseTypeDescription`.
    ///   - messageCode: Voids and refunds share one request type; the message code shows which one the gateway
    ///     performed.
    func operation(described: BridgePayOperation?, messageCode: String?) -> BridgePayOperation? {
        switch self {
        case .multiUseToken: .token
        case .authorization: described
        case .changePassword: .passwordChange
        case .merchantInfo: .merchantInfo
        case .voidOrRefund: messageCode == "A02" || described == .refund ? .refund : .void
        case .manageGiftCard: described?.family == .value ? described : nil
        // A card's balance, unless the answer states that the account was only verified.
        case .accountInquiry: described == .verification ? .verification : .balanceInquiry
        case .capture: .capture
        case .initiateSettlement: .settlement
        case .findTransaction: .find
        }
    }
}
