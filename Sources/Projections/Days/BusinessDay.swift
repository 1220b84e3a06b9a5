package import Canonical

/// The start of a business day: a time of day in a zone. Earlier times of the calendar day belong to the previous
/// business day.
package struct BusinessDay: Sendable, Hashable {
    package let zone: Zone
    /// Minutes after midnight on the zone's clocks.
    package let cutoffMinutes: Int

    /// Midnight in UTC.
    package static let standard = BusinessDay(zone: Zone(minutesAhead: 0))

    /// - Parameter cutoffMinutes: 0 to 1439.
    package init(zone: Zone, cutoffMinutes: Int = 0) {
        self.zone = zone
        self.cutoffMinutes = cutoffMinutes
    }

    /// - Parameters:
    ///   - zone: As `Zone` reads it; UTC if left out.
    ///   - cutoff: `hh:mm`; midnight if left out.
    package init?(zone: String? = nil, cutoff: String? = nil) {
        guard let zone = zone.map(Zone.init) ?? Self.standard.zone,
            let cutoff = cutoff.map({ Self.minutes($0[...]) }) ?? 0
        else { return nil }
        self.init(zone: zone, cutoffMinutes: cutoff)
    }

    /// The minutes after midnight of a time of day such as `04:00`.
    package static func minutes(_ text: Substring) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { Int(bytes[$0]) - 0x30 }
        guard digits.allSatisfy({ 0...9 ~= $0 }) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hours < 24 && minutes < 60 ? hours * 60 + minutes : nil
    }

    /// The start as text, such as `04:00`.
    package var cutoff: String { Self.timeOfDay(cutoffMinutes) }

    static func timeOfDay(_ minutes: Int) -> String {
        func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(digits(minutes / 60)):\(digits(minutes % 60))"
    }

    /// The start of a business day such as `2026-03-01`, and the start of the next one; nil when the text is not a
    /// day.
    package func interval(of day: String) -> (start: Timestamp, end: Timestamp)? {
        guard day.utf8.count == 10, let midnight = Timestamp(rfc3339: day + "T00:00:00Z") else { return nil }
        return (start(midnight), start(midnight.adding(microseconds: Self.dayMicroseconds)))
    }

    /// The business day of an instant, such as `2026-03-01`.
    package func day(of time: Timestamp) -> String {
        let shown = zone.wall(time).adding(microseconds: -cutoffMicroseconds)
        let text = shown.rfc3339.prefix(10) + "T00:00:00Z"
        guard var midnight = Timestamp(rfc3339: String(text)) else { return String(text.prefix(10)) }
        // On a day of a clock change, local time may fall before the cut-off again, or not have reached it.
        if time < start(midnight) {
            midnight = midnight.adding(microseconds: -Self.dayMicroseconds)
        } else {
            let next = midnight.adding(microseconds: Self.dayMicroseconds)
            if time >= start(next) { midnight = next }
        }
        return String(midnight.rfc3339.prefix(10))
    }

    /// The calendar day that is `days` after another.
    package static func day(_ days: Int64, after day: String) -> String? {
        guard let midnight = Timestamp(rfc3339: day + "T00:00:00Z") else { return nil }
        return String(midnight.adding(microseconds: days * dayMicroseconds).rfc3339.prefix(10))
    }

    private static let dayMicroseconds: Int64 = 86_400_000_000
    private var cutoffMicroseconds: Int64 { Int64(cutoffMinutes) * 60_000_000 }

    /// - Parameter midnight: The day's midnight, written as if it were UTC.
    private func start(_ midnight: Timestamp) -> Timestamp {
        zone.instant(midnight.adding(microseconds: cutoffMicroseconds))
    }
}

extension BusinessDay {
    /// The SQL for the business day of a time column, as text. It yields the same days as `day(of:)`.
    ///
    /// - Parameters:
    ///   - column: An expression of type `timestamptz`.
    ///   - place: The placeholder of `Zone.parameter`.
    ///   - cutoff: The placeholder of the cut-off minutes.
    func expression(of column: String, zone place: String, cutoff: String) -> String {
        let cutoff = "\(cutoff)::int8::float8 * interval '1 minute'"
        let zone = zone.sql(place)
        let day = "(\(column) AT TIME ZONE \(zone) - \(cutoff))::date"
        guard self.zone.fixedSeconds == nil else { return "to_char(\(day), 'YYYY-MM-DD')" }
        func start(_ days: Int) -> String { "((\(day) + \(days) + \(cutoff)) AT TIME ZONE \(zone))" }
        let correction = "CASE WHEN \(column) < \(start(0)) THEN -1 WHEN \(column) >= \(start(1)) THEN 1 ELSE 0 END"
        return "to_char(\(day) + \(correction), 'YYYY-MM-DD')"
    }
}
