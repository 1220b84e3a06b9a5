/// An instant: whole microseconds since 1970-01-01T00:00:00Z, without leap seconds, within the years 0001-9999 of the
/// proleptic Gregorian calendar. Every one of them fits PostgreSQL's `timestamptz`.
package struct Timestamp: Sendable, Hashable {
    /// Microseconds since the Unix epoch; negative before it.
    package let microsecondsSince1970: Int64

    /// 0001-01-01T00:00:00.000000Z.
    package static let earliest = Timestamp(unchecked: -62_135_596_800_000_000)
    /// 9999-12-31T23:59:59.999999Z.
    package static let latest = Timestamp(unchecked: 253_402_300_799_999_999)

    private init(unchecked microseconds: Int64) {
        microsecondsSince1970 = microseconds
    }

    /// The instant, limited to the years 0001-9999.
    package init(microsecondsSince1970 microseconds: Int64) {
        let range = Self.earliest.microsecondsSince1970...Self.latest.microsecondsSince1970
        self.init(unchecked: min(max(microseconds, range.lowerBound), range.upperBound))
    }

    /// The instant; nil outside the years 0001-9999.
    package init?(exactMicrosecondsSince1970 microseconds: Int64) {
        self.init(microsecondsSince1970: microseconds)
        guard microsecondsSince1970 == microseconds else { return nil }
    }

    /// The instant at which a clock in UTC shows this; nil if there is no such day or time. Second 60 is refused.
    package init?(
        year: Int,
        month: Int,
        day: Int,
        hour: Int = 0,
        minute: Int = 0,
        second: Int = 0,
        microsecond: Int = 0
    ) {
        guard
            let date = CivilDate(year: year, month: month, day: day),
            0...23 ~= hour, 0...59 ~= minute, 0...59 ~= second, 0...999_999 ~= microsecond
        else { return nil }
        let seconds = ((date.daysSince1970 * 24 + Int64(hour)) * 60 + Int64(minute)) * 60 + Int64(second)
        self.init(unchecked: seconds * 1_000_000 + Int64(microsecond))
    }

    /// The instant `microseconds` later, or earlier if negative; never beyond `earliest` and `latest`.
    package func adding(microseconds: Int64) -> Timestamp {
        let (sum, overflow) = microsecondsSince1970.addingReportingOverflow(microseconds)
        if overflow { return microseconds < 0 ? .earliest : .latest }
        return Timestamp(microsecondsSince1970: sum)
    }

    /// How many microseconds this is after `other`; negative if it is before.
    package func microseconds(since other: Timestamp) -> Int64 {
        microsecondsSince1970 - other.microsecondsSince1970
    }

    /// Whole milliseconds since the Unix epoch, rounded down.
    package var millisecondsSince1970: Int64 {
        (microsecondsSince1970 - (microsecondsSince1970 % 1000 + 1000) % 1000) / 1000
    }
}

extension Timestamp: Comparable {
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}

extension Timestamp: CustomStringConvertible {
    package var description: String { rfc3339 }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        guard let value = Timestamp(rfc3339: try decoder.singleValueContainer().decode(String.self)) else {
            throw DecodingError.invalid("A timestamp by RFC 3339 is expected.", for: decoder)
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }
}
