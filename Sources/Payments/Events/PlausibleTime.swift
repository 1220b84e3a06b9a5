package import Canonical

/// The times that an event's sender can state without a flag. An event with another time is kept, with an anomaly, and
/// is in no business day until an operator acknowledges the anomaly.
package enum PlausibleTime {
    /// The earliest plausible time: 2000-01-01T00:00:00Z.
    package static let earliest = Timestamp(microsecondsSince1970: 946_684_800_000_000)
    /// The most that a plausible time is ahead of the time at which the event is recorded.
    package static let secondsAhead: Int64 = 15 * 60
    /// The most by which the time of a result may precede its request, for wrong clocks, in microseconds.
    package static let earlyMicroseconds: Int64 = 5 * 60 * 1_000_000

    /// The anomaly of an event that is said to have occurred at `time`; nil if the time is plausible.
    ///
    /// A local time is implausible only if it is so in every zone.
    ///
    /// - Parameter now: The time at which the event is recorded.
    package static func anomaly(of time: ReportedTime, now: Timestamp) -> Anomaly? {
        if time.isBefore(.instant(earliest)) {
            return Anomaly(.implausibleTime, "occurred at \(time), before the year 2000")
        }
        let latest = now.adding(microseconds: secondsAhead * 1_000_000)
        guard ReportedTime.instant(latest).isBefore(time) else { return nil }
        let ahead = "more than \(secondsAhead / 60) minutes ahead of the time of recording"
        let place = time.local == nil ? "" : " in every time zone"
        return Anomaly(.implausibleTime, "occurred at \(time), \(ahead)\(place)")
    }
}
