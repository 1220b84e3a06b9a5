import Canonical
import Projections
import Testing

@testable import Console

/// Times in the zone of a visitor.
@Suite struct ZoneTests {
    private let summer = Timestamp(rfc3339: "2026-07-01T22:30:05Z")

    @Test func everyTimeSaysItsZone() throws {
        let time = try #require(summer)
        #expect(Zone.utc.text(time) == "2026-07-01 22:30:05 UTC")
        #expect(try #require(Zone("Europe/Berlin")).text(time) == "2026-07-02 00:30:05 +02:00")
        #expect(try #require(Zone("Asia/Kolkata")).text(time) == "2026-07-02 04:00:05 +05:30")
        #expect(try #require(Zone("America/New_York")).text(time) == "2026-07-01 18:30:05 -04:00")
        #expect(try #require(Zone("-03:30")).text(time) == "2026-07-01 19:00:05 -03:30")
    }

    @Test(arguments: ["", "Berlin", "Europe/Atlantis", "../etc/passwd", "UTC\u{0}", "+1:00", "Europe/Berlin; Path=/"])
    func unknownZonesAreRefused(name: String) {
        #expect(Zone(name) == nil)
    }

    /// Clocks in Berlin went from 3 back to 2 on 25 October 2026, and from 2 on to 3 on 29 March.
    @Test func timesAroundAClockChangeAreRead() throws {
        let berlin = try #require(Zone("Europe/Berlin"))
        #expect(berlin.instant("2026-10-25T01:59") == Timestamp(rfc3339: "2026-10-24T23:59:00Z"))
        #expect(berlin.instant("2026-10-25T02:30") == Timestamp(rfc3339: "2026-10-25T00:30:00Z"))
        #expect(berlin.instant("2026-10-25T03:30:15") == Timestamp(rfc3339: "2026-10-25T02:30:15Z"))
        #expect(berlin.instant("2026-03-29T03:30") == Timestamp(rfc3339: "2026-03-29T01:30:00Z"))
        #expect(berlin.instant("2026-03-29T02:30") != nil)
        #expect(berlin.instant("2026-13-29T02:30") == nil)
        #expect(berlin.instant("yesterday") == nil)
    }
}
