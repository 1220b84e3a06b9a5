/// The last report about the value of a card: a balance, or a loaded amount.
package struct CardValue: Sendable, Hashable, Codable {
    package var name: String
    package var amount: Money?
    /// The balance after a load or an activation, if it was reported.
    package var balance: Money?
    package var response: Response

    /// True for a balance inquiry.
    package var isBalance: Bool { name == ValueEventName.balanceInquired.rawValue }
}

/// What the last reports say was put onto a gift card, and was on it when it was deactivated.
package struct StoredValue: Sendable, Hashable, Codable {
    package var loaded: Money?
    package var deactivated: Money?

    package init() {}

    fileprivate mutating func note(_ reported: ValueEvent) {
        switch reported.name {
        case .giftCardActivated, .giftCardLoaded: loaded = reported.report.amount
        case .giftCardDeactivated: deactivated = reported.report.amount
        case .balanceInquired, .tokenIssued, .tokenRetrieved: return
        }
    }
}

/// The number of times each copy of a receipt was handed out.
package struct ReceiptCounts: Sendable, Hashable, Codable {
    package var customer = 0
    package var merchant = 0

    package init() {}

    package subscript(copy: ReceiptCopy) -> Int {
        switch copy {
        case .customer: customer
        case .merchant: merchant
        }
    }

    /// The number of the reprint; 0 for the first issue of a copy.
    package func reprint(of copy: ReceiptCopy) -> Int { max(0, self[copy] - 1) }

    mutating func count(_ copy: ReceiptCopy) {
        switch copy {
        case .customer: customer += 1
        case .merchant: merchant += 1
        }
    }
}

extension TransactionState {
    mutating func note(_ reported: ValueEvent) {
        learn(reported.report.references, reported.report.card, reported.report.at)
        identity.value = identity.value ?? reported.name
        // A token says nothing about the value of the card.
        guard !reported.name.isToken else { return }
        if let amount = reported.report.amount, objection(to: amount) == nil { currency = currency ?? amount.currency }
        storedValue.note(reported)
        cardValue = CardValue(
            name: reported.name.rawValue,
            amount: reported.report.amount,
            balance: reported.report.balance,
            response: reported.report.response
        )
    }
}
