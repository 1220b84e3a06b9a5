package import Canonical

/// When a business day begins: a time of day in a zone. What happens before it belongs to the day before.
package struct BusinessDay: Sendable, Hashable {
    /// How much the zone's clocks are ahead of UTC; behind where negative.
    package let zoneMinutes: Int
    /// Minutes after midnight, by the zone's clocks.
    package let cutoffMinutes: Int

    /// Midnight in UTC.
    package static let standard = BusinessDay(zoneMinutes: 0, cutoffMinutes: 0)

    private init(zoneMinutes: Int, cutoffMinutes: Int) {
        self.zoneMinutes = zoneMinutes
        self.cutoffMinutes = cutoffMinutes
    }

    /// - Parameters:
    ///   - zone: `Z` or `±hh:mm` up to 14:00. A space counts as a plus, which is what a plus in a query means.
    ///   - cutoff: `hh:mm`.
    package init?(zone: String? = nil, cutoff: String? = nil) {
        guard let zone = zone.map(Self.zone(_:)) ?? .some(0),
            let cutoff = cutoff.map({ Self.minutes($0[...]) }) ?? .some(0)
        else { return nil }
        self.init(zoneMinutes: zone, cutoffMinutes: cutoff)
    }

    /// The minutes a zone is ahead of UTC.
    package static func zone(_ text: String) -> Int? {
        if text == "Z" { return 0 }
        guard let sign = text.first, "+- ".contains(sign), let minutes = minutes(text.dropFirst()), minutes <= 14 * 60
        else { return nil }
        return sign == "-" ? -minutes : minutes
    }

    /// The minutes of a time of day.
    package static func minutes(_ text: Substring) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { Int(bytes[$0]) - 0x30 }
        guard digits.allSatisfy({ 0...9 ~= $0 }) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hours < 24 && minutes < 60 ? hours * 60 + minutes : nil
    }

    /// `+01:00`.
    package var zone: String { (zoneMinutes < 0 ? "-" : "+") + Self.text(abs(zoneMinutes)) }
    /// `04:00`.
    package var cutoff: String { Self.text(cutoffMinutes) }

    private static func text(_ minutes: Int) -> String {
        func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(digits(minutes / 60)):\(digits(minutes % 60))"
    }

    /// By how much an instant is moved so that its day in UTC is its business day.
    package var shiftSeconds: Int64 { Int64(zoneMinutes - cutoffMinutes) * 60 }

    /// When a business day, as `2026-03-01`, begins, and when the next one does; nil for what is no day.
    package func interval(of day: String) -> (start: Timestamp, end: Timestamp)? {
        guard day.utf8.count == 10, let midnight = Timestamp(rfc3339: day + "T00:00:00Z") else { return nil }
        let start = midnight.adding(microseconds: -shiftSeconds * 1_000_000)
        return (start, start.adding(microseconds: 86_400_000_000))
    }

    /// The business day of an instant: `2026-03-01`.
    package func day(of time: Timestamp) -> String {
        String(time.adding(microseconds: shiftSeconds * 1_000_000).rfc3339.prefix(10))
    }
}
