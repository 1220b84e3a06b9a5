package import Payments

/// An operation to resubmit to a gateway.
package enum ReplayOperation: Sendable, Hashable {
    case payment(Operation)
    /// Only follow-ups that a gateway can be called for are resubmitted.
    case followUp(FollowUp)

    package static let sale = Self.payment(.sale)
    package static let authorization = Self.payment(.authorization)
    package static let credit = Self.payment(.credit)
    package static let verification = Self.payment(.verification)
    package static let capture = Self.followUp(.capture)
    package static let tipAdjustment = Self.followUp(.tipAdjustment)
    package static let void = Self.followUp(.void)
    package static let refund = Self.followUp(.refund)
    package static let reversal = Self.followUp(.reversal)

    /// Nil for operations that are not resubmitted: queries, tokens, settlements, gift cards and administration.
    package init?(_ operation: GatewayOperation) {
        switch operation {
        case .sale: self = .sale
        case .authorization: self = .authorization
        case .followUp(let followUp): self.init(followUp)
        case .find, .token, .settlement, .accountInquiry, .giftActivation, .giftLoad, .giftDeactivation,
            .merchantInformation, .passwordChange:
            return nil
        }
    }

    /// Nil for follow-ups that are not resubmitted.
    package init?(_ followUp: FollowUp) {
        guard followUp.isCallable else { return nil }
        self = .followUp(followUp)
    }

    /// True for a payment itself, false for a follow-up.
    package var isPayment: Bool {
        switch self {
        case .payment: true
        case .followUp: false
        }
    }
}

extension ReplayOperation: RawRepresentable, CaseIterable, Codable {
    package static let allCases: [Self] =
        Operation.allCases.map(Self.payment) + FollowUp.allCases.compactMap { Self($0) }

    package init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }

    /// The name in plans and requests: that of the payment's operation or of the follow-up.
    package var rawValue: String {
        switch self {
        case .payment(let operation): operation.rawValue
        case .followUp(let followUp): followUp.rawValue
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
