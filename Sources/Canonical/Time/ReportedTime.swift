/// A time as a source reports it: an instant, or the local time of a clock whose zone the source does not name.
///
/// A local time is kept as it was reported, because its zone may become known, or be corrected, later. Written as text
/// by RFC 3339: an instant with `Z`, a local time without an offset.
package enum ReportedTime: Sendable, Hashable {
    case instant(Timestamp)
    case local(LocalTime)

    package var instant: Timestamp? { if case .instant(let time) = self { time } else { nil } }
    package var local: LocalTime? { if case .local(let time) = self { time } else { nil } }

    /// Reads a time by RFC 3339, or a local time without an offset.
    package init?(_ text: String) {
        if let time = Timestamp(rfc3339: text) {
            self = .instant(time)
        } else if let time = LocalTime(text) {
            self = .local(time)
        } else {
            return nil
        }
    }

    /// Reads the local time `yyyyMMddHHmmss`, optionally with three more digits for milliseconds.
    package init?(compact text: String) {
        guard let time = LocalTime(compact: text) else { return nil }
        self = .local(time)
    }

    /// Reads RFC 3339; the printed form of `NSDate`, `2014-03-05 17:20:00 +0000`; or a local time: with a `T`, a space, or
    /// as digits alone.
    package init?(printed text: String) {
        let parts = text.split(separator: " ")
        let isPrintedDate = parts.count == 3 && parts[2].utf8.count == 5
        let zoned = isPrintedDate ? "\(parts[0])T\(parts[1])\(parts[2].prefix(3)):\(parts[2].suffix(2))" : text
        if let time = Timestamp(rfc3339: zoned) {
            self = .instant(time)
        } else if let time = LocalTime(text) ?? LocalTime(spaced: text) ?? LocalTime(compact: text) {
            self = .local(time)
        } else {
            return nil
        }
    }

    /// True if this is known to be earlier. Of an instant and a local time that is known only if it holds in every zone.
    package func isBefore(_ other: ReportedTime) -> Bool {
        switch (self, other) {
        case (.instant(let own), .instant(let other)): own < other
        case (.local(let own), .local(let other)): own < other
        case (.instant(let own), .local(let other)): own < other.earliestInstant
        case (.local(let own), .instant(let other)): own.latestInstant < other
        }
    }

    /// True if this is known to be the same time or a later one.
    package func isAtOrAfter(_ other: ReportedTime) -> Bool { self == other || other.isBefore(self) }
}

extension ReportedTime: CustomStringConvertible {
    package var description: String {
        switch self {
        case .instant(let time): time.rfc3339
        case .local(let time): time.description
        }
    }
}

extension ReportedTime: Codable {
    package init(from decoder: any Decoder) throws {
        guard let time = ReportedTime(try decoder.singleValueContainer().decode(String.self)) else {
            throw DecodingError.invalid(
                "A time by RFC 3339, or a local time without an offset, is expected.",
                for: decoder
            )
        }
        self = time
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The earliest or latest of reported times, for instants and local times apart.
package struct ReportedTimes: Sendable, Hashable, Codable {
    package private(set) var instant: Timestamp?
    package private(set) var local: LocalTime?

    package init(_ time: ReportedTime? = nil) {
        instant = time?.instant
        local = time?.local
    }

    package var isEmpty: Bool { instant == nil && local == nil }

    /// The instant if it is later than the local time in every zone, else the local time.
    package var latest: ReportedTime? {
        guard let local, let instant else { return preferred }
        return ReportedTime.local(local).isBefore(.instant(instant)) ? .instant(instant) : .local(local)
    }

    /// The local time if there is one, else the instant.
    package var preferred: ReportedTime? { local.map { .local($0) } ?? instant.map { .instant($0) } }

    package mutating func takeEarlier(_ time: ReportedTime) {
        switch time {
        case .instant(let time): instant = min(instant ?? time, time)
        case .local(let time): local = min(local ?? time, time)
        }
    }

    package mutating func takeLater(_ time: ReportedTime) {
        switch time {
        case .instant(let time): instant = max(instant ?? time, time)
        case .local(let time): local = max(local ?? time, time)
        }
    }

    /// True if one of these times is known to be the same as `time` or later.
    package func reach(_ time: ReportedTime) -> Bool {
        let own = [instant.map { ReportedTime.instant($0) }, local.map { ReportedTime.local($0) }]
        return own.contains { $0?.isAtOrAfter(time) ?? false }
    }
}

extension LocalTime: Codable {
    package init(from decoder: any Decoder) throws {
        guard let time = LocalTime(try decoder.singleValueContainer().decode(String.self)) else {
            throw DecodingError.invalid("A local time without an offset is expected.", for: decoder)
        }
        self = time
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
