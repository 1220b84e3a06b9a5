import Canonical
import Foundation

/// The zone in which times are shown and read. Every time that is shown says which.
struct Zone: Sendable, Hashable {
    static let utc = Zone(zone: .gmt, name: "UTC")

    /// Its name in the time zone database.
    let name: String
    private let zone: TimeZone

    private init(zone: TimeZone, name: String) {
        self.zone = zone
        self.name = name
    }

    /// Nil for what is no zone of the time zone database.
    init?(_ name: String) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "+"):
                true
            default: false
            }
        }
        guard isPlain, (1...64).contains(name.utf8.count) else { return nil }
        if name == "UTC" {
            self = .utc
            return
        }
        guard name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
        self.init(zone: zone, name: name)
    }

    /// Zones to choose from; any other may be typed.
    static let offered = [
        "UTC", "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Sao_Paulo",
        "Europe/London", "Europe/Berlin", "Europe/Paris", "Africa/Johannesburg", "Asia/Dubai", "Asia/Kolkata",
        "Asia/Singapore", "Asia/Tokyo", "Australia/Sydney",
    ]

    /// `2026-11-21 23:14:49 UTC`, or with the offset where it is not UTC.
    func text(_ time: Timestamp) -> String {
        let shown = local(time).rfc3339.prefix(19).replacing("T", with: " ")
        return "\(shown) \(offsetText(time))"
    }

    /// The day: `2026-11-21`.
    func day(_ time: Timestamp) -> String { String(local(time).rfc3339.prefix(10)) }

    /// The hour of the day: `23`.
    func hour(_ time: Timestamp) -> String { String(local(time).rfc3339.dropFirst(11).prefix(2)) }

    /// As a field of a form holds it, to the second: `2026-11-21T23:14:49`.
    func fieldText(_ time: Timestamp) -> String { String(local(time).rfc3339.prefix(19)) }

    /// The instant at which clocks of the zone show `text`, which is `2026-11-21T23:14` or with seconds. Of two, when
    /// clocks are set back, the first.
    func instant(_ text: String) -> Timestamp? {
        let full = text.utf8.count == 16 ? text + ":00Z" : text + "Z"
        guard let wall = Timestamp(rfc3339: full) else { return nil }
        // The offset before a change and the one after it; one of them is right.
        let guesses = [-86_400, 86_400].map { seconds -> Timestamp in
            let offset = offsetSeconds(wall.adding(microseconds: Int64(seconds) * 1_000_000))
            return wall.adding(microseconds: -offset * 1_000_000)
        }
        return guesses.first { local($0) == wall } ?? guesses[0]
    }

    /// When the day that holds `time` began.
    func startOfDay(_ time: Timestamp) -> Timestamp { instant(day(time) + "T00:00") ?? time }

    private func local(_ time: Timestamp) -> Timestamp {
        time.adding(microseconds: offsetSeconds(time) * 1_000_000)
    }

    private func offsetSeconds(_ time: Timestamp) -> Int64 {
        guard name != "UTC" else { return 0 }
        let seconds = time.millisecondsSince1970 / 1000
        return Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }

    private func offsetText(_ time: Timestamp) -> String {
        guard name != "UTC" else { return "UTC" }
        let minutes = offsetSeconds(time) / 60
        let (hours, rest) = (minutes.magnitude / 60, minutes.magnitude % 60)
        return (minutes < 0 ? "-" : "+") + (hours < 10 ? "0" : "") + "\(hours):" + (rest < 10 ? "0" : "") + "\(rest)"
    }
}
