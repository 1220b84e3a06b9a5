import Canonical
import Payments
import Statements
import Testing

/// Amounts of Square without a currency. All files are made up.
@Suite struct SquareCurrencyTests {
    @Test func amountsOfSquareWithoutACurrency() throws {
        let bare = Samples.square.replacing(/, *"currency": *"[A-Z]*"/, with: "")
        #expect(try problem(.squarePayout, bare)?.code == .missingCurrency)
        let reading = try Reading(.squarePayout, bare, options: StatementOptions(currency: .usd))
        #expect(reading.lines == (try Reading(.squarePayout, Samples.square).lines))
    }
}
