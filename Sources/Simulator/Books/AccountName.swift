/// An account of a ledger's journal, with its part, in one currency.
package struct AccountName: Sendable, Hashable, Codable {
    /// As the API names it: `sales`.
    package var name: String
    /// Empty if the account has no parts, or the money none of them.
    package var part: String
    package var currency: String

    package init(_ name: String, part: String = "", currency: String) {
        self.name = name
        self.part = part
        self.currency = currency
    }

    /// For example `sales/credit USD`, or `bank EUR`.
    package var text: String { "\(name)\(part.isEmpty ? "" : "/\(part)") \(currency)" }
}

extension AccountName: Comparable {
    package static func < (left: AccountName, right: AccountName) -> Bool {
        (left.name, left.part, left.currency) < (right.name, right.part, right.currency)
    }
}

/// The accounts between which a simulation moves money: `docs/journal.md`.
enum PlayedAccount: String, Sendable, Hashable {
    case processorReceivable = "processor-receivable"
    case cashInTransit = "cash-in-transit"
    case cashBack = "cash-back"
    case bank
    case undepositedCash = "undeposited-cash"
    case cashMachine = "cash-machine"
    case reserve
    case disputeReceivable = "dispute-receivable"
    case tipsPayable = "tips-payable"
    case taxPayable = "tax-payable"
    case giftLiability = "gift-liability"
    case sales, surcharge, refunds, fees
    case currencyClearing = "currency-clearing"
    case suspense
}

/// An account with its part, in any currency.
struct AccountPlace: Sendable, Hashable {
    var account: PlayedAccount
    var part: String

    init(_ account: PlayedAccount, _ part: String = "") {
        self.account = account
        self.part = part
    }

    func name(in currency: String) -> AccountName { AccountName(account.rawValue, part: part, currency: currency) }
}

extension Dictionary where Key == AccountName, Value == Int64 {
    /// Adds to a balance; a balance of zero is removed.
    mutating func add(_ amount: Int64, to account: AccountName) {
        let sum = (self[account] ?? 0) + amount
        self[account] = sum == 0 ? nil : sum
    }

    mutating func add(_ other: [AccountName: Int64]) {
        for (account, amount) in other { add(amount, to: account) }
    }
}
