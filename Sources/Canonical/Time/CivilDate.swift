/// A day of the proleptic Gregorian calendar, in the years 0001-9999.
package struct CivilDate: Sendable, Hashable {
    package let year: Int
    /// 1...12.
    package let month: Int
    /// 1...31.
    package let day: Int

    /// Nil if the calendar has no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard 1...9999 ~= year, 1...12 ~= month, 1...Self.days(inMonth: month, of: year) ~= day else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        default: 31
        }
    }

    // Both directions count in years that start on 1 March, so that the leap day is the last day of a year, and in eras
    // of 400 years, which all have 146,097 days. From 1 March 0000 to 1 January 1970 there are 719,468 days.

    /// Days since 1970-01-01; negative before it.
    package var daysSince1970: Int64 {
        let marchYear = month > 2 ? year : year - 1
        let era = marchYear / 400
        let yearOfEra = marchYear % 400
        let dayOfYear = Self.daysBefore(marchMonth: (month + 9) % 12) + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }

    /// Valid for days within the years 0001-9999, the range of a `Timestamp`.
    package init(daysSince1970 days: Int64) {
        let days = Int(days) + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        // Subtracts the leap days before dividing; the last day of the era belongs to its year 399.
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - Self.daysBefore(marchMonth: marchMonth) + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// Days of a March-based year before its month 0 (March) to 11 (February): the lengths repeat 31 30 31 30 31.
    private static func daysBefore(marchMonth: Int) -> Int { (153 * marchMonth + 2) / 5 }
}

extension CivilDate {
    /// The day with this number in its year: 1 is 1 January. Nil beyond the year's end.
    package init?(year: Int, dayOfYear: Int) {
        guard let first = CivilDate(year: year, month: 1, day: 1), 1...366 ~= dayOfYear else { return nil }
        let date = CivilDate(daysSince1970: first.daysSince1970 + Int64(dayOfYear - 1))
        guard date.year == year else { return nil }
        self = date
    }
}

extension CivilDate {
    /// Reads `2026-01-02`; nil for any other text, and if the calendar has no such day.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].reduce(Int?(0)) { number, byte in
                guard let number, (0x30...0x39).contains(byte) else { return nil }
                return number * 10 + Int(byte - 0x30)
            }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }
}

extension CivilDate: Comparable {
    package static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension CivilDate: CustomStringConvertible {
    /// `2026-01-02`.
    package var description: String {
        func padded(_ number: Int, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}
