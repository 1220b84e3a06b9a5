/// The date and time that a clock shows, of a clock that does not say in which zone it is. It is not an instant: two
/// local times compare only if both are of clocks in the same zone.
package struct LocalTime: Sendable, Hashable {
    /// Microseconds from 1970-01-01T00:00:00 to this, on the same clock without changes of its offset.
    package let microsecondsSince1970: Int64

    /// The local time whose date and time of day are those of `shown` in UTC.
    package init(shown: Timestamp) {
        microsecondsSince1970 = shown.microsecondsSince1970
    }

    /// The instant at which a clock in UTC shows this local time.
    package var asUTC: Timestamp { Timestamp(microsecondsSince1970: microsecondsSince1970) }

    /// The first instant at which a clock anywhere shows this: 14 hours ahead of UTC.
    package var earliestInstant: Timestamp { asUTC.adding(microseconds: -14 * Self.hour) }
    /// The last instant at which a clock anywhere shows this: 12 hours behind UTC.
    package var latestInstant: Timestamp { asUTC.adding(microseconds: 12 * Self.hour) }

    private static let hour: Int64 = 3_600_000_000
}

extension LocalTime: Comparable {
    package static func < (left: LocalTime, right: LocalTime) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}

extension LocalTime {
    /// Reads `2026-01-02T03:04:05`, optionally with a point and one to six fraction digits, and without an offset.
    package init?(_ text: String) {
        guard let shown = Timestamp(unzoned: text, separator: "T") else { return nil }
        self.init(shown: shown)
    }

    /// Reads `yyyy-MM-dd HH:mm:ss`, optionally with a point and one to six fraction digits.
    package init?(spaced text: String) {
        guard let shown = Timestamp(unzoned: text, separator: " ") else { return nil }
        self.init(shown: shown)
    }

    /// Reads `yyyyMMddHHmmss`, optionally with three more digits for milliseconds.
    package init?(compact text: String) {
        guard let shown = Timestamp(compact: text) else { return nil }
        self.init(shown: shown)
    }
}

extension LocalTime: CustomStringConvertible {
    /// `2026-01-02T03:04:05`, with six fraction digits if there is a fraction.
    package var description: String {
        let text = asUTC.rfc3339
        return String(microsecondsSince1970 % 1_000_000 == 0 ? text.prefix(19) : text.prefix(26))
    }
}
