package import Canonical

/// A gateway operation on a card or a stored value other than a payment.
package typealias ValueEvent = ReportEvent<ValueEventName>

/// The names of the event types, as stored.
package enum ValueEventName: String, ReportName, Codable {
    package typealias Report = ValueReport

    case tokenIssued = "TokenIssued"
    case tokenRetrieved = "TokenRetrieved"
    case balanceInquired = "BalanceInquired"
    case giftCardActivated = "GiftCardActivated"
    case giftCardDeactivated = "GiftCardDeactivated"
    /// Money was loaded onto a gift card.
    case giftCardLoaded = "GiftCardLoaded"

    /// The operation, as views and receipts name it.
    package var operation: String {
        switch self {
        case .tokenIssued, .tokenRetrieved: "token"
        case .balanceInquired: "balance-inquiry"
        case .giftCardActivated: "activation"
        case .giftCardDeactivated: "deactivation"
        case .giftCardLoaded: "load"
        }
    }

    /// True for a token, which says nothing about the value of the card.
    package var isToken: Bool { self == .tokenIssued || self == .tokenRetrieved }
}

/// The payload of every `ValueEvent`.
package struct ValueReport: Sendable, Hashable, Codable {
    /// The reported balance, or the loaded amount.
    package var amount: Money?
    /// The balance after a load or an activation, if it is reported.
    package var balance: Money?
    package var response: Response
    package var references: References
    /// The card and the digest of its token.
    package var card: CardPresentation?
    package var at: ReportedTime?

    package init(
        amount: Money? = nil,
        balance: Money? = nil,
        response: Response,
        references: References = .init(),
        card: CardPresentation? = nil,
        at: ReportedTime? = nil
    ) {
        self.amount = amount
        self.balance = balance
        self.response = response
        self.references = references
        self.card = card
        self.at = at
    }
}
