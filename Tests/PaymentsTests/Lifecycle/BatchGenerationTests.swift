import Canonical
import Payments
import Testing

/// The rules by which documents that name only a batch number join one of its uses. Times are hours.
@Suite("Generations of a batch number")
struct BatchGenerationTests {
    private static func instant(_ hour: Int) -> Timestamp { Reported.instant(hour * 3600) }
    private static func time(_ hour: Int) -> OccurrenceTime { OccurrenceTime(local: nil, instant: instant(hour)) }
    private static func local(_ hour: Int) -> LocalTime { LocalTime(shown: instant(hour)) }

    private static func closing(
        _ settlement: String? = nil,
        net: Int64? = nil,
        at time: ReportedTime?
    ) -> BatchClosing {
        BatchClosing(
            batch: Reported.batch(12),
            settlement: settlement,
            response: Response(code: "0"),
            totals: net.map { HostTotals(net: Reported.usd($0)) },
            at: time
        )
    }

    /// Generations in the order in which their closings were recorded, with the hours of the closings.
    private static func closed(at hours: Int..., isReported: Bool = true) -> BatchGenerations {
        BatchGenerations(
            hours.enumerated().map { index, hour in
                BatchGenerations.Closed(
                    generation: index + 1,
                    closing: closing(at: isReported ? .instant(instant(hour)) : nil),
                    occurredAt: instant(hour),
                    position: Int64(index + 1) * 10
                )
            }
        )
    }

    struct Money: Sendable, CustomTestStringConvertible {
        var name: String
        var closings: BatchGenerations
        var hour: Int
        var isReported = true
        var generation: Int

        var testDescription: String { name }
    }

    @Test(arguments: [
        Money(name: "nothing is closed", closings: BatchGenerations(), hour: 5, generation: 1),
        Money(name: "before the closing", closings: closed(at: 23), hour: 5, generation: 1),
        Money(name: "at the closing", closings: closed(at: 23), hour: 23, generation: 1),
        Money(name: "on the next day", closings: closed(at: 23), hour: 32, generation: 2),
        Money(name: "100 days later", closings: closed(at: 23), hour: 2_400, generation: 2),
        Money(name: "between two closings", closings: closed(at: 23, 47), hour: 32, generation: 2),
        Money(name: "between two closings in the other order", closings: closed(at: 47, 23), hour: 32, generation: 1),
        Money(name: "before both in the other order", closings: closed(at: 47, 23), hour: 5, generation: 2),
        Money(name: "after both in the other order", closings: closed(at: 47, 23), hour: 50, generation: 3),
        Money(
            name: "without a time, recorded in the day after",
            closings: closed(at: 23),
            hour: 32,
            isReported: false,
            generation: 1
        ),
        Money(
            name: "without a time, recorded later",
            closings: closed(at: 23),
            hour: 48,
            isReported: false,
            generation: 2
        ),
        Money(
            name: "without a time, before the second closing",
            closings: closed(at: 23, 47),
            hour: 32,
            isReported: false,
            generation: 2
        ),
        Money(
            name: "after a closing without a time was recorded",
            closings: closed(at: 23, isReported: false),
            hour: 32,
            generation: 2
        ),
        Money(
            name: "29 days before the closing",
            closings: closed(at: 800),
            hour: 800 - 29 * 24,
            generation: 1
        ),
        Money(
            name: "30 days before the only closing: its own is missing",
            closings: closed(at: 2_400),
            hour: 5,
            generation: 19_700_101
        ),
        Money(
            name: "many years before the only closing: a clock was wrong",
            closings: closed(at: 400_000),
            hour: 5,
            generation: 1
        ),
    ])
    func money(_ money: Money) {
        let found = money.closings.generation(at: Self.time(money.hour), isInstantReported: money.isReported)
        #expect(found == money.generation)
    }

    @Test("Local times are compared with local times")
    func localTimes() {
        let closing = Self.closing(at: .local(Self.local(23)))
        // The report came three days later.
        let known = BatchGenerations([
            BatchGenerations.Closed(generation: 1, closing: closing, occurredAt: Self.instant(95), position: 10)
        ])
        func found(_ hour: Int) -> Int {
            let at = OccurrenceTime(local: Self.local(hour), instant: Self.instant(95))
            return known.generation(at: at, isInstantReported: false)
        }
        #expect(found(22) == 1)
        #expect(found(24) == 2)
    }

    @Test("A local time and an instant: the time of the event shows nothing unless it is a day later")
    func localTimesAndInstants() {
        // The hours of the local time and of the instant.
        func found(_ local: Int, _ instant: Int, isInstantReported: Bool = false) -> Int {
            let at = OccurrenceTime(local: Self.local(local), instant: Self.instant(instant))
            return Self.closed(at: 23).generation(at: at, isInstantReported: isInstantReported)
        }
        #expect(found(22, 29) == 1)
        #expect(found(22, 48) == 2)
        #expect(found(22, 29, isInstantReported: true) == 2)
        // At the closing, the clocks 14 hours ahead of UTC show 37.
        #expect(found(37, 37) == 1)
        #expect(found(38, 38) == 2)
    }

    @Test(
        "Clocks differ: what was recorded before the closing may be an hour later than it",
        arguments: [(24, 9, 1), (24, 11, 2), (25, 9, 2)] as [(Int, Int64, Int)]
    )
    func anHourLater(hour: Int, position: Int64, generation: Int) {
        let known = Self.closed(at: 23)
        #expect(known.generation(at: Self.time(hour), isInstantReported: true, recordedAt: position) == generation)
    }

