import Operations
import Payments

/// The balance of an account at the end of each of its latest business days with entries, as columns from zero. A table
/// below has the same figures.
struct BalanceChart: Sendable {
    private static let mostDays = 90
    private static let width = 720
    private static let height = 140

    private let currency: Currency
    private let balances: [(day: String, balance: Int64)]

    /// Nil without a day.
    ///
    /// - Parameters:
    ///   - opening: The balances before the first day.
    ///   - days: The changes by day, in their order.
    ///   - wanted: The code of the currency; nil for the first one by code.
    init?(opening: [Money], days: [AccountBalanceJSON], currency wanted: String?) {
        let codes = days.map(\.currency).filter { wanted == nil || $0.alpha == wanted }
        guard let currency = codes.min(by: { $0.alpha < $1.alpha }) else { return nil }
        var balance = opening.first { $0.currency == currency }?.value ?? 0
        var balances: [(day: String, balance: Int64)] = []
        for row in days where row.currency == currency {
            let change = row.debit?.value ?? row.credit.map { -$0.value } ?? 0
            let (sum, overflows) = balance.addingReportingOverflow(change)
            guard !overflows else { return nil }
            balance = sum
            balances.append((row.day ?? "", sum))
        }
        self.currency = currency
        self.balances = Array(balances.suffix(Self.mostDays))
    }

    var value: PageValue {
        let highest = Int128(max(0, balances.map(\.balance).max() ?? 0))
        let lowest = Int128(min(0, balances.map(\.balance).min() ?? 0))
        let span = max(1, highest - lowest)
        let step = Self.width / max(1, balances.count)
        // The distance of a balance from the top.
        func place(_ balance: Int128) -> Int { Int((highest - balance) * Int128(Self.height) / span) }
        let zero = place(0)
        return .members([
            "currency": .text(currency.alpha), "viewBox": "0 0 \(Self.width) \(Self.height + 20)",
            "width": "\(Self.width)", "zero": "\(zero)", "labels": "\(Self.height + 16)",
            "first": .text(balances.first?.day ?? ""),
            "last": balances.count > 1 ? .text(balances.last?.day ?? "") : nil,
            "columns": .list(
                balances.enumerated().map { index, entry in
                    let end = place(Int128(entry.balance))
                    return .members([
                        "x": "\(index * step)", "y": "\(min(zero, end))", "width": "\(max(1, step - 2))",
                        "height": "\(abs(zero - end))",
                    ])
                }
            ),
            "rows": .list(
                balances.map { entry in
                    .members([
                        "day": .text(entry.day), "balance": .text(Money(entry.balance, currency).description),
                    ])
                }
            ),
        ])
    }
}
