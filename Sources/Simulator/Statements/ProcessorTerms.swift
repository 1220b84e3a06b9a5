package import Matching
import Payments

/// What merchants and processors have agreed on: what a sale costs, when payouts come.
package enum ProcessorTerms {
    /// What is kept of a sale, by currency.
    package static let fees = [
        ExpectedFee(currency: "USD", basisPoints: 220, fixed: 10),
        ExpectedFee(currency: "GBP", basisPoints: 140, fixed: 8),
        ExpectedFee(currency: "EUR", basisPoints: 140, fixed: 8),
        ExpectedFee(currency: "JPY", basisPoints: 320, fixed: 15),
        ExpectedFee(currency: "KWD", basisPoints: 200, fixed: 30),
    ]

    /// The rules that a ledger reconciles the statements with.
    package static let rules = MatchingRules(fees: fees)

    /// Hundredths of a percent that American Express keeps of a submission.
    static let amexDiscount: Int64 = 290
    /// Hundredths of a percent that the acquirer behind terminals keeps of a batch.
    static let terminalDiscount: Int64 = 195
    /// Minor units for a chargeback.
    static let chargebackFee: Int64 = 1500
    /// Minor units for a month of service.
    static let monthlyFee: Int64 = 2900
    /// Hundredths of a percent of a day's sales that are held back of some merchants.
    static let reserve: Int64 = 500
    /// The last statement ends so many days after the last day of trading: authorisations that nobody captured have
    /// expired by then.
    static let lastDay: Int64 = 35

    /// Below zero: percent and fixed part.
    static func fee(of gross: Int64, _ currency: Currency) -> (percent: Int64, fixed: Int64) {
        guard let fee = fees.first(where: { $0.currency == currency.alpha }) else { return (0, 0) }
        return (-share(fee.basisPoints, of: gross), -fee.fixed)
    }

    /// Hundredths of a percent, rounded half up; `gross` is not negative.
    static func share(_ basisPoints: Int64, of gross: Int64) -> Int64 {
        let (whole, rest) = gross.quotientAndRemainder(dividingBy: 10_000)
        return whole * basisPoints + (rest * basisPoints + 5_000) / 10_000
    }
}
