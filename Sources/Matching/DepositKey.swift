/// Something that a processor's payout and a transfer on a bank account may have in common.
package enum DepositKey: String, Sendable, Hashable, Codable, CaseIterable {
    /// The processor's id of the payout, as the bank's reference for the entry.
    case bankReference = "bank-reference"
    /// The processor's id of the payout, as the end-to-end reference of the transfer.
    case endToEnd = "end-to-end"
    /// The processor's id of the payout, as the customer's or creditor's reference.
    case customerReference = "customer-reference"
    /// The bank's reference for the entry, which the processor tells.
    case trace
    /// The processor's id of the payout as a whole word of the text or of a reference of the entry, in any case.
    case remittance
    /// The merchant's number as such a word.
    case merchant
    /// The batch's number as such a word.
    case batch
    /// The account that the processor pays to.
    case account

    /// True for what is found among the words of an entry.
    package var isWord: Bool {
        switch self {
        case .remittance, .merchant, .batch: true
        case .bankReference, .endToEnd, .customerReference, .trace, .account: false
        }
    }
}

/// One step of the ladder by which payouts are matched with transfers on bank accounts. Currencies are always equal, and
/// amounts to the minor unit.
package struct DepositRule: Sendable, Hashable, Codable {
    /// What is done where several fit.
    package enum Choice: String, Sendable, Hashable, Codable, CaseIterable {
        /// The earliest goes with the earliest, and so on: for keys that name one payout. Words name it only where an
        /// entry has one payout's and no other's; with a merchant or a batch it is the same as `unique`.
        case inOrder = "in-order"
        /// Nothing, unless each is the only one that fits the other.
        case unique
        /// All that is left under the keys on one side, if it comes to one of the other side that has no other.
        case sum
        /// What a processor pays to a merchant on one day, if it comes to one transfer, and no other day does. No keys.
        case payoutsOfDay = "payouts-of-day"
        /// What a party pays to an account on one day, if it comes to one payout, and no other day does. No keys.
        case depositsOfDay = "deposits-of-day"
    }

    /// Unique within the ladder.
    package var name: String
    /// All of them must be there and equal.
    package var keys: [DepositKey]
    package var choice: Choice
    /// How many days apart the two may be; nil where that does not matter.
    package var days: Int?

    package init(_ name: String, _ keys: [DepositKey], _ choice: Choice, days: Int? = nil) {
        self.name = name
        self.keys = keys
        self.choice = choice
        self.days = days
    }
}

extension DepositRule {
    /// Names first; a merchant or an account with the amount and days; the amount alone with days; sums at the end.
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
