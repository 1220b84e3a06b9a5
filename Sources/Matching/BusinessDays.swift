package import Canonical

/// The business days of a calendar.
package struct BusinessDays: Sendable, Hashable {
    private let weekdays: Set<ProcessorCalendar.Weekday>
    private let holidays: Set<CivilDate>

    package init(_ calendar: ProcessorCalendar) {
        // A calendar without weekdays has no next business day.
        weekdays = Set(calendar.weekdays.isEmpty ? ProcessorCalendar.Weekday.allCases : calendar.weekdays)
        holidays = Set(calendar.holidays.compactMap { CivilDate($0) })
    }

    package func contains(_ day: CivilDate) -> Bool {
        weekdays.contains(ProcessorCalendar.Weekday(day)) && !holidays.contains(day)
    }

    /// The day itself if it is a business day, else the next one.
    package func first(from day: CivilDate) -> CivilDate {
        var day = day
        // Ends: holidays are a finite list, and each week has a business day otherwise.
        while !contains(day) { day = day.next }
        return day
    }

    /// The day that is `count` business days after the first one from `day`.
    ///
    /// - Parameter count: 0 or more.
    package func day(_ count: Int, after day: CivilDate) -> CivilDate {
        var found = first(from: day)
        for _ in 0..<max(0, count) { found = first(from: found.next) }
        return found
    }
}

extension CivilDate {
    package var next: CivilDate { CivilDate(daysSince1970: daysSince1970 + 1) }
}
