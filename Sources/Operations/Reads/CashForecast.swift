package import Canonical
package import Journal
package import Matching
package import Payments
package import Reconciliation

/// When deposits of processors are expected at the bank, by their calendars. Nothing is assumed about a processor
/// without a calendar.
package struct CashForecast: Sendable, Hashable {
    /// When a deposit is expected, from the view of the forecast's days.
    package enum Timing: String, Sendable, Hashable, Codable, CaseIterable {
        /// Before the first day.
        case overdue
        case expected
        /// After the last day.
        case later
        /// No calendar states a day.
        case undated
    }

    /// What the money is known from.
    package enum Source: String, Sendable, Hashable, Codable, CaseIterable {
        /// Payments and chargebacks that no statement has reported: before fees.
        case payments
        /// Lines of statements that no payout has paid: after the fees that they state.
        case statement
        /// Payouts that no bank has reported.
        case payout
    }

    package struct Deposit: Sendable, Hashable {
        package var timing: Timing
        /// Nil if the deposit is later or undated.
        package var day: CivilDate?
        package var processor: String?
        package var merchant: String?
        package var source: Source
        package var amount: Money
    }

    package let first: CivilDate
    package let last: CivilDate
    private let calendars: [ProcessorCalendar]
    private var sums: [Deposit: Int64] = [:]

    /// - Parameter days: The number of days from `first` on, 1 or more.
    package init(from first: CivilDate, days: Int64, by calendars: [ProcessorCalendar]) {
        self.first = first
        last = CivilDate(daysSince1970: first.daysSince1970 + days - 1)
        self.calendars = calendars
    }

    /// Adds payments: their cut-off and business day decide when they are deposited.
    ///
    /// - Throws: `BalanceError.overflow`.
    package mutating func add(_ payments: OpenPayments) throws(BalanceError) {
        guard let amount = payments.amount else { throw .overflow }
        let vendor = payments.vendor ?? ""
        let calendar = calendars.calendar(of: vendor, merchant: payments.merchant)
        let due = calendar.map { $0.days.day($0.depositDays, after: $0.day(of: payments.at)) }
        try add(due, calendar?.processor ?? payments.vendor, payments.merchant, .payments, amount)
    }

    /// Adds money in statements. Money under a vendor is that of payments and chargebacks, whose times decide.
    ///
    /// - Throws: `BalanceError.overflow`.
    package mutating func add(_ owed: OwedMoney) throws(BalanceError) {
        guard owed.account == .cashInTransit || owed.processor.flatMap({ Vendor(rawValue: $0) }) == nil else { return }
        let source: Source = owed.account == .cashInTransit ? .payout : .statement
        try add(owed.due(by: calendars), owed.processor, owed.merchant, source, owed.amount)
    }

    private mutating func add(
        _ due: CivilDate?,
        _ processor: String?,
        _ merchant: String?,
        _ source: Source,
        _ amount: Money
    ) throws(BalanceError) {
        let timing: Timing =
            if let due { due < first ? .overdue : due > last ? .later : .expected } else { .undated }
        let place = Deposit(
            timing: timing,
            day: timing == .later ? nil : due,
            processor: processor,
            merchant: merchant,
            source: source,
            amount: .zero(amount.currency)
        )
        let (sum, overflow) = sums[place, default: 0].addingReportingOverflow(amount.value)
        guard !overflow else { throw .overflow }
        sums[place] = sum
    }

    /// The deposits by timing, day, processor, merchant, currency and source, in this order.
    package var deposits: [Deposit] {
        sums.filter { $0.value != 0 }.map { place, sum in
            var deposit = place
            deposit.amount = Money(sum, place.amount.currency)
            return deposit
        }.sorted { $0.place.lexicographicallyPrecedes($1.place) }
    }
}

extension CashForecast.Deposit {
    fileprivate var place: [String] {
        [
            "\(CashForecast.Timing.allCases.firstIndex(of: timing) ?? 0)", day?.description ?? "", processor ?? "",
            merchant ?? "", amount.currency.alpha, source.rawValue,
        ]
    }
}
