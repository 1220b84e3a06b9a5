import Payments

/// Amounts by name, as bars from a common zero. A table below has the same figures.
struct BarChart: Sendable {
    private static let mostBars = 30
    private static let width = 720
    /// Where the area of the bars begins: names are on its left.
    private static let left = 230
    private static let rowHeight = 22
    /// The most characters of a name that fit beside a bar.
    private static let longestName = 26

    private let title: String
    private let heading: String
    private let currency: Currency
    private let bars: [(name: String, amount: Int64)]

    /// Nil without an amount, or if a sum exceeds 64 bits.
    ///
    /// - Parameters:
    ///   - title: What the amounts are.
    ///   - heading: What the names are.
    ///   - amounts: Amounts in the order of their names. Those with one name are added up, and so are those after the
    ///     first names that fit.
    ///   - wanted: The code of the currency; nil for the first one by code.
    init?(_ title: String, by heading: String, _ amounts: [(name: String, amount: Money)], currency wanted: String?) {
        let currencies = amounts.map(\.amount.currency).filter { wanted == nil || $0.alpha == wanted }
        guard let currency = currencies.min(by: { $0.alpha < $1.alpha }) else { return nil }
        var names: [String] = []
        var sums: [String: Int64] = [:]
        for one in amounts where one.amount.currency == currency {
            if sums[one.name] == nil { names.append(one.name) }
            let (sum, overflows) = sums[one.name, default: 0].addingReportingOverflow(one.amount.value)
            guard !overflows else { return nil }
            sums[one.name] = sum
        }
        var bars = names.prefix(Self.mostBars).map { (name: $0, amount: sums[$0] ?? 0) }
        if names.count > Self.mostBars {
            let rest = names.dropFirst(Self.mostBars).reduce(Int128(0)) { $0 + Int128(sums[$1] ?? 0) }
            guard let others = Int64(exactly: rest) else { return nil }
            bars.append((name: "all others", amount: others))
        }
        self.title = title
        self.heading = heading
        self.currency = currency
        self.bars = bars
    }

    var value: PageValue {
        let highest = Int128(max(0, bars.map(\.amount).max() ?? 0))
        let lowest = Int128(min(0, bars.map(\.amount).min() ?? 0))
        let span = max(1, highest - lowest)
        // The distance of an amount from the left.
        func place(_ amount: Int128) -> Int {
            Self.left + Int((amount - lowest) * Int128(Self.width - Self.left) / span)
        }
        let zero = place(0)
        let height = bars.count * Self.rowHeight
        return .members([
            "title": .text("\(title) in \(currency.alpha)"), "heading": .text(heading),
            "viewBox": "0 0 \(Self.width) \(height)", "height": "\(height)", "zero": "\(zero)",
            "bars": .list(
                bars.enumerated().map { index, bar in
                    let end = place(Int128(bar.amount))
                    return .members([
                        "name": .text(Self.shortened(bar.name)), "label": "\(Self.left - 10)",
                        "base": "\(index * Self.rowHeight + 15)", "x": "\(min(zero, end))",
                        "y": "\(index * Self.rowHeight + 4)", "width": "\(abs(end - zero))",
                    ])
                }
            ),
            "rows": .list(
                bars.map { bar in
                    .members([
                        "name": .text(bar.name), "amount": .text(Money(bar.amount, currency).description),
                    ])
                }
            ),
        ])
    }

    private static func shortened(_ name: String) -> String {
        name.count > longestName ? String(name.prefix(longestName - 1)) + "…" : name
    }
}
