import Payments
import Testing

@testable import Console

/// Amounts as bars, with a table that has their figures.
struct BarChartTests {
    private static func chart(_ amounts: [(String, Int64, Currency)], currency: String? = nil) -> BarChart? {
        BarChart(
            "Fees",
            by: "Component",
            amounts.map { (name: $0.0, amount: Money($0.1, $0.2)) },
            currency: currency
        )
    }

    private static func member(_ name: String, of value: PageValue) -> PageValue? {
        guard case .object(let members) = value else { return nil }
        return members[name]
    }

    private static func list(_ name: String, of chart: BarChart) -> [PageValue] {
        guard case .list(let items)? = member(name, of: chart.value) else { return [] }
        return items
    }

    private static func texts(_ name: String, _ items: [PageValue]) -> [String] {
        items.compactMap { item in
            guard case .text(let text)? = member(name, of: item) else { return nil }
            return text
        }
    }

    /// Amounts with one name are added up, in the order in which the names occur.
    @Test func namesKeepTheirOrder() throws {
        let chart = try #require(Self.chart([("b", 150, .usd), ("a", 5, .usd), ("b", -50, .usd)]))
        let rows = Self.list("rows", of: chart)
        #expect(Self.texts("name", rows) == ["b", "a"])
        #expect(Self.texts("amount", rows) == ["1.00 USD", "0.05 USD"])
        #expect(Self.member("title", of: chart.value) == .text("Fees in USD"))
    }

    @Test(arguments: [(nil, "0.07 EUR"), ("EUR", "0.07 EUR"), ("USD", "0.05 USD")] as [(String?, String)])
    func aChartHasOneCurrency(wanted: String?, amount: String) throws {
        let amounts: [(String, Int64, Currency)] = [("a", 5, .usd), ("a", 7, .eur)]
        let chart = try #require(Self.chart(amounts, currency: wanted))
        #expect(Self.texts("amount", Self.list("rows", of: chart)) == [amount])
    }

    /// Bars begin at zero and end within the picture, also those of the largest amounts.
    @Test(arguments: [[5, 10], [-5, -10], [-5, 10], [0, 0], [.max, -.max], [.max]] as [[Int64]])
    func barsStayWithinThePicture(_ amounts: [Int64]) throws {
        let named = amounts.enumerated().map { ("\($0.offset)", $0.element, Currency.usd) }
        let chart = try #require(Self.chart(named))
        guard case .text(let text)? = Self.member("zero", of: chart.value) else {
            Issue.record("no zero")
            return
        }
        let zero = try #require(Int(text))
        let bars = Self.list("bars", of: chart)
        let starts = Self.texts("x", bars).compactMap { Int($0) }
        let widths = Self.texts("width", bars).compactMap { Int($0) }
        #expect(starts.count == amounts.count && widths.count == amounts.count)
        for (place, amount) in amounts.enumerated() {
            let end = starts[place] + widths[place]
            #expect(amount < 0 ? end == zero : starts[place] == zero)
            #expect(starts[place] >= 230 && end <= 720)
            #expect(amount != 0 || widths[place] == 0)
        }
    }

    /// The names after the first ones are one bar.
    @Test func manyNamesAreAddedUp() throws {
        let chart = try #require(Self.chart((1...33).map { ("n\($0)", $0, .usd) }))
        let rows = Self.list("rows", of: chart)
        #expect(rows.count == 31 && Self.texts("name", rows).last == "all others")
        #expect(Self.texts("amount", rows).last == "0.96 USD")
    }

    @Test func longNamesAreShortenedBesideBarsAlone() throws {
        let name = String(repeating: "n", count: 40)
        let chart = try #require(Self.chart([(name, 1, .usd)]))
        #expect(Self.texts("name", Self.list("bars", of: chart)) == [String(repeating: "n", count: 25) + "…"])
        #expect(Self.texts("name", Self.list("rows", of: chart)) == [name])
    }

    @Test func thereIsNoChartWithoutAmountsOrOfSumsThatDoNotFit() {
        func isDrawn(_ amounts: [(String, Int64, Currency)], currency: String? = nil) -> Bool {
            Self.chart(amounts, currency: currency) != nil
        }
        #expect(!isDrawn([]))
        #expect(!isDrawn([("a", 1, .usd)], currency: "EUR"))
        #expect(!isDrawn([("a", .max, .usd), ("a", 1, .usd)]))
        let first = (1...30).map { ("n\($0)", Int64(0), Currency.usd) }
        #expect(isDrawn(first + [("x", .max, .usd)]))
        #expect(!isDrawn(first + [("x", .max, .usd), ("y", 1, .usd)]))
    }
}
