import Canonical
import Composition
import DaybookTestKit
import Matching
import Payments
import Redaction
import Statements
import Testing

@testable import Reconciliation

/// Business days for which a processor's calendar expects a file.
struct MissingStatementTests {
    private static func at(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    // MARK: Calendars

    private static let business: [(note: String, days: Int, from: String, day: String)] = [
        ("a business day itself", 0, "2026-03-02", "2026-03-02"), ("the next one", 1, "2026-03-02", "2026-03-03"),
        ("over a weekend", 1, "2026-03-06", "2026-03-09"), ("from a weekend", 0, "2026-03-07", "2026-03-09"),
        ("one day later, over a holiday", 1, "2026-03-08", "2026-03-11"),
        ("over a holiday", 1, "2026-03-09", "2026-03-11"),
        ("over both", 3, "2026-03-05", "2026-03-11"), ("over the end of February", 2, "2024-02-28", "2024-03-01"),
        ("before 1970", 1, "1969-12-31", "1970-01-01"),
    ]

    @Test(arguments: business) func businessDaysAreCounted(note: String, days: Int, from: String, day: String) throws {
        // 2026-03-10 is a Tuesday.
        let calendar = ProcessorCalendar(processor: "daybook-csv", begins: "2026-03-02", holidays: ["2026-03-10"])
        let start = try #require(CivilDate(from))
        #expect(calendar.days.day(days, after: start).description == day, "\(note)")
    }

    private static let due: [(now: String, zone: String, days: [String])] = [
        ("2026-03-03T05:59:59Z", "UTC", []), ("2026-03-03T06:00:00Z", "UTC", ["2026-03-02"]),
        ("2026-03-09T05:00:00Z", "UTC", ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"]),
        // Clocks in New York were put forward on March 8: 06:00 is 10:00 UTC afterwards.
        (
            "2026-03-09T10:00:00Z", "America/New_York",
            ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06"]
        ), ("2026-03-03T10:59:59Z", "America/New_York", []), ("2026-03-01T00:00:00Z", "UTC", []),
        ("2026-03-20T00:00:00Z", "no zone", []),
    ]

    @Test(arguments: due) func filesAreDueByTheClockOfTheZone(now: String, zone: String, days: [String]) throws {
        let calendar = ProcessorCalendar(processor: "daybook-csv", begins: "2026-03-02", zone: zone)
        #expect(try calendar.expectedFiles(by: Self.at(now)).map(\.day.description) == days)
    }

    /// A run examines the files that became due within a year, whenever the calendar begins, and recorded days.
    @Test func aRunExaminesAYear() throws {
        // 2026-03-10 is a Tuesday.
        let calendar = ProcessorCalendar(processor: "daybook-csv", begins: "2000-01-03")
        let now = try Self.at("2026-03-10T06:00:00Z")
        let recent = calendar.expectedFiles(by: now)
        // The file of Friday, 2025-03-07, was due on Monday at the same time, exactly 365 days earlier.
        #expect(recent.map(\.day.description).prefix(2) == ["2025-03-07", "2025-03-10"])
        #expect(recent.last?.day.description == "2026-03-09" && recent.count == 262)
        let earlier = try ["2024-02-29", "1999-12-31", "2024-03-02", "2026-03-09", "2026-03-10"].map {
            try #require(CivilDate($0))
        }
        let all = calendar.expectedFiles(by: now, and: earlier)
        let due = try Self.at("2024-03-01T06:00:00Z")
        // The calendar has neither the day before its beginning nor the Saturday, and the last one is not due.
        #expect(all.map(\.day.description) == ["2024-02-29"] + recent.map(\.day.description))
        #expect(all.first?.due == due)
    }

    private static let cutoffs: [(time: String, cutoff: String?, day: String)] = [
        ("2026-03-02T20:59:59Z", "22:00", "2026-03-02"), ("2026-03-02T21:00:00Z", "22:00", "2026-03-03"),
        ("2026-03-02T22:59:59Z", nil, "2026-03-02"), ("2026-03-02T23:00:00Z", nil, "2026-03-03"),
        ("2026-03-02T23:00:00Z", "00:00", "2026-03-03"),
    ]

    /// Berlin is an hour ahead of UTC.
    @Test(arguments: cutoffs) func aPaymentFromTheCutOffOnIsOfTheNextDay(
        time: String,
        cutoff: String?,
        day: String
    ) throws {
        let calendar = ProcessorCalendar(
            processor: "daybook-csv",
            begins: "2026-03-02",
            zone: "Europe/Berlin",
            cutoff: cutoff
        )
        #expect(try calendar.day(of: Self.at(time)).description == day)
    }

    @Test func theMerchantsCalendarComesFirst() {
        let all = ProcessorCalendar(processor: "daybook-csv", vendors: [.dejavoo], begins: "2026-03-02")
        let own = ProcessorCalendar(processor: "daybook-csv", merchant: "M1", begins: "2026-03-02", depositDays: 1)
        #expect([all, own].calendar(of: "daybook-csv", merchant: "M1") == own)
        #expect([all, own].calendar(of: "dejavoo", merchant: "M1") == all)
        #expect([all, own].calendar(of: "daybook-csv", merchant: nil) == all)
        #expect([own].calendar(of: "daybook-csv", merchant: "M2") == nil)
        #expect([all, own].calendar(of: "bridgepay", merchant: "M1") == nil)
    }

    // MARK: Exceptions

    private static func add(_ days: [String], of merchant: String, to planted: PlantedLedger) async throws -> UUID128 {
        let lines = days.map { "sale,USD,10.00,\($0),\(merchant),GW-\(merchant)-\($0)\n" }.joined()
        return try await planted.ledger.reconciliation.importer.import(
            StatementBytes(Array("type,currency,gross,day,merchant,processor_id\n\(lines)".utf8)),
            StatementImporter.Request(format: .daybookCSV),
            sender: PlantedLedger.sender
        ).id
    }

    /// The merchants and days of the open exceptions.
    private static func missing(_ planted: PlantedLedger) async throws -> [String] {
        var filter = ExceptionFilter()
        filter.exceptionClass = .missingStatement
        filter.isOpen = true
        let query = planted.ledger.reconciliation.exceptions
        let found = try await query.exceptions(of: "acme", matching: filter, limit: 100)
        #expect(found.allSatisfy { $0.state.amount == nil && $0.state.currency == nil && $0.line == nil })
        return found.map { "\($0.merchant ?? "all") \($0.day?.description ?? "")" }.sorted()
    }

    /// The late file clears the exception, and its withdrawal opens it again. Only a file of the merchant counts.
    @Test func aLateFileClearsTheExceptionUntilItIsWithdrawn() async throws {
        let clock = ManualClock(at: try Self.at("2026-03-05T06:00:00Z"))
        try await PlantedLedger.with(clock: clock) { planted in
            let calendars = ["M1", nil].map {
                ProcessorCalendar(processor: "daybook-csv", merchant: $0, begins: "2026-03-03")
            }
            try await planted.setRules(MatchingRules(calendars: calendars))
            // Nothing is asked for before the calendar begins.
            try await planted.reconcile()
            let first = ["M1 2026-03-03", "M1 2026-03-04", "all 2026-03-03", "all 2026-03-04"]
            #expect(try await Self.missing(planted) == first)
            _ = try await Self.add(["2026-03-03"], of: "M2", to: planted)
            try await planted.reconcile()
            #expect(try await Self.missing(planted) == ["M1 2026-03-03", "M1 2026-03-04", "all 2026-03-04"])
            // A file with lines before and after a day covers the day.
            let late = try await Self.add(["2026-03-02", "2026-03-05"], of: "M1", to: planted)
            try await planted.reconcile()
            #expect(try await Self.missing(planted) == [])
            // The same day is expected again, and the next ones by the clock alone.
            _ = try await planted.withdraw(late)
            clock.set(try Self.at("2026-03-06T05:59:59Z"))
            try await planted.reconcile()
            #expect(try await Self.missing(planted) == ["M1 2026-03-03", "M1 2026-03-04", "all 2026-03-04"])
            clock.set(try Self.at("2026-03-06T06:00:00Z"))
            let due = try await planted.reconcile().completion
            #expect(due.raised == 2 && due.cleared == 0)
            for isWhole in [false, true] {
                let again = try await planted.reconcile(whole: isWhole).completion
                #expect(again.raised + again.cleared == 0)
            }
            try await planted.setRules(MatchingRules())
            try await planted.reconcile()
            #expect(try await Self.missing(planted) == [])
        }
    }

    /// The calendar names the merchant as its app does, and the file as the processor does.
    @Test func aFileUnderAnotherNameOfTheMerchantCounts() async throws {
        let clock = ManualClock(at: try Self.at("2026-03-04T06:00:00Z"))
        try await PlantedLedger.with(clock: clock) { planted in
            let calendar = ProcessorCalendar(processor: "daybook-csv", merchant: "shop", begins: "2026-03-03")
            try await planted.setRules(MatchingRules(calendars: [calendar]))
            _ = try await Self.add(["2026-03-03"], of: "MID-1", to: planted)
            let before = try await planted.reconcile()
            #expect(try await Self.missing(planted) == ["shop 2026-03-03"])
            try await LinkedMerchantTests.link(planted, since: before.position)
            try await planted.reconcile()
            #expect(try await Self.missing(planted) == [])
        }
    }

    /// A day before those that every run examines stays missing until its file comes, and is missing again without it.
    @Test func anOldDayIsMissingUntilItsFileComes() async throws {
        let clock = ManualClock(at: try Self.at("2024-03-04T06:00:00Z"))
        try await PlantedLedger.with(clock: clock) { planted in
            var calendar = ProcessorCalendar(processor: "daybook-csv", begins: "2024-03-01", expectedDays: 0)
            try await planted.setRules(MatchingRules(calendars: [calendar]))
            try await planted.reconcile()
            #expect(try await Self.missing(planted) == ["all 2024-03-01", "all 2024-03-04"])
            // Every later day is a holiday.
            let next = try #require(CivilDate("2024-03-05")).daysSince1970
            calendar.holidays = (next..<next + 400).map { CivilDate(daysSince1970: $0).description }
            try await planted.setRules(MatchingRules(calendars: [calendar]))
            clock.set(try Self.at("2025-04-07T06:00:00Z"))
            for isWhole in [false, true] {
                try await planted.reconcile(whole: isWhole)
                #expect(try await Self.missing(planted) == ["all 2024-03-01", "all 2024-03-04"])
            }
            let late = try await Self.add(["2024-03-01"], of: "M1", to: planted)
            try await planted.reconcile()
            #expect(try await Self.missing(planted) == ["all 2024-03-04"])
            _ = try await planted.withdraw(late)
            for isWhole in [false, true] {
                try await planted.reconcile(whole: isWhole)
                #expect(try await Self.missing(planted) == ["all 2024-03-01", "all 2024-03-04"])
            }
            // What the calendar no longer expects is not missing, however old.
            calendar.begins = "2024-03-02"
            try await planted.setRules(MatchingRules(calendars: [calendar]))
            try await planted.reconcile()
            #expect(try await Self.missing(planted) == ["all 2024-03-04"])
        }
    }

    /// Another time by which the file is expected is no new evidence: a resolved exception stays resolved.
    @Test func aResolvedExceptionStaysResolved() async throws {
        let clock = ManualClock(at: try Self.at("2026-03-04T05:00:00Z"))
        try await PlantedLedger.with(clock: clock) { planted in
            var calendar = ProcessorCalendar(processor: "daybook-csv", begins: "2026-03-02")
            try await planted.setRules(MatchingRules(calendars: [calendar]))
            try await planted.reconcile()
            let found = try await planted.ledger.reconciliation.exceptions.exceptions(of: "acme", limit: 10)
            let exception = try #require(found.first)
            #expect(found.count == 1 && exception.exceptionClass == "missing-statement")
            _ = try await planted.ledger.reconciliation.exceptionCommands.act(
                .resolve(ExceptionResolution(.corrected, correction: "a day without sales")),
                on: exception.id,
                reason: "the shop was closed",
                sender: PlantedLedger.sender
            )
            _ = try await planted.approve(exception.id, by: PlantedLedger.approver)
            calendar.expectedAt = "04:00"
            try await planted.setRules(MatchingRules(calendars: [calendar]))
            let again = try await planted.reconcile().completion
            #expect(again.raised == 1 && again.cleared == 0)
            #expect(try await Self.missing(planted) == ["all 2026-03-03"])
        }
    }
}
