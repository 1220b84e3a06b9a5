package import Canonical

/// What a gateway does with a card or a stored value beside paying with it.
package typealias ValueEvent = ReportEvent<ValueEventName>

/// The names of the event types, as they are stored.
package enum ValueEventName: String, ReportName {
    package typealias Report = ValueReport

    case tokenIssued = "TokenIssued"
    case tokenRetrieved = "TokenRetrieved"
    case balanceInquired = "BalanceInquired"
    case giftCardActivated = "GiftCardActivated"
    case giftCardDeactivated = "GiftCardDeactivated"
    /// Money was put on a gift card.
    case giftCardLoaded = "GiftCardLoaded"
}

/// The payload of every `ValueEvent`.
package struct ValueReport: Sendable, Hashable, Codable {
    /// The balance told, or what was loaded.
    package var amount: Money?
    package var response: Response
    package var references: References
    /// The card, and the digest of the token that stands for it.
    package var card: CardPresentation?
    package var at: Timestamp?

    package init(
        amount: Money? = nil,
        response: Response,
        references: References = .init(),
        card: CardPresentation? = nil,
        at: Timestamp? = nil
    ) {
        self.amount = amount
        self.response = response
        self.references = references
        self.card = card
        self.at = at
    }
}
