import Canonical

/// One amount in one account: a debit if positive, a credit if negative. Minor units of the payment's currency.
package struct Leg: Sendable, Hashable {
    package var account: Account
    /// The part of the account, by `Account.partName`; empty if it is not known.
    package var part: String
    /// The line of money within the payment, as in `BatchMember.line`.
    package var line: String
    package var amount: Int64

    package init(_ account: Account, _ part: String = "", line: String, _ amount: Int64) {
        self.account = account
        self.part = part
        self.line = line
        self.amount = amount
    }

    /// The legs that take one book to another. Their sum is zero if both books' sums are.
    ///
    /// - Returns: One leg for each account, part and line whose amount differs, in the order of `after`, and then of
    ///   `before`.
    package static func changes(from before: [Leg], to after: [Leg]) -> [Leg] {
        if before == after { return [] }
        var changes: [Leg] = []
        var places: [Place: Int] = [:]
        func add(_ leg: Leg, _ amount: Int64) {
            let place = Place(leg)
            if let index = places[place] {
                changes[index].amount += amount
            } else {
                places[place] = changes.count
                changes.append(leg.with(amount))
            }
        }
        for leg in after { add(leg, leg.amount) }
        for leg in before { add(leg, -leg.amount) }
        return changes.filter { $0.amount != 0 }
    }

    /// The same leg with another amount.
    package func with(_ amount: Int64) -> Leg { Leg(account, part, line: line, amount) }

    /// What legs of one place share. Bytes, because text that is canonically equivalent may be another part.
    private struct Place: Hashable {
        let account: Account
        let part: [UInt8]
        let line: [UInt8]

        init(_ leg: Leg) {
            account = leg.account
            part = Array(leg.part.utf8)
            line = Array(leg.line.utf8)
        }
    }

    /// True if both are in the same part of one account, for the same line of money.
    private func isBeside(_ other: Leg) -> Bool {
        account == other.account && part.hasSameUTF8(as: other.part) && line.hasSameUTF8(as: other.line)
    }

    package static func == (left: Leg, right: Leg) -> Bool { left.isBeside(right) && left.amount == right.amount }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(account)
        hasher.combine(amount)
    }
}
