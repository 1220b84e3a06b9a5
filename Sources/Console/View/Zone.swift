import Canonical
import Projections

/// The format of times in a zone. Every time that is shown names its zone.
extension Zone {
    /// The zones that are offered; any other may be entered.
    static let offered = [
        "UTC", "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Sao_Paulo",
        "Europe/London", "Europe/Berlin", "Europe/Paris", "Africa/Johannesburg", "Asia/Dubai", "Asia/Kolkata",
        "Asia/Singapore", "Asia/Tokyo", "Australia/Sydney",
    ]

    /// The day: `2026-11-21`.
    func day(_ time: Timestamp) -> String { String(wall(time).rfc3339.prefix(10)) }

    /// The hour of the day: `23`.
    func hour(_ time: Timestamp) -> String { String(wall(time).rfc3339.dropFirst(11).prefix(2)) }

    /// The time in the format of a form field, to the second: `2026-11-21T23:14:49`.
    func fieldText(_ time: Timestamp) -> String { String(wall(time).rfc3339.prefix(19)) }

    /// The instant of the local time `text`, which is `2026-11-21T23:14` or with seconds. If clocks are set back and
    /// there are two, the first.
    func instant(_ text: String) -> Timestamp? {
        let full = text.utf8.count == 16 ? text + ":00Z" : text + "Z"
        return Timestamp(rfc3339: full).map { instant($0, first: true) }
    }
}
