import Canonical
package import Payments

/// Money that is expected at the bank on one day.
package struct ExpectedDepositJSON: Codable, Sendable, Hashable {
    package var timing: CashForecast.Timing
    package var day: String?
    package var processor: String?
    package var merchant: String?
    package var source: CashForecast.Source
    package var amount: Money

    package init(_ deposit: CashForecast.Deposit) {
        timing = deposit.timing
        day = deposit.day?.description
        processor = deposit.processor
        merchant = deposit.merchant
        source = deposit.source
        amount = deposit.amount
    }
}

/// The deposits that are expected on the days from one on.
package struct CashForecastJSON: Codable, Sendable, Hashable {
    package var first: String
    package var last: String
    package var items: [ExpectedDepositJSON]
}
