package import Canonical
import Composition
package import Journal
import Matching
import Payments
import Projections
import Reconciliation
import Tables

extension Lists {
    package static let cashForecast = ListDefinition<CashForecastRequest, ExpectedDepositJSON>(
        name: "cash-forecast",
        summary: "Deposits that are expected at the bank, by day, processor, merchant and currency.",
        paths: ["cash-forecast"],
        readModels: ["journal", "movements", "reconciliation", "merchants"],
        pageSize: nil,
        filter: CashForecastRequest.init,
        columns: { _ in
            [
                Column("timing", "timing"), Column("day", "day"), Column("processor", "processor"),
                Column("merchant", "merchant"), Column("source", "source"),
                Column("currency", as: .currency([["amount"]])),
            ] + Column.money("amount", "amount")
        },
        shown: "timing,day,processor,merchant,source,amount_decimal,currency",
        settle: { query, ledger in
            if query.filter.first == nil { query.filter.first = ledger.clock.now().utcDay }
        },
        members: { query, ledger in
            let forecast = query.filter.forecast([], ledger)
            return ["first": .string(forecast.first.description), "last": .string(forecast.last.description)]
        },
        page: { query, ledger in
            let calendars = try await ledger.rules(of: query.tenant).rules.calendars
            var forecast = query.filter.forecast(calendars, ledger)
            let wanted = query.filter.filter
            let names = try await ledger.payments.merchants.others(of: wanted.merchant, tenant: query.tenant)
            try await ledger.reconciliation.query.openPayments(of: query.tenant) { try forecast.add($0) }
            for one in try await ledger.journal.owed(to: query.tenant, matching: wanted) { try forecast.add(one) }
            let deposits = forecast.deposits.filter { wanted.includes($0, names) }
            return Page(items: deposits.map { ExpectedDepositJSON($0) }, next: nil)
        }
    )
}

/// A request for a forecast of deposits.
package struct CashForecastRequest: Sendable, Hashable {
    package var filter = OwedFilter()
    /// The first day; nil for today, in UTC.
    package var first: CivilDate?
    /// 1 to 366.
    package var days: Int64

    private static let standardDays: Int64 = 14

    /// Reads `day`, `days`, `processor`, `merchant` and `currency`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        first = try query.day("day")
        days = try query.integer("days", in: 1...366) ?? Self.standardDays
        filter = try OwedFilter(&query)
    }
}

extension CashForecastRequest {
    /// The forecast without deposits.
    fileprivate func forecast(_ calendars: [ProcessorCalendar], _ ledger: Ledger) -> CashForecast {
        CashForecast(from: first ?? ledger.clock.now().utcDay, days: days, by: calendars)
    }
}

extension OwedFilter {
    /// - Parameter others: The other names of the merchant.
    fileprivate func includes(_ deposit: CashForecast.Deposit, _ others: [String]) -> Bool {
        (processor ?? deposit.processor) == deposit.processor
            && (currency ?? deposit.amount.currency.alpha) == deposit.amount.currency.alpha
            && (merchant == nil || merchant == deposit.merchant || others.contains(deposit.merchant ?? ""))
    }
}
