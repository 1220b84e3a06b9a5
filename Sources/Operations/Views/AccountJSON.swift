package import Canonical
package import Journal
package import Payments

/// An account of the journal.
package struct AccountJSON: Codable, Sendable, Hashable {
    package var account: Account
    package var kind: Account.Kind
    /// The name and number in accounting software.
    package var name: String
    package var number: String
    /// What its parts are; nil if it has none.
    package var partName: String?
    /// The number of parts that its entries name, and the first of them.
    package var partCount: Int64
    package var parts: [String]
    /// The balances that are not zero: a debit if positive, a credit if negative.
    package var balances: [Money]

    package init(_ summary: AccountSummary, named chart: Chart) {
        account = summary.account
        kind = account.kind
        (name, number) = (chart[account].name, chart[account].number)
        partName = account.partName
        (partCount, parts) = (summary.partCount, summary.parts)
        balances = summary.balances
    }
}

/// All accounts.
package struct AccountsJSON: Codable, Sendable, Hashable {
    package var asOfPosition: Int64?
    package var items: [AccountJSON]
}

/// An entry of a statement of an account, with the balance after it.
package struct AccountEntryJSON: Codable, Sendable, Hashable {
    package var position: Int64
    package var leg: Int
    package var day: String
    /// The closed business day to which the entry belongs, if it was posted after that was closed.
    package var adjusts: String?
    package var account: Account
    package var part: String?
    /// A debit if positive, a credit if negative.
    package var amount: Money
    /// The balance after the entry in its currency.
    package var balance: Money
    package var merchant: String?
    package var terminal: String?
    package var transaction: UUID128?
    package var line: String?
    package var statementLine: UUID128?
    package var event: UUID128

    package init(_ entry: AccountEntry) {
        let leg = entry.leg
        (position, self.leg) = (leg.position, leg.leg)
        (day, adjusts) = (leg.day, leg.adjusts)
        (account, part) = (leg.account, leg.part)
        (amount, balance) = (leg.amount, entry.balance)
        (merchant, terminal) = (leg.merchant, leg.terminal)
        (transaction, line, statementLine) = (leg.transaction, leg.line, leg.statementLine)
        event = leg.event
    }
}

/// What a statement of an account has beside its entries.
package struct AccountStatementHeadJSON: Codable, Sendable, Hashable {
    package var account: Account
    package var kind: Account.Kind
    package var name: String
    package var number: String
    /// The last position of the statement.
    package var asOfPosition: Int64
    /// The balances before the first entry and after the last one, of all pages; without those that are zero.
    package var opening: [Money]
    package var closing: [Money]

    init(
        _ statement: AccountStatement,
        of account: Account,
        opening: [Currency: Int64],
        closing: [Currency: Int64],
        named chart: Chart
    ) {
        func balances(_ sums: [Currency: Int64]) -> [Money] {
            sums.filter { $0.value != 0 }.sorted { $0.key.alpha < $1.key.alpha }.map { Money($0.value, $0.key) }
        }
        self.account = account
        kind = account.kind
        (name, number) = (chart[account].name, chart[account].number)
        asOfPosition = statement.through
        (self.opening, self.closing) = (balances(opening), balances(closing))
    }
}

/// A page of the statement of an account.
package struct AccountStatementJSON: Codable, Sendable, Hashable {
    package var account: Account
    package var kind: Account.Kind
    package var name: String
    package var number: String
    package var asOfPosition: Int64
    package var opening: [Money]
    package var closing: [Money]
    package var items: [AccountEntryJSON]
    package var next: String?
}
