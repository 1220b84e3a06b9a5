package import Matching
import Payments

/// The terms agreed between merchants and processors: fees and payout dates.
package enum ProcessorTerms {
    /// The fees of a sale, by currency.
    package static let fees = [
        ExpectedFee(currency: "USD", basisPoints: 220, fixed: 10),
        ExpectedFee(currency: "GBP", basisPoints: 140, fixed: 8),
        ExpectedFee(currency: "EUR", basisPoints: 140, fixed: 8),
        ExpectedFee(currency: "JPY", basisPoints: 320, fixed: 15),
        ExpectedFee(currency: "KWD", basisPoints: 200, fixed: 30),
    ]

    /// The rules with which a ledger reconciles the statements.
    ///
    /// The acquirer of the terminals pays each batch into the account at the processor, as a deposit that no bank
    /// reports.
    package static let rules = MatchingRules(
        fees: fees,
        explainedTypes: PostingRule.standardExplainedTypes + [.deposit]
    )

    /// American Express's fee for a submission, in hundredths of a percent.
    static let amexDiscount: Int64 = 290
    /// The terminal acquirer's fee for a batch, in hundredths of a percent.
    static let terminalDiscount: Int64 = 195
    /// The fee for a chargeback, in minor units.
    static let chargebackFee: Int64 = 1500
    /// The monthly service fee, in minor units.
    static let monthlyFee: Int64 = 2900
    /// The part of a day's sales held back for some merchants, in hundredths of a percent.
    static let reserve: Int64 = 500
    /// The number of days from the last trading day to the end of the last statement. Uncaptured authorisations have
    /// expired by then.
    static let lastDay: Int64 = 35

    /// The percentage and the fixed part, both negative.
    static func fee(of gross: Int64, _ currency: Currency) -> (percent: Int64, fixed: Int64) {
        guard let fee = fees.first(where: { $0.currency == currency.alpha }) else { return (0, 0) }
        return (-share(fee.basisPoints, of: gross), -fee.fixed)
    }

    /// The share of `gross` in hundredths of a percent, rounded half up; `gross` is not negative.
    static func share(_ basisPoints: Int64, of gross: Int64) -> Int64 {
        let (whole, rest) = gross.quotientAndRemainder(dividingBy: 10_000)
        return whole * basisPoints + (rest * basisPoints + 5_000) / 10_000
    }
}
