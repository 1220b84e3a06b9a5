/// A property that a processor's payout and a transfer on a bank account may share.
package enum DepositKey: String, Sendable, Hashable, Codable, CaseIterable {
    /// The processor's id of the payout, as the bank's reference for the entry.
    case bankReference = "bank-reference"
    /// The processor's id of the payout, as the end-to-end reference of the transfer.
    case endToEnd = "end-to-end"
    /// The processor's id of the payout, as the customer's or creditor's reference.
    case customerReference = "customer-reference"
    /// The bank's reference for the entry, as the processor reports it.
    case trace
    /// The processor's id of the payout as a whole word in the text or in a reference of the entry, in upper or lower
    /// case.
    case remittance
    /// The merchant's number as a whole word.
    case merchant
    /// The batch's number as a whole word.
    case batch
    /// The account the processor pays to.
    case account

    /// True for keys that are searched among the words of an entry.
    package var isWord: Bool {
        switch self {
        case .remittance, .merchant, .batch: true
        case .bankReference, .endToEnd, .customerReference, .trace, .account: false
        }
    }
}

/// One step of the ladder that matches payouts with transfers on bank accounts. A match always has equal currencies,
/// and amounts that are equal to the minor unit.
package struct DepositRule: Sendable, Hashable, Codable {
    /// The rule for several candidates.
    package enum Choice: String, Sendable, Hashable, Codable, CaseIterable {
        /// Pairs the earliest with the earliest, and so on: for keys that name one payout. An id found as a word counts
        /// only if the entry contains the id of no other payout. With `merchant` or `batch` this is the same as
        /// `unique`.
        case inOrder = "in-order"
        /// Matches only if each is the only candidate for the other.
        case unique
        /// Matches all that remain under the keys on one side, if their sum equals the only one under the keys on the
        /// other side.
        case sum
        /// Matches a processor's payouts to a merchant on one day, if their sum equals one transfer and no other day's
        /// sum does. No keys.
        case payoutsOfDay = "payouts-of-day"
        /// Matches a party's transfers to an account on one day, if their sum equals one payout and no other day's sum
        /// does. No keys.
        case depositsOfDay = "deposits-of-day"
    }

    /// Unique within the ladder.
    package var name: String
    /// All keys must be present and equal.
    package var keys: [DepositKey]
    package var choice: Choice
    /// The largest distance in days between the two; nil for no limit.
    package var days: Int?

    package init(_ name: String, _ keys: [DepositKey], _ choice: Choice, days: Int? = nil) {
        self.name = name
        self.keys = keys
        self.choice = choice
        self.days = days
    }
}

extension DepositRule {
    /// Names first; then a merchant or an account with the amount and days; then the amount alone with days; sums last.
    package static let standardLadder = [
        DepositRule("bank-reference", [.bankReference], .inOrder),
        DepositRule("end-to-end", [.endToEnd], .inOrder),
        DepositRule("customer-reference", [.customerReference], .inOrder),
        DepositRule("trace", [.trace], .inOrder),
        DepositRule("remittance", [.remittance], .inOrder),
        DepositRule("bank-reference-sum", [.bankReference], .sum),
        DepositRule("end-to-end-sum", [.endToEnd], .sum),
        DepositRule("remittance-sum", [.remittance], .sum),
        DepositRule("merchant-batch", [.merchant, .batch], .unique),
        DepositRule("merchant-amount", [.merchant], .unique, days: 5),
        DepositRule("account-amount", [.account], .unique, days: 5),
        DepositRule("amount", [], .unique, days: 5),
        DepositRule("payouts-of-day", [], .payoutsOfDay, days: 5),
        DepositRule("deposits-of-day", [], .depositsOfDay, days: 5),
    ]
}