    struct Report: Sendable, CustomTestStringConvertible {
        var name: String
        var first: BatchClosing
        var second: BatchClosing
        /// The hour of the event of the second report.
        var hour: Int
        /// Nil for the open generation.
        var generation: Int?
        var isClosed = true

        var testDescription: String { name }
    }

    private static func at(_ hour: Int) -> ReportedTime { .instant(instant(hour)) }

    @Test(arguments: [
        Report(name: "the same", first: closing(at: at(23)), second: closing(at: at(23)), hour: 23, generation: 1),
        Report(
            name: "the same in another form",
            first: closing("s", net: 5, at: at(23)),
            second: closing(at: nil),
            hour: 30,
            generation: 1
        ),
        Report(
            name: "a contradiction at the same time",
            first: closing("s", net: 5, at: at(23)),
            second: closing("t", net: 6, at: at(23)),
            hour: 23,
            generation: 1
        ),
        Report(name: "the next day", first: closing(at: at(23)), second: closing(at: at(47)), hour: 47),
        Report(name: "100 days later", first: closing(at: at(23)), second: closing(at: at(2_400)), hour: 2_400),
        Report(name: "100 days earlier", first: closing(at: at(2_400)), second: closing(at: at(23)), hour: 2_410),
        Report(
            name: "the same settlement, reported late without a time",
            first: closing("s", at: at(23)),
            second: closing("s", at: nil),
            hour: 200,
            generation: 1
        ),
        Report(
            name: "the settlement's id is used again, too",
            first: closing("s", at: at(23)),
            second: closing("s", at: at(2_400)),
            hour: 2_400
        ),
        Report(
            name: "another settlement without a time, on the next day",
            first: closing("s", at: nil),
            second: closing("t", at: nil),
            hour: 40
        ),
        Report(name: "the next evening, without a time", first: closing(at: nil), second: closing(at: nil), hour: 46),
        Report(
            name: "a local time of the same evening, reported late",
            first: closing(at: at(23)),
            second: closing("s", at: .local(local(23))),
            hour: 40,
            generation: 1
        ),
        Report(
            name: "a local time of the next evening",
            first: closing(at: at(23)),
            second: closing(at: .local(local(47))),
            hour: 47
        ),
        Report(
            name: "a local time, with other totals",
            first: closing(net: 5, at: at(23)),
            second: closing(net: 6, at: .local(local(23))),
            hour: 40
        ),
        Report(name: "without a time, two days later", first: closing(at: nil), second: closing(at: nil), hour: 72),
        Report(
            name: "a request from before the closing",
            first: closing(at: at(23)),
            second: closing(at: at(22)),
            hour: 30,
            generation: 1,
            isClosed: false
        ),
        Report(
            name: "a request for the next batch",
            first: closing(at: at(23)),
            second: closing(at: at(47)),
            hour: 47,
            isClosed: false
        ),
    ])
    func closings(_ report: Report) {
        let known = BatchGenerations([
            BatchGenerations.Closed(
                generation: 1,
                closing: report.first,
                occurredAt: Self.instant(23),
                position: 10
            )
        ])
        let at = OccurrenceTime(report.second.at, event: Self.instant(report.hour))
        #expect(known.generation(of: report.second, at: at, isClosed: report.isClosed) == report.generation)
    }

    @Test("Closings of one generation under two names of the account: the first one after the money takes it")
    func closingsUnderTwoNames() {
        let first = Self.closed(at: 23).closed[0]
        var second = Self.closed(at: 2_400).closed[0]
        second.position = 20
        let known = BatchGenerations([second, first])
        for (hour, end) in [(5, 23), (2_390, 2_400), (2_500, 2_400)] {
            #expect(known.closing(of: 1, at: Self.time(hour))?.end == Self.time(end), "\(hour)")
        }
        #expect(known.closing(of: 2, at: Self.time(5)) == nil)
        #expect(first.isAnotherClosing(before: second) && !second.isAnotherClosing(before: first))
        var same = first
        same.position = 20
        #expect(!first.isAnotherClosing(before: same))
        same.generation = 2
        same.end = second.end
        #expect(!first.isAnotherClosing(before: same))
    }

    @Test("Money is late if a later use of the number was closed before the money was recorded")
    func late() {
        let known = Self.closed(at: 23, 47)
        #expect(known.isLate(1, recordedAt: 21) && !known.isLate(1, recordedAt: 19))
        #expect(!known.isLate(2, recordedAt: 21) && !known.isLate(3, recordedAt: 21))
    }

    @Test("The first generation has the id that the number had before, and is not written")
    func references() throws {
        let first = Reported.batch(12)
        let second = first.inGeneration(2)
        #expect(first.inGeneration(1) == first && first != second && second.hasSameNumber(as: first))
        #expect(second.text == first.text + "#2" && second.shownNumber == "12 #2" && first.shownNumber == "12")
        #expect(StreamName.batchID(first, of: "acme") != StreamName.batchID(second, of: "acme"))
        let written = try JSONValueEncoder().encode(first).text
        #expect(written == #"{"vendor":"dejavoo","account":"tpn","number":"12"}"#)
        for batch in [first, second] {
            let read = try JSONValueDecoder().decode(BatchReference.self, from: JSONValueEncoder().encode(batch))
            #expect(read == batch)
        }
        for text in [#"{"vendor":"dejavoo","number":"12","generation":0}"#, #"{"vendor":"dejavoo","generation":2}"#] {
            #expect(throws: DecodingError.self) {
                try JSONValueDecoder().decode(BatchReference.self, parsing: text)
            }
        }
        #expect(BatchReference(vendor: .dejavoo, account: "tpn", number: nil, generation: 3).generation == 1)
    }
}
