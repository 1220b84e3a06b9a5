package import Canonical
package import Matching
package import Payments

/// The age of money that processors owe, in days since it was due; without a calendar, since its day.
package enum ReceivableAge: String, Sendable, Hashable, Codable, CaseIterable {
    /// The calendar's day is still to come.
    case notDue = "not-due"
    case upTo1 = "0-1"
    case upTo3 = "2-3"
    case upTo7 = "4-7"
    case upTo30 = "8-30"
    case over30 = "over-30"

    /// - Parameter days: Days since the money was due; negative before it.
    package init(days: Int64) {
        switch days {
        case ..<0: self = .notDue
        case ...1: self = .upTo1
        case ...3: self = .upTo3
        case ...7: self = .upTo7
        case ...30: self = .upTo30
        default: self = .over30
        }
    }
}

/// Money that a processor owes, of one age; for money in transit, one payout.
package struct Receivable: Sendable, Hashable {
    package var account: Account
    package var processor: String?
    package var merchant: String?
    package var line: UUID128?
    package var age: ReceivableAge
    /// The oldest day of the money, and the day on which that was due; nil if no calendar says.
    package var since: CivilDate
    package var due: CivilDate?
    package var amount: Money

    /// Money by account, processor, merchant, payout, currency and age, in this order.
    ///
    /// - Parameter today: The day as of which ages are computed.
    /// - Throws: `BalanceError.overflow`.
    package static func aged(
        _ owed: [OwedMoney],
        by calendars: [ProcessorCalendar],
        on today: CivilDate
    ) throws(BalanceError) -> [Receivable] {
        var found: [Key: Receivable] = [:]
        for one in owed {
            let due = one.due(by: calendars)
            let days = today.daysSince1970 - (due ?? one.day).daysSince1970
            var aged = Receivable(
                account: one.account,
                processor: one.processor,
                merchant: one.merchant,
                line: one.line,
                // Without a calendar nothing is known to be due later.
                age: ReceivableAge(days: due == nil ? max(0, days) : days),
                since: one.day,
                due: due,
                amount: one.amount
            )
            if let before = found[Key(aged)] {
                let (sum, overflow) = before.amount.value.addingReportingOverflow(one.amount.value)
                guard !overflow else { throw .overflow }
                if before.since < aged.since { (aged.since, aged.due) = (before.since, before.due) }
                aged.amount = Money(sum, one.amount.currency)
            }
            found[Key(aged)] = aged
        }
        return found.values.filter { $0.amount.value != 0 }.sorted { $0.place.lexicographicallyPrecedes($1.place) }
    }

    private struct Key: Hashable {
        let account: Account
        let processor: String?
        let merchant: String?
        let line: UUID128?
        let age: ReceivableAge
        let currency: Currency

        init(_ one: Receivable) {
            account = one.account
            processor = one.processor
            merchant = one.merchant
            line = one.line
            age = one.age
            currency = one.amount.currency
        }
    }

    /// Its place in the order.
    private var place: [String] {
        let order = ReceivableAge.allCases.firstIndex(of: age) ?? 0
        let first = account == .processorReceivable ? "0" : "1"
        return [
            first, processor ?? "", merchant ?? "", amount.currency.alpha, line == nil ? "\(order)" : since.description,
            line?.text ?? "",
        ]
    }
}
