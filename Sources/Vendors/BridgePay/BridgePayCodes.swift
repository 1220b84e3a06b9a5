import Payments

/// BridgeComm's answer codes. Sources: PayGuardian iOS guide, Beyond Pay and BridgePay developer pages
/// (facts/vendor_codes, 1).
enum BridgePayCodes {
    /// `A01`, `D03`: the beginning of `gatewayMessage`.
    static func messageCode(in message: String?) -> String? {
        guard let message else { return nil }
        let code = message.prefix(3)
        guard code.utf8.count == 3, let letter = code.first, "ADEXC".contains(letter),
            code.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        guard let next = message.dropFirst(3).first else { return String(code) }
        return next.isLetter || next.isNumber ? nil : String(code)
    }

    /// Nil for codes that are not known.
    static func meaning(ofMessage code: String) -> CodeMeaning? {
        switch code {
        case "A05": .partiallyApproved
        case "A04": .failed  // "no update": nothing was changed
        case "X01": .cancelled
        case "X02", "E02", "E09", "A10": .unknown  // A10: the request was accepted, not the payment
        default:
            switch code.first {
            case "A": .approved
            case "D": .declined
            default: nil
            }
        }
    }

    /// - Parameter code: `gatewayResult` or `responseCode`.
    static func meaning(ofResult code: String) -> CodeMeaning? {
        guard let number = Int(code) else { return nil }
        switch number {
        case 0, 80005: return .approved  // 80005, 80006: voids that took more along
        case 1 where code.utf8.count == 5: return .partiallyApproved
        case 80006: return .approved
        case 30049: return .cancelled
        case 20002...20004, 30022, 80001, 99999: return .unknown
        case 10000...10099, 80008: return .failed
        case 30000...30999: return .declined
        default: return nil
        }
    }

    /// `responseCode` alone has its own small numbers: 1 is cancelled, 2 is an error of any kind.
    static func meaning(ofResponse code: String) -> CodeMeaning? {
        switch Int(code) {
        case 1 where code.utf8.count < 5: .cancelled
        case 2 where code.utf8.count < 5: .unknown
        default: meaning(ofResult: code)
        }
    }

    // MARK: NSError

    /// The SDK's error codes in the domain `com.bridgepaynetwork.PayGuardian`: 2 and 6 by the guide's examples, the
    /// E-codes by its table of extension errors. What is not known may have reached the gateway.
    static func meaning(ofSDKError code: String) -> CodeMeaning {
        switch code.uppercased() {
        case "2": .failed
        case "6", "E1019", "E1020": .cancelled
        case "E1001", "E1002", "E1003", "E1004", "E1005", "E1006", "E1007", "E1008", "E1009", "E1010", "E1011", "E1012",
            "E1014", "E1015":
            .failed
        default: .unknown
        }
    }

    /// NSURLErrorDomain: only where no connection was ever made is it certain that nothing was posted.
    static func meaning(ofConnectionError code: String) -> CodeMeaning {
        switch Int(code) {
        case -1000, -1002, -1003, -1004, -1006, -1009, -1018, -1020: .failed
        case -999: .unknown
        default: .unknown
        }
    }
}

/// What a BridgePay document is about.
enum BridgePayOperation: String, Hashable {
    case sale, authorization, capture, tipAdjust, void, refund, credit, verification, find

    /// True when it belongs to a payment made before.
    var isFollowUp: Bool {
        switch self {
        case .capture, .tipAdjust, .void, .refund: true
        case .sale, .authorization, .credit, .verification, .find: false
        }
    }

    /// `TRANSACTION_TYPE_SALE_AUTH`, `sale-auth`, `Sale Auth`.
    init?(transactionType: String) {
        var name = SensitiveNames.normalized(transactionType)
        if name.hasPrefix("transactiontype") { name.removeFirst("transactiontype".count) }
        switch name {
        case "sale": self = .sale
        case "saleauth", "auth", "authonly": self = .authorization
        case "capture": self = .capture
        case "tipadjust", "adjustment", "tipadjustment": self = .tipAdjust
        case "void": self = .void
        case "refund": self = .refund
        case "credit": self = .credit
        case "accountverification", "verify": self = .verification
        case "findtransaction", "find": self = .find
        default: return nil
        }
    }
}
