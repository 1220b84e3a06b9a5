import Canonical
import DaybookTestKit
import Testing

@Suite("Timestamps")
struct TimestampTests {
    private static let known: [(String, Int64)] = [
        ("1970-01-01T00:00:00.000000Z", 0),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("2038-01-19T03:14:07.000000Z", 2_147_483_647_000_000),
        ("2001-09-09T01:46:40.123456Z", 1_000_000_000_123_456),
        ("1900-02-28T12:34:56.000000Z", -2_203_932_304_000_000),
        ("1900-03-01T12:34:56.000000Z", -2_203_845_904_000_000),
        ("2100-02-28T12:34:56.000000Z", 4_107_501_296_000_000),
        ("2100-03-01T12:34:56.000000Z", 4_107_587_696_000_000),
        ("2000-02-29T12:34:56.000000Z", 951_827_696_000_000),
        ("1600-02-29T12:34:56.000000Z", -11_670_953_104_000_000),
        ("0004-02-29T12:34:56.000000Z", -62_035_845_904_000_000),
        ("2024-12-31T12:34:56.000000Z", 1_735_648_496_000_000),
        ("0001-01-01T00:00:00.000000Z", -62_135_596_800_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ]

    @Test("Known instants, both ways", arguments: known)
    func knownInstants(text: String, microseconds: Int64) {
        #expect(Timestamp(microsecondsSince1970: microseconds).rfc3339 == text)
        #expect(Timestamp(rfc3339: text)?.microsecondsSince1970 == microseconds)
    }

    @Test(
        "The other spellings of RFC 3339",
        arguments: [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000000Z"),
            ("2026-01-02t03:04:05z", "2026-01-02T03:04:05.000000Z"),
            ("2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05.500000Z"),
            ("2026-01-02T03:04:05.000006Z", "2026-01-02T03:04:05.000006Z"),
            ("2026-01-02T03:04:05.0000069Z", "2026-01-02T03:04:05.000006Z"),
            ("2026-01-02T03:04:05.999999999999999999999999999999Z", "2026-01-02T03:04:05.999999Z"),
            ("1969-12-31T23:59:59.9999999Z", "1969-12-31T23:59:59.999999Z"),
            ("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05.000000Z"),
            ("2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05.000000Z"),
            ("2026-01-02T03:04:05+05:30", "2026-01-01T21:34:05.000000Z"),
            ("2026-01-02T03:04:05-08:00", "2026-01-02T11:04:05.000000Z"),
            ("2026-12-31T23:59:59-23:59", "2027-01-01T23:58:59.000000Z"),
            ("2024-02-29T23:59:59.25+23:59", "2024-02-29T00:00:59.250000Z"),
            ("0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00.000000Z"),
        ]
    )
    func spellings(text: String, canonical: String) {
        #expect(Timestamp(rfc3339: text)?.rfc3339 == canonical)
    }

    @Test(
        "What RFC 3339 or the calendar does not have",
        arguments: [
            "", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04Z", "2026-01-02 03:04:05Z",
            "2026-01-02T03:04:05 Z",
            " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z ", "2026-01-02T03:04:05ZZ", "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05,5Z",
            "2026-1-2T03:04:05Z", "26-01-02T03:04:05Z", "12026-01-02T03:04:05Z", "+2026-01-02T03:04:05Z",
            "-001-01-02T03:04:05Z",
            "20260102T030405Z", "2026-01-02T030405Z", "2026-W01-5T03:04:05Z", "2026-002T03:04:05Z",
            "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z", "2026-01-32T03:04:05Z",
            "2026-04-31T03:04:05Z",
            "2026-02-29T03:04:05Z", "1900-02-29T03:04:05Z", "2100-02-29T03:04:05Z", "2024-02-30T03:04:05Z",
            "0000-01-01T00:00:00Z",
            "2026-01-02T24:00:00Z", "2026-01-02T03:60:05Z", "2016-12-31T23:59:60Z", "2026-01-02T03:04:61Z",
            "2026-01-02T03:04:05+0100", "2026-01-02T03:04:05+01", "2026-01-02T03:04:05+24:00",
            "2026-01-02T03:04:05+01:60",
            "2026-01-02T03:04:05+1:00", "2026-01-02T03:04:05\u{2212}01:00",
            "2026-01-02T03:04:05.1234567890123456789012345678901Z",
            "2026-01-02T03:04:05.-5Z", "２026-01-02T03:04:05Z", "2026-01-0٣T03:04:05Z",
            "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
        ]
    )
    func malformed(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    /// An independent calculation that counts days month by month, with only the rule of leap years.
    @Test("Every month of every year")
    func everyMonth() {
        var days = Timestamp.earliest.microsecondsSince1970 / 86_400_000_000
        for year in 1...9999 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, length) in zip(1..., [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
                guard
                    let first = Timestamp(year: year, month: month, day: 1),
                    let last = Timestamp(year: year, month: month, day: length)
                else {
                    Issue.record("\(year)-\(month) is missing")
                    return
                }
                let isRight =
                    first.microsecondsSince1970 == days * 86_400_000_000
                    && last.microsecondsSince1970 == (days + Int64(length) - 1) * 86_400_000_000
                    && Timestamp(year: year, month: month, day: length + 1) == nil
                    && Timestamp(rfc3339: last.rfc3339) == last && Timestamp(rfc3339: first.rfc3339) == first
                if !isRight { Issue.record("\(year)-\(month) is wrong") }
                days += Int64(length)
            }
        }
        #expect(days * 86_400_000_000 - 1 == Timestamp.latest.microsecondsSince1970)
    }

    @Test("Every instant survives its text, and texts sort like instants", arguments: [1, 2, 3] as [UInt64])
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let range = Timestamp.earliest.microsecondsSince1970...Timestamp.latest.microsecondsSince1970
        var previous = Timestamp(microsecondsSince1970: 0)
        for _ in 0..<2000 {
            let instant = Timestamp(microsecondsSince1970: .random(in: range, using: &random))
            #expect(Timestamp(rfc3339: instant.rfc3339) == instant)
            #expect((instant < previous) == (instant.rfc3339 < previous.rfc3339))
            #expect(previous.adding(microseconds: instant.microseconds(since: previous)) == instant)
            previous = instant
        }
    }

