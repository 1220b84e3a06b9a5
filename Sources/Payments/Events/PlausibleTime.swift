package import Canonical

/// The times that an event's sender can state without a flag. An event with another time is kept, with an anomaly, and
/// is in no business day until an operator acknowledges the anomaly.
package enum PlausibleTime {
    /// The earliest plausible time: 2000-01-01T00:00:00Z.
    package static let earliest = Timestamp(microsecondsSince1970: 946_684_800_000_000)
    /// The most that a plausible time is ahead of the time at which the event is recorded.
    package static let secondsAhead: Int64 = 15 * 60
    /// The most that a local time of the easternmost zone seems to be ahead when it is read as UTC.
    package static let zoneSeconds: Int64 = 14 * 3600

    /// The anomaly of an event that is said to have occurred at `time`; nil if the time is plausible.
    ///
    /// - Parameters:
    ///   - now: The time at which the event is recorded.
    ///   - hasZone: False for a time from a vendor's document: those without a zone are read as UTC.
    package static func anomaly(of time: Timestamp, now: Timestamp, hasZone: Bool = true) -> Anomaly? {
        let seconds = hasZone ? secondsAhead : secondsAhead + zoneSeconds
        if time < earliest { return Anomaly(.implausibleTime, "occurred at \(time.rfc3339), before the year 2000") }
        guard time > now.adding(microseconds: seconds * 1_000_000) else { return nil }
        let ahead = "more than \(seconds / 60) minutes ahead of the time of recording"
        return Anomaly(.implausibleTime, "occurred at \(time.rfc3339), \(ahead)")
    }
}
