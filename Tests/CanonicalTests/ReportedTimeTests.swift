import Canonical
import Testing

@Suite struct ReportedTimeTests {
    @Test(
        "Instants and local times are told apart by the offset",
        arguments: [
            ("2026-03-01T18:30:00Z", "2026-03-01T18:30:00.000000Z"),
            ("2026-03-01T18:30:00+09:00", "2026-03-01T09:30:00.000000Z"),
            ("2026-03-01T18:30:00", "2026-03-01T18:30:00"),
            ("2026-03-01T18:30:00.25", "2026-03-01T18:30:00.250000"),
        ]
    )
    func text(_ text: String, written: String) throws {
        let time = try #require(ReportedTime(text))
        #expect(time.description == written)
        #expect(ReportedTime(written) == time)
        #expect(try JSONValueDecoder().decode(ReportedTime.self, from: time.jsonValue()) == time)
    }

    @Test(
        "Printed forms",
        arguments: [
            ("2014-03-05 17:20:00 +0000", "2014-03-05T17:20:00.000000Z"),
            ("2014-03-05 17:20:00 +0545", "2014-03-05T11:35:00.000000Z"),
            ("2014-03-05 17:20:00", "2014-03-05T17:20:00"),
            ("20140305172000", "2014-03-05T17:20:00"),
            ("2014-03-05T17:20:00-01:00", "2014-03-05T18:20:00.000000Z"),
        ]
    )
    func printed(_ text: String, read: String) {
        #expect(ReportedTime(printed: text)?.description == read)
    }

    @Test("No times", arguments: ["", "2014-03-05", "17:20:00", "2014-02-30 17:20:00", "2014-03-05 17:20:00 UTC"])
    func noTimes(_ text: String) {
        #expect(ReportedTime(printed: text) == nil)
    }

    @Test("An instant and a local time are ordered only if every zone agrees")
    func order() throws {
        let local = try #require(ReportedTime("2026-03-01T18:30:00"))
        func instant(_ text: String) throws -> ReportedTime { try #require(ReportedTime(text)) }
        // 18:30 is 04:30Z at +14:00, and 06:30Z of the next day at -12:00.
        #expect(try instant("2026-03-01T04:29:59Z").isBefore(local))
        #expect(try !instant("2026-03-01T04:30:00Z").isBefore(local))
        #expect(try local.isBefore(instant("2026-03-02T06:30:01Z")))
        #expect(try !local.isBefore(instant("2026-03-02T06:30:00Z")))
        #expect(try !local.isBefore(instant("2026-03-01T18:31:00Z")))
        #expect(try !instant("2026-03-01T18:29:00Z").isBefore(local))
        #expect(try local.isBefore(instant("2026-03-01T18:30:01")))
        #expect(local.isAtOrAfter(local))
    }

    @Test("Earliest and latest are kept for each kind")
    func extremes() throws {
        let times = try ["2026-03-01T18:30:00", "2026-03-01T09:00:00Z", "2026-03-01T18:00:00", "2026-03-01T10:00:00Z"]
            .map { try #require(ReportedTime($0)) }
        var (earliest, latest) = (ReportedTimes(), ReportedTimes())
        for time in times {
            earliest.takeEarlier(time)
            latest.takeLater(time)
        }
        #expect(earliest.preferred?.description == "2026-03-01T18:00:00")
        #expect(earliest.instant?.rfc3339 == "2026-03-01T09:00:00.000000Z")
        #expect(latest.local?.description == "2026-03-01T18:30:00")
        #expect(latest.reach(times[2]))
        #expect(!earliest.reach(times[0]))
    }
}