    @Test("Components are checked")
    func components() {
        #expect(
            Timestamp(year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5, microsecond: 6)?.rfc3339
                == "2026-01-02T03:04:05.000006Z"
        )
        #expect(Timestamp(year: 2026, month: 1, day: 2, hour: 24) == nil)
        #expect(Timestamp(year: 2026, month: 1, day: 2, hour: -1) == nil)
        #expect(Timestamp(year: 2026, month: 1, day: 2, minute: 60) == nil)
        #expect(Timestamp(year: 2026, month: 1, day: 2, second: 60) == nil)
        #expect(Timestamp(year: 2026, month: 1, day: 2, microsecond: 1_000_000) == nil)
        #expect(Timestamp(year: .max, month: .max, day: .max) == nil)
        #expect(Timestamp(year: 0, month: 1, day: 1) == nil)
        #expect(Timestamp(year: 10_000, month: 1, day: 1) == nil)
    }

    @Test("Arithmetic stays within the range")
    func arithmetic() {
        let now = Timestamp(microsecondsSince1970: 1_000)
        #expect(now.adding(microseconds: -1_001).microsecondsSince1970 == -1)
        #expect(now.adding(microseconds: .max) == .latest)
        #expect(now.adding(microseconds: .min) == .earliest)
        #expect(Timestamp.latest.adding(microseconds: 1) == .latest)
        #expect(Timestamp.earliest.adding(microseconds: -1) == .earliest)
        #expect(Timestamp.latest.adding(microseconds: .max) == .latest)
        #expect(Timestamp(microsecondsSince1970: .max) == .latest)
        #expect(Timestamp(microsecondsSince1970: .min) == .earliest)
        #expect(Timestamp(exactMicrosecondsSince1970: .max) == nil)
        #expect(Timestamp(exactMicrosecondsSince1970: Timestamp.latest.microsecondsSince1970 + 1) == nil)
        #expect(Timestamp(exactMicrosecondsSince1970: -1)?.microsecondsSince1970 == -1)
        #expect(Timestamp.latest.microseconds(since: .earliest) == 315_537_897_599_999_999)
    }

    @Test(
        "Milliseconds round down",
        arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2)] as [(Int64, Int64)]
    )
    func milliseconds(microseconds: Int64, milliseconds: Int64) {
        #expect(Timestamp(microsecondsSince1970: microseconds).millisecondsSince1970 == milliseconds)
    }

    @Test("Vendors' times without a zone")
    func vendorStamps() {
        #expect(LocalTime(compact: "20260102030405")?.description == "2026-01-02T03:04:05")
        #expect(LocalTime(compact: "20260102030405678")?.description == "2026-01-02T03:04:05.678000")
        #expect(LocalTime(spaced: "2026-01-02 03:04:05")?.description == "2026-01-02T03:04:05")
        #expect(LocalTime(spaced: "2026-01-02 03:04:05.6")?.description == "2026-01-02T03:04:05.600000")
        #expect(LocalTime(spaced: "2026-01-02 03:04:05.678901")?.description == "2026-01-02T03:04:05.678901")
    }

    @Test(
        "Malformed compact stamps",
        arguments: [
            "", "2026010203040", "202601020304051", "2026010203040512", "202601020304051234", "20260230030405",
            "20260102240000",
            "20260102030460", "2026010203040x", " 20260102030405", "00000000000000", "2026-01-02T03:04:05Z",
        ]
    )
    func malformedCompact(_ text: String) {
        #expect(LocalTime(compact: text) == nil)
    }

    @Test(
        "Malformed stamps without a zone",
        arguments: [
            "", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02  03:04:05", "2026-01-02 03:04", "2026-01-02 03:04:05.",
            "2026-01-02 03:04:05.1234567", "2026-01-02 03:04:05Z", "2026-01-02 03:04:05 ", "2026-02-30 03:04:05",
            "2026/01/02 03:04:05",
        ]
    )
    func malformedZoneless(_ text: String) {
        #expect(LocalTime(spaced: text) == nil)
    }

    @Test("Stored as RFC 3339")
    func codable() throws {
        let instant = Timestamp(microsecondsSince1970: 1)
        #expect(try JSONValueEncoder().encode(instant) == "1970-01-01T00:00:00.000001Z")
        #expect(try JSONValueDecoder().decode(Timestamp.self, from: "1970-01-01T01:00:00.000001+01:00") == instant)
        #expect(throws: DecodingError.self) { try JSONValueDecoder().decode(Timestamp.self, from: "yesterday") }
        #expect(instant.description == instant.rfc3339)
    }

    @Test("The system's clock is in this century")
    func systemClock() throws {
        let century = try #require(Timestamp(year: 2025, month: 1, day: 1)).rfc3339..."2100"
        #expect(century.contains(SystemClock().now().rfc3339))
    }
}
