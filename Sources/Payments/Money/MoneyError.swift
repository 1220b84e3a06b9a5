/// The reason why a figure is not an amount, or why amounts cannot be calculated with. It never contains the figure.
package struct MoneyError: Error, Hashable, Sendable {
    /// Stable names.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The result does not fit 64 bits of minor units.
        case overflow
        /// The amounts are in different currencies.
        case currencyMismatch = "currency-mismatch"
        /// The text is not a figure of the expected form.
        case malformed
        /// The text is longer than any valid figure.
        case tooLong = "too-long"
        /// The figure has nonzero digits below the currency's minor unit.
        case tooPrecise = "too-precise"
        /// The figure is below zero where that has no meaning.
        case negative
        /// No currency has this code.
        case unknownCurrency = "unknown-currency"
        /// ISO 4217 defines no minor unit for the currency (gold, the testing code), so no figure can be read in it.
        case noMinorUnit = "no-minor-unit"
        /// An exponent outside 0...9: no currency needs more than 4, and the figure would be a guess.
        case invalidExponent = "invalid-exponent"
    }

    package let code: Code

    package init(_ code: Code) {
        self.code = code
    }
}

extension MoneyError: CustomStringConvertible {
    package var description: String { code.rawValue }
}
