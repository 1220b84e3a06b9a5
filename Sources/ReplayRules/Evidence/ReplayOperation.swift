package import Payments

/// An operation to resubmit to a gateway.
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

    /// Nil for operations that are not resubmitted: queries, tokens, settlements, gift cards and administration.
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

    /// Nil for follow-ups that are not resubmitted.
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

    /// True for a payment itself, false for a follow-up.
    package var isPayment: Bool {
        switch self {
        case .sale, .authorization, .credit, .verification: true
        case .capture, .tipAdjustment, .void, .refund, .reversal: false
        }
    }
}

/// The card scheme, as far as rules differ by scheme.
package enum CardScheme: String, Sendable, Hashable, Codable, CaseIterable {
    case visa, mastercard, amex, discover, diners, jcb

    /// Reads a card brand as vendors print it: `VISA CREDIT`, `MC`, `Master Card`, `AMEX`.
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

/// The use of a card, as far as windows and deadlines differ by use.
package enum CardUse: String, Sendable, Hashable, Codable, CaseIterable {
    case cardPresent = "card-present"
    case cardNotPresent = "card-not-present"
    case merchantInitiated = "merchant-initiated"
    case travel
}
