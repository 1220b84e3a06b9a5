package import Canonical
package import Journal
package import Payments

/// A leg of an entry of the journal.
package struct PostedLegJSON: Codable, Sendable, Hashable {
    package var position: Int64
    package var leg: Int
    package var day: String
    /// The closed business day to which the leg belongs, if it was posted after that was closed.
    package var adjusts: String?
    package var account: Account
    package var part: String?
    /// A debit if positive, a credit if negative.
    package var amount: Money
    package var merchant: String?
    package var terminal: String?
    package var transaction: UUID128?
    package var line: String?
    package var statementLine: UUID128?
    package var event: UUID128

    package init(_ leg: PostedLeg) {
        position = leg.position
        self.leg = leg.leg
        day = leg.day
        adjusts = leg.adjusts
        account = leg.account
        part = leg.part
        amount = leg.amount
        merchant = leg.merchant
        terminal = leg.terminal
        transaction = leg.transaction
        line = leg.line
        statementLine = leg.statementLine
        event = leg.event
    }
}

/// The balance of an account in one currency. A key that was not requested, or that the entries do not have, is absent;
/// so is the side on which the balance is not.
package struct AccountBalanceJSON: Codable, Sendable, Hashable {
    package var account: Account?
    /// The name and number of the account in accounting software.
    package var name: String?
    package var number: String?
    package var part: String?
    package var merchant: String?
    package var day: String?
    package var adjusts: String?
    package var currency: Currency
    package var debit: Money?
    package var credit: Money?

    package init(_ balance: AccountBalance, by keys: [BalanceKey], named chart: Chart) {
        func value(_ key: BalanceKey) -> String? { keys.firstIndex(of: key).flatMap { balance.keys[$0] } }
        account = value(.account).flatMap(Account.init)
        name = account.map { chart[$0].name }
        number = account.map { chart[$0].number }
        part = value(.part)
        merchant = value(.merchant)
        day = value(.day)
        adjusts = value(.adjusts)
        currency = balance.currency
        debit = balance.balance > 0 ? Money(balance.balance, balance.currency) : nil
        credit = balance.balance < 0 ? Money(-balance.balance, balance.currency) : nil
    }
}

/// A trial balance.
package struct TrialBalanceJSON: Codable, Sendable, Hashable {
    package var by: [BalanceKey]
    package var asOfPosition: Int64?
    package var items: [AccountBalanceJSON]
}
