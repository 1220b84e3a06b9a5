import Canonical

/// The true balance of an account at the end of a business day.
package struct BalanceTruth: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Hashable, Codable {
        /// Of the payments alone, before statements are imported.
        case traded
        /// After the statements have been imported and reconciled.
        case reconciled
    }

    package var state: State
    /// The balance has all entries of this day and of earlier ones; nil: all entries of any day.
    package var day: String?
    package var account: AccountName
    /// Minor units; a debit balance is positive. Balances of zero are not listed.
    package var amount: Int64

    /// The balances after the payments, for each day and for all days.
    static func traded(_ payments: [PaymentTruth], on days: [String]) -> [BalanceTruth] {
        (days.map(Optional.some) + [nil]).flatMap { list(.traded, $0, sums(of: payments, through: $0)) }
    }

    static func list(_ state: State, _ day: String?, _ sums: [AccountName: Int64]) -> [BalanceTruth] {
        sums.sorted { $0.key < $1.key }
            .map { BalanceTruth(state: state, day: day, account: $0.key, amount: $0.value) }
    }

    /// What payments have moved by the end of a day; nil: on all days.
    static func sums(of payments: some Sequence<PaymentTruth>, through day: String?) -> [AccountName: Int64] {
        var sums: [AccountName: Int64] = [:]
        for payment in payments {
            for entry in payment.entries where day.map({ entry.day <= $0 }) ?? true {
                sums.add(entry.amount, to: entry.account)
            }
        }
        return sums
    }
}

extension SimulationPlan {
    /// The business days that can have payments, in any zone, by clocks that are right.
    var businessDays: [String] {
        (-1...days).map { number in
            String(firstDay.adding(microseconds: Int64(number) * 86_400_000_000).rfc3339.prefix(10))
        }
    }
}
