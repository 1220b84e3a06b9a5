package import Canonical
import Foundation

/// A time zone: either one of the time zone database or a fixed offset from UTC.
package struct Zone: Sendable, Hashable {
    private enum Rules: Sendable, Hashable {
        /// Seconds ahead of UTC.
        case fixed(Int64)
        case database(TimeZone)
    }

    package static let utc = Zone(name: "UTC", rules: .fixed(0))

    /// `Europe/Berlin`, `UTC`, or `+01:00`.
    package let name: String
    private let rules: Rules

    private init(name: String, rules: Rules) {
        self.name = name
        self.rules = rules
    }

    /// - Parameter name: A name of the time zone database with an area, such as `Europe/Berlin`; `UTC`; `Z`; or
    ///   `±hh:mm` up to 14:00. A space counts as a plus, because a query string decodes a plus to a space.
    package init?(_ name: String) {
        if name == "UTC" {
            self = .utc
        } else if let minutes = Self.minutesAhead(name) {
            self.init(minutesAhead: minutes)
        } else {
            guard Self.isPlain(name), name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
            self.init(name: name, rules: .database(zone))
        }
    }

    /// - Parameter minutes: The zone's minutes ahead of UTC; negative when behind.
    init(minutesAhead minutes: Int) {
        let distance = BusinessDay.timeOfDay(abs(minutes))
        self.init(name: (minutes < 0 ? "-" : "+") + distance, rules: .fixed(Int64(minutes) * 60))
    }

    private static func minutesAhead(_ text: String) -> Int? {
        if text == "Z" { return 0 }
        guard let sign = text.first, "+- ".contains(sign), let minutes = BusinessDay.minutes(text.dropFirst()),
            minutes <= 14 * 60
        else { return nil }
        return sign == "-" ? -minutes : minutes
    }

    private static func isPlain(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                    UInt8(ascii: "+"):
                    true
                default: false
                }
            }
    }

    /// The zone's fixed seconds ahead of UTC; nil for a zone of the database.
    var fixedSeconds: Int64? {
        if case .fixed(let seconds) = rules { seconds } else { nil }
    }

    /// The zone's seconds ahead of UTC at a time.
    package func secondsAhead(_ time: Timestamp) -> Int64 {
        switch rules {
        case .fixed(let seconds): return seconds
        case .database(let zone):
            // Rounded down, also before 1970, because changes take effect at whole seconds.
            let seconds = time.microsecondsSince1970.floored(by: 1_000_000)
            return Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
        }
    }

    /// The zone's local time, written as if it were UTC.
    package func wall(_ time: Timestamp) -> Timestamp {
        time.adding(microseconds: secondsAhead(time) * 1_000_000)
    }

    /// The instant at which the zone's local time is `wall`, which is written as if it were UTC.
    ///
    /// A local time that is skipped when clocks are put forward is read with the offset before the change. Of a local
    /// time that occurs twice when clocks are put back, the later one is meant. PostgreSQL decides both in the same
    /// way.
    ///
    /// - Parameter first: Take the earlier of a local time that occurs twice.
    package func instant(_ wall: Timestamp, first: Bool = false) -> Timestamp {
        let day: Int64 = 86_400_000_000
        let (before, after) = (
            secondsAhead(wall.adding(microseconds: -day)), secondsAhead(wall.adding(microseconds: day))
        )
        let (early, late) = (
            wall.adding(microseconds: -before * 1_000_000), wall.adding(microseconds: -after * 1_000_000)
        )
        let (isEarly, isLate) = (secondsAhead(early) == before, secondsAhead(late) == after)
        return isLate && !(first && isEarly) ? late : early
    }
}

extension Zone {
    /// `2026-11-21 23:14:49 UTC`, or with the offset when the zone is not UTC. Offsets are used because many
    /// abbreviations stand for several zones.
    package func text(_ time: Timestamp) -> String {
        let shown = wall(time).rfc3339.prefix(19).replacing("T", with: " ")
        return "\(shown) \(offsetText(time))"
    }

    private func offsetText(_ time: Timestamp) -> String {
        guard self != .utc else { return "UTC" }
        let minutes = Int(secondsAhead(time) / 60)
        return (minutes < 0 ? "-" : "+") + BusinessDay.timeOfDay(abs(minutes))
    }
}

/// Encoded as its name.
extension Zone: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let zone = Zone(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the name of a zone")
        }
        self = zone
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension Int64 {
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
