package import Canonical

/// The balances of a ledger's journal compared with the truth.
package struct BalanceScore: Sendable, Hashable {
    /// One balance by what the hosts know and by what the ledger answers, in minor units.
    package struct Comparison: Sendable, Hashable {
        /// The last business day of its entries; nil: all days.
        package var day: String?
        package var account: AccountName
        /// By what the hosts know.
        package var truth: Int64
        /// The part of it from payments that the ledger holds in doubt.
        package var inDoubt: Int64
        package var found: Int64

        /// What a ledger answers that has everything but the payments in doubt.
        package var expected: Int64 { truth - inDoubt }
        package var difference: Int64 { found - expected }

        /// For example `sales/credit USD at the end of 2025-03-03`.
        package var subject: String { "\(account.text) at the end of \(day ?? "all days")" }

        var json: JSONValue {
            func number(_ value: Int64) -> JSONValue { .number(.init(value)) }
            return [
                "day": day.map { .string($0) } ?? .null, "account": .string(account.name),
                "part": .string(account.part), "currency": .string(account.currency), "truth": number(truth),
                "inDoubt": number(inDoubt), "found": number(found), "difference": number(difference),
            ]
        }
    }

    /// A balance counts once for each day on which it is not zero.
    package private(set) var balances = Measure()
    /// The largest first.
    package private(set) var differences: [Comparison] = []
    /// The accounts at the end of all days of which payments in doubt are a part.
    package private(set) var doubts: [Comparison] = []
    /// The days that were to be compared and were not read, such as `2025-03-03`.
    package internal(set) var unread: [String] = []
    /// The payments whose money is left out, because the ledger holds them in doubt and their evidence is missing.
    package internal(set) var paymentsInDoubt = 0

    package var isClean: Bool { differences.isEmpty && unread.isEmpty }

    /// The sum of the absolute differences in minor units, by currency.
    package var sums: [String: Int64] {
        differences.reduce(into: [:]) { $0[$1.account.currency, default: 0] += abs($1.difference) }
    }

    mutating func take(_ one: Comparison) {
        balances.count(
            isClaimed: one.found != 0,
            isActual: one.expected != 0,
            isRight: one.found != 0 && one.difference == 0
        )
        if one.difference != 0 { differences.append(one) }
        if one.day == nil, one.inDoubt != 0 { doubts.append(one) }
    }

    mutating func sort() {
        func key(_ one: Comparison) -> (String, AccountName) { (one.day ?? "", one.account) }
        differences.sort { left, right in
            let (first, second) = (abs(left.difference), abs(right.difference))
            return first == second ? key(left) < key(right) : first > second
        }
        doubts.sort { $0.account < $1.account }
    }

    /// - Parameter limit: The maximum number of listed differences.
    package func json(limit: Int = 1_000) -> JSONValue {
        var sums: JSONObject = [:]
        for (currency, sum) in self.sums.sorted(by: { $0.key < $1.key }) { sums[currency] = .number(.init(sum)) }
        return [
            "isClean": .bool(isClean), "balances": balances.json, "absoluteDifferences": .object(sums),
            "differenceCount": .number(.init(Int64(differences.count))),
            "differences": .array(differences.prefix(limit).map(\.json)),
            "unread": .array(unread.map { .string($0) }),
            "paymentsInDoubt": .number(.init(Int64(paymentsInDoubt))), "inDoubt": .array(doubts.map(\.json)),
        ]
    }
}
