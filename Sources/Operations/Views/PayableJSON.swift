package import Journal
package import Payments

/// Tips or taxes that are owed. A key that was not requested, or that the entries do not have, is absent.
package struct PayableJSON: Codable, Sendable, Hashable {
    /// The recipient of tips, else the clerk.
    package var recipient: String?
    /// The label under which a tax is reported.
    package var authority: String?
    package var merchant: String?
    package var day: String?
    /// Below zero if more was reversed than posted.
    package var amount: Money

    package init(_ balance: AccountBalance, by keys: [BalanceKey], of account: Account) {
        func value(_ key: BalanceKey) -> String? { keys.firstIndex(of: key).flatMap { balance.keys[$0] } }
        if account == .tipsPayable { recipient = value(.part) } else { authority = value(.part) }
        merchant = value(.merchant)
        day = value(.day)
        // Every balance of the journal has an opposite.
        amount = Money(-balance.balance, balance.currency)
    }
}

/// Tips or taxes by the requested keys.
package struct PayablesJSON: Codable, Sendable, Hashable {
    package var by: [String]
    package var asOfPosition: Int64?
    package var items: [PayableJSON]
}
