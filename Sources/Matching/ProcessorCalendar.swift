import Canonical
package import Payments

/// When a processor sends its files and pays out. Days are written as `2026-03-02`, times of day as `06:00` on the
/// clocks of the calendar's zone.
package struct ProcessorCalendar: Sendable, Hashable, Codable {
    package enum Weekday: String, Sendable, Hashable, Codable, CaseIterable {
        case monday, tuesday, wednesday, thursday, friday, saturday, sunday

        init(_ day: CivilDate) {
            // 1970-01-01 was a Thursday.
            let place = Int((day.daysSince1970 + 3) % 7)
            self = Self.allCases[place < 0 ? place + 7 : place]
        }
    }

    /// The format of the processor's files, by which the ledger knows the processor.
    package var processor: String
    /// The merchant that the files name; nil if one file is about all merchants.
    package var merchant: String?
    /// The vendors whose payments the processor settles. A vendor is in one calendar of a merchant at most.
    package var vendors: [Vendor]
    /// The first business day for which a file is expected.
    package var begins: String
    package var weekdays: [Weekday]
    /// Days that are no business days, whatever their weekday.
    package var holidays: [String]
    /// A name of the time zone database, `UTC` or an offset.
    package var zone: String
    /// The time of day from which payments belong to the next day; nil for midnight.
    package var cutoff: String?
    /// The file of a business day is expected this many business days later, at `expectedAt`.
    package var expectedDays: Int
    package var expectedAt: String
    /// The deposit for a business day is at the bank this many business days later: the n of T+n.
    package var depositDays: Int
    /// A payout is at the bank this many business days after its day.
    package var payoutDays: Int

    package init(
        processor: String,
        merchant: String? = nil,
        vendors: [Vendor] = [],
        begins: String,
        weekdays: [Weekday] = Self.standardWeekdays,
        holidays: [String] = [],
        zone: String = "UTC",
        cutoff: String? = nil,
        expectedDays: Int = 1,
        expectedAt: String = "06:00",
        depositDays: Int = 2,
        payoutDays: Int = 1
    ) {
        self.processor = processor
        self.merchant = merchant
        self.vendors = vendors
        self.begins = begins
        self.weekdays = weekdays
        self.holidays = holidays
        self.zone = zone
        self.cutoff = cutoff
        self.expectedDays = expectedDays
        self.expectedAt = expectedAt
        self.depositDays = depositDays
        self.payoutDays = payoutDays
    }

    /// Monday to Friday.
    package static let standardWeekdays: [Weekday] = [.monday, .tuesday, .wednesday, .thursday, .friday]

    /// The business days.
    package var days: BusinessDays { BusinessDays(self) }
}

extension [ProcessorCalendar] {
    /// The calendar of a processor's money; the merchant's own one comes before the one for all merchants.
    ///
    /// - Parameter source: The format of the processor's files, or the vendor whose documents report the money.
    package func calendar(of source: String, merchant: String?) -> ProcessorCalendar? {
        let known = filter { $0.processor == source || $0.vendors.contains { $0.rawValue == source } }
        return known.first { $0.merchant != nil && $0.merchant == merchant } ?? known.first { $0.merchant == nil }
    }
}
