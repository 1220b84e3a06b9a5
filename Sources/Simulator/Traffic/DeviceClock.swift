package import Canonical

// The time formats of the SDKs. None has a time zone; the devices of the simulation use UTC.
extension Timestamp {
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
