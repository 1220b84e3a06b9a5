package import Payments

/// What is to be asked of a gateway again.
package enum ReplayOperation: String, Sendable, Hashable, Codable, CaseIterable {
    case sale, authorization, credit, verification
    case capture
    case tipAdjustment = "tip-adjustment"
    case void, refund, reversal

    package init(_ operation: Operation) {
        self =
            switch operation {
            case .sale: .sale
            case .authorization: .authorization
            case .credit: .credit
            case .verification: .verification
            }
    }

    /// Nil for what moves no money.
    package init?(_ operation: GatewayOperation) {
        switch operation {
        case .sale: self = .sale
        case .authorization: self = .authorization
        case .capture: self = .capture
        case .tipAdjustment: self = .tipAdjustment
        case .void: self = .void
        case .refund: self = .refund
        case .reversal: self = .reversal
        case .find, .token, .settlement, .accountInquiry, .giftActivation, .giftLoad, .giftDeactivation,
            .merchantInformation, .passwordChange:
            return nil
        }
    }

    /// Nil for what is not asked for again.
    package init?(_ followUp: FollowUpRefusal.FollowUp) {
        switch followUp {
        case .capture: self = .capture
        case .tipAdjustment: self = .tipAdjustment
        case .void: self = .void
        case .refund: self = .refund
        case .reversal: self = .reversal
        case .increment, .refundVoid: return nil
        }
    }

    /// True for a payment itself, false for what follows on one.
    package var isPayment: Bool {
        switch self {
        case .sale, .authorization, .credit, .verification: true
        case .capture, .tipAdjustment, .void, .refund, .reversal: false
        }
    }
}

/// Whose card it is, as far as rules differ.
package enum CardScheme: String, Sendable, Hashable, Codable, CaseIterable {
    case visa, mastercard, amex, discover, diners, jcb

    /// Reads the name of a card's brand as vendors print it: `VISA CREDIT`, `MC`, `Master Card`, `AMEX`.
    package init?(brand: String) {
        let letters = brand.lowercased().filter(\.isLetter)
        let names: [(String, CardScheme)] = [
            ("visa", .visa), ("mastercard", .mastercard), ("maestro", .mastercard), ("amex", .amex),
            ("americanexpress", .amex), ("discover", .discover), ("diners", .diners), ("jcb", .jcb),
        ]
        if letters == "mc" {
            self = .mastercard
        } else if let match = names.first(where: { letters.hasPrefix($0.0) }) {
            self = match.1
        } else {
            return nil
        }
    }
}

/// How a card was used, as far as windows and deadlines differ.
package enum CardUse: String, Sendable, Hashable, Codable, CaseIterable {
    case cardPresent = "card-present"
    case cardNotPresent = "card-not-present"
    case merchantInitiated = "merchant-initiated"
    case travel
}
