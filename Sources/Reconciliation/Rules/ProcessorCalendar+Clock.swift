package import Canonical
package import Matching
import Projections

extension ProcessorCalendar {
    /// The problem of a member that only this target can check; nil if there is none.
    ///
    /// - Parameter pointer: The JSON pointer of the calendar.
    func problem(at pointer: String) -> RulesProblem? {
        if let problem = RulesProblem.ofProcessor(processor, at: pointer) { return problem }
        guard Zone(zone) != nil else {
            let detail = "It is a zone such as Europe/Berlin, UTC or +01:00."
            return RulesProblem(.unknownZone, at: "\(pointer)/zone", detail)
        }
        let times: [(name: String, time: String?)] = [("cutoff", cutoff), ("expectedAt", expectedAt)]
        for (name, time) in times {
            guard let time, BusinessDay.minutes(time[...]) == nil else { continue }
            return RulesProblem(.invalidTime, at: "\(pointer)/\(name)", "It is a time of day such as 06:00.")
        }
        return nil
    }

    /// Every run asks for the files that became due in this many calendar days before it. A year, because the books of
    /// earlier years are closed: 64 calendars have 17,000 business days in it, and 430,000 since the year 2000.
    static let examinedDays: Int64 = 366

    /// The business days, in their order, for which a file was expected by `now`, each with the time by which it was
    /// expected: those whose file became due in the last `examinedDays` calendar days, and the `earlier` ones. Empty if
    /// this build does not know the zone.
    func expectedFiles(
        by now: Timestamp,
        and earlier: [CivilDate] = []
    ) -> [(day: CivilDate, due: Timestamp)] {
        guard let zone = Zone(zone), let minutes = BusinessDay.minutes(expectedAt[...]), let start = CivilDate(begins)
        else { return [] }
        let days = days
        func due(_ day: CivilDate) -> Timestamp {
            let midnight = days.day(expectedDays, after: day).midnight
            return zone.instant(midnight.adding(microseconds: Int64(minutes) * 60_000_000))
        }
        let oldest = now.adding(microseconds: -Self.examinedDays * 86_400_000_000)
        var expected = Set(earlier.filter { $0 >= start && days.contains($0) })
        var day = self.day(of: now)
        while day >= start {
            if days.contains(day) {
                if due(day) < oldest { break }
                expected.insert(day)
            }
            day = CivilDate(daysSince1970: day.daysSince1970 - 1)
        }
        return expected.sorted().map { (day: $0, due: due($0)) }.filter { $0.due <= now }
    }

    /// The processor's day of an instant: the calendar day in its zone, or the next one from the cut-off on. UTC counts
    /// if this build does not know the zone.
    package func day(of time: Timestamp) -> CivilDate {
        let shown = (Zone(zone) ?? .utc).wall(time)
        let cutoff = cutoff.flatMap { BusinessDay.minutes($0[...]) } ?? 0
        let left = cutoff == 0 ? 0 : Int64(24 * 60 - cutoff) * 60_000_000
        let date = shown.adding(microseconds: left).rfc3339.prefix(10)
        return CivilDate(String(date)) ?? CivilDate(daysSince1970: 0)
    }
}

extension CivilDate {
    /// The day's midnight, written as if it were UTC.
    fileprivate var midnight: Timestamp {
        Timestamp(microsecondsSince1970: daysSince1970 * 86_400_000_000)
    }
}
