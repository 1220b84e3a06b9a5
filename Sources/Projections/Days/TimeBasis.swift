package import Canonical

/// How the instant of a reported time is known.
package enum TimeBasis: String, Sendable, Hashable, Codable, CaseIterable {
    /// The source reported an instant.
    case zoned
    /// The source reported a local time, and the merchant's zone is set.
    case merchant
    /// The source reported a local time, and no zone is set: it was read as UTC.
    case assumed
}

extension ReportedTime {
    /// The instant of this time, and how it is known.
    ///
    /// - Parameter zone: The merchant's zone, if it is set.
    package func placed(in zone: Zone?) -> (instant: Timestamp, basis: TimeBasis) {
        switch self {
        case .instant(let time): (time, .zoned)
        case .local(let time): zone.map { ($0.instant(time.asUTC), .merchant) } ?? (time.asUTC, .assumed)
        }
    }
}

extension Zone {
    /// An instant as `text(_:)` writes it; a local time as it was reported, without an offset.
    package func text(_ time: ReportedTime) -> String {
        switch time {
        case .instant(let time): text(time)
        case .local(let time): String(time.description.prefix(19)).replacing("T", with: " ")
        }
    }
}
