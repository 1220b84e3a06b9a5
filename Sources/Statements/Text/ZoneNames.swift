import Canonical
import Foundation

/// Converts local times in named zones to instants. Caches the zones it has seen; a file has few.
struct ZoneNames: Sendable {
    private enum Rules: Sendable {
        case fixed(Int64)
        case database(TimeZone)
        case unknown
    }

    private var known: [(name: [UInt8], text: String, rules: Rules)] = []
    /// A day on which the zone's clocks do not change, nor on the adjacent days: zone, day, seconds ahead of UTC.
    private var steady: (place: Int, day: Int64, ahead: Int64)?

    /// The zone's name as text.
    mutating func name(_ zone: ArraySlice<UInt8>) -> String { known[place(of: zone)].text }

    /// The instant of a local time in the zone. Nil for an unknown zone.
    ///
    /// A local time that occurs twice when clocks go back is read as the first; one that is skipped when they go
    /// forward is read as if they had not changed yet.
    mutating func instant(_ wall: Timestamp, in zone: ArraySlice<UInt8>) -> Timestamp? {
        let place = place(of: zone)
        switch known[place].rules {
        case .fixed(let seconds): return wall.adding(microseconds: -seconds * 1_000_000)
        case .unknown: return nil
        case .database(let zone):
            let seconds = wall.microsecondsSince1970 / 1_000_000
            let day = seconds / 86_400
            if let steady, steady.place == place, steady.day == day {
                return wall.adding(microseconds: -steady.ahead * 1_000_000)
            }
            let earlier = Self.ahead(zone, (day - 1) * 86_400)
            if earlier == Self.ahead(zone, (day + 2) * 86_400) { steady = (place, day, earlier) }
            // The offset before a change shows whether the clocks have already changed at this local time.
            let ahead = Self.ahead(zone, seconds - earlier)
            if ahead == earlier { return wall.adding(microseconds: -ahead * 1_000_000) }
            let isAfter = Self.ahead(zone, seconds - ahead) == ahead
            return wall.adding(microseconds: -(isAfter ? ahead : earlier) * 1_000_000)
        }
    }

    private static func ahead(_ zone: TimeZone, _ seconds: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }

    private mutating func place(of zone: ArraySlice<UInt8>) -> Int {
        if let place = known.firstIndex(where: { $0.name.elementsEqual(zone) }) { return place }
        // A file whose zones never repeat must not make all of them be kept.
        if known.count >= 64 {
            known.removeFirst(32)
            steady = nil
        }
        let text = String(decoding: zone, as: UTF8.self)
        known.append((Array(zone), text, Self.rules(text, zone)))
        return known.count - 1
    }

    private static func rules(_ name: String, _ bytes: ArraySlice<UInt8>) -> Rules {
        if let seconds = abbreviations[name.uppercased()] { return .fixed(seconds) }
        if let seconds = DateText.offset(bytes) { return .fixed(seconds) }
        for prefix in ["GMT", "UTC"] where name.uppercased().hasPrefix(prefix) {
            if let seconds = DateText.offset(bytes.dropFirst(3)) { return .fixed(seconds) }
        }
        let isPlain = bytes.allSatisfy { byte in
            let letter = byte | 0x20
            return letter >= 0x61 && letter <= 0x7A || byte &- 0x30 < 10 || [0x2F, 0x5F, 0x2D, 0x2B].contains(byte)
        }
        guard isPlain, name.utf8.count <= 64, name.contains("/"), let zone = TimeZone(identifier: name) else {
            return .unknown
        }
        return .database(zone)
    }

    /// Abbreviations mean a fixed offset from UTC in any season: a file with CET in July means one hour. Those used by
    /// several countries are read as by processors in North America, Europe and Australia.
    private static let abbreviations: [String: Int64] = [
        "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 3600, "BST": 3600, "CET": 3600, "CEST": 7200, "EET": 7200,
        "EEST": 10_800, "MSK": 10_800, "EST": -18_000, "EDT": -14_400, "CST": -21_600, "CDT": -18_000, "MST": -25_200,
        "MDT": -21_600, "PST": -28_800, "PDT": -25_200, "AKST": -32_400, "AKDT": -28_800, "HST": -36_000,
        "AST": -14_400, "ADT": -10_800, "BRT": -10_800, "SGT": 28_800, "HKT": 28_800, "JST": 32_400, "KST": 32_400,
        "AEST": 36_000, "AEDT": 39_600, "ACST": 34_200, "ACDT": 37_800, "AWST": 28_800, "NZST": 43_200, "NZDT": 46_800,
    ]
}
