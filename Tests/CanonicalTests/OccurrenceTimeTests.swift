import Canonical
import Testing

@Suite struct OccurrenceTimeTests {
    /// A local time, an instant or both, in hours of one day.
    private static func time(local: Int? = nil, instant: Int? = nil) throws -> OccurrenceTime {
        OccurrenceTime(
            local: try local.map { try #require(LocalTime("2026-03-01T\($0):00:00")) },
            instant: try instant.map { try #require(Timestamp(rfc3339: "2026-03-01T\($0):00:00Z")) }
        )
    }

    @Test("Local times decide, then what holds in every zone, then instants")
    func order() throws {
        #expect(try Self.time(local: 10, instant: 22).isBefore(Self.time(local: 11, instant: 20)))
        #expect(try !Self.time(local: 11, instant: 20).isBefore(Self.time(local: 10, instant: 22)))
        #expect(try Self.time(local: 23, instant: 10).isBefore(Self.time(instant: 11)))
        #expect(try !Self.time(local: 10, instant: 12).isBefore(Self.time(instant: 11)))
        #expect(try !Self.time(local: 10).isBefore(Self.time(instant: 11)))
        // Reported on the next day.
        let late = OccurrenceTime(
            local: LocalTime("2026-03-01T10:00:00"),
            instant: Timestamp(rfc3339: "2026-03-05T00:00:00Z")
        )
        let between = OccurrenceTime(local: nil, instant: Timestamp(rfc3339: "2026-03-03T00:00:00Z"))
        #expect(late.isBefore(between) && !between.isBefore(late))
        #expect(try !Self.time().isBefore(Self.time(instant: 11)) && !Self.time(local: 10).isBefore(Self.time()))
    }

    @Test("An instant that the source states is kept, the event's stands in for one")
    func sources() throws {
        let event = try #require(Timestamp(rfc3339: "2026-03-01T12:00:00Z"))
        let stated = try #require(ReportedTime("2026-03-01T10:00:00Z"))
        #expect(OccurrenceTime(stated, event: event).instant == stated.instant)
        let local = try #require(ReportedTime("2026-03-01T10:00:00"))
        #expect(OccurrenceTime(local, event: event).reported == local)
        #expect(OccurrenceTime(local, event: event).instant == event)
        #expect(OccurrenceTime(nil, event: event).reported == .instant(event))
    }
}
