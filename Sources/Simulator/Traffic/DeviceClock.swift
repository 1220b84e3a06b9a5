package import Canonical
import Foundation

// The time formats of the SDKs. None has a time zone.
extension Timestamp {
    /// The local time in a zone of the time zone database, written as if it were UTC.
    func shown(in zone: String?) -> Timestamp {
        guard let zone = zone.flatMap({ TimeZone(identifier: $0) }) else { return self }
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(microsecondsSince1970 / 1_000_000)))
        return adding(microseconds: Int64(seconds) * 1_000_000)
    }

    /// `20240222173537`.
    var compactText: String { String(rfc3339.prefix(19).filter(\.isNumber)) }

    /// `20161020`.
    var dayText: String { String(compactText.prefix(8)) }

    /// `2016-10-20 14:32:47.86`, with hundredths of a second.
    var spacedText: String { String(rfc3339.prefix(22).replacing("T", with: " ")) }

    package var midnight: Timestamp {
        let day: Int64 = 86_400_000_000
        let rest = (microsecondsSince1970 % day + day) % day
        return adding(microseconds: -rest)
    }
}
