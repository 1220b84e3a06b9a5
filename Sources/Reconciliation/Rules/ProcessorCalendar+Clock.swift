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

    /// The business days for which a file was expected by `now`, each with the time by which it was expected. Empty if
    /// this build does not know the zone.
    func expectedFiles(by now: Timestamp) -> [(day: CivilDate, due: Timestamp)] {
        guard let zone = Zone(zone), let minutes = BusinessDay.minutes(expectedAt[...]), let start = CivilDate(begins)
        else { return [] }
        let days = days
        var expected: [(day: CivilDate, due: Timestamp)] = []
        var day = days.first(from: start)
        while true {
            let midnight = days.day(expectedDays, after: day).midnight
            let due = zone.instant(midnight.adding(microseconds: Int64(minutes) * 60_000_000))
            guard due <= now, due < .latest else { return expected }
            expected.append((day, due))
            day = days.first(from: day.next)
        }
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
