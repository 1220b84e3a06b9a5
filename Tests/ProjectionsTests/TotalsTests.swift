import Canonical
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

struct TotalsTests {
    private static let keys: [[TotalsKey]] = [
        [.currency], [.day], [.merchant, .day], [.terminal, .vendor], [.brand, .tender, .day], [.clerk],
        [.tipRecipient],
        [.type],
    ]

    /// Whatever the order of events: at every position, the totals equal a fresh fold of the log up to there.
    @Test(arguments: [11, 12] as [UInt64])
    func totalsOfEveryPrefixAreThoseOfAFreshFold(seed: UInt64) async throws {
        try await Following.with { following in
            var history = RandomHistory(SeededGenerator(seed: seed))
            try await history.record(160, in: following.log)
            try await following.catchUp(["batches", "portions"])
            let totals = TotalsQuery(pool: following.log.pool)
            let days = try #require(BusinessDay(zone: "+05:30", cutoff: "04:00"))
            let events = try await following.log.reader.events(after: 0, limit: 100_000)
            var fold = Fold()
            for event in events {
                try fold.take(event)
                let keys = Self.keys[Int(event.position) % Self.keys.count]
                let found = try await totals.totals(of: "acme", by: keys, days: days, at: event.position)
                #expect(Set(found) == fold.rows(of: "acme", by: keys, days), "at \(event.position)")
                #expect(Set(found.map(\.keys)).count == found.count, "one currency: no key comes twice")
                try await Self.expectBatches(following.batches, at: event.position, fold)
            }
            try await Self.expectChanges(following.batches, upTo: events.last?.position ?? 0)
            for tenant in ["acme", "other"] {
                let now = try await totals.totals(of: tenant, by: [.currency])
                let states = fold.states(of: tenant)
                let row = try #require(now.first)
                #expect(row.captured == states.reduce(0) { $0 + $1.captured })
                #expect(row.tips == states.reduce(0) { $0 + $1.tips })
                #expect(row.refunded == states.reduce(0) { $0 + $1.refunded })
                #expect(row.credited == states.reduce(0) { $0 + $1.credited })
                #expect(row.net == row.captured - row.refunded - row.credited)
                #expect(row.captured > 0, "the history moves no money")
                #expect(Set(row.portions.map(\.kind)) == Set(TotalsPortion.Kind.allCases))
            }
        }
    }

    /// The batches have the same nets as the fold, and no line is in two of them (I7).
    private static func expectBatches(_ query: BatchQuery, at position: Int64, _ fold: Fold) async throws {
        for (reference, members) in fold.batches(of: "acme") {
            let id = StreamName.batchID(reference, of: "acme")
            let view = try #require(try await query.batch(id, of: "acme", at: position))
            let net = members.reduce(Int64(0)) { sum, one in
                let left = one.amount - one.voided
                return one.type == .refund || one.type == .credit ? sum - left : sum + left
            }
            #expect(view.totals.reduce(0) { $0 + $1.net } == net, "\(reference.text) at \(position)")
            #expect(view.totals.reduce(0) { $0 + $1.voided } == members.reduce(0) { $0 + $1.voided })
            let lines = try await query.lines(of: id, tenant: "acme", at: position, limit: 1000)
            #expect(lines.count == members.count)
        }
    }

    /// The lines at one position with the changes to another equal the lines at the other.
    private static func expectChanges(_ query: BatchQuery, upTo end: Int64) async throws {
        struct Name: Hashable {
            var transaction: UUID128
            var line: String
        }
        let batches = try await query.batches(of: "acme", limit: 100)
        for (from, to) in [(0, end), (end / 3, end), (end / 3, end / 2), (end, end)] {
            for batch in batches {
                func lines(_ position: Int64) async throws -> [Name: BatchLine] {
                    let lines = try await query.lines(of: batch.id, tenant: "acme", at: position, limit: 1000)
                    return Dictionary(
                        uniqueKeysWithValues: lines.map { (Name(transaction: $0.transaction, line: $0.line), $0) }
                    )
                }
                var comparison = BatchComparison(from: from, to: to)
                comparison.batch = batch.id
                var patched = try await lines(from)
                for change in try await query.changes(of: "acme", comparison, limit: 1000) {
                    let name = Name(transaction: change.transaction, line: change.line)
                    #expect(patched[name] == change.before)
                    patched[name] = change.after
                }
                #expect(try await lines(to) == patched)
            }
        }
    }

    @Test func overflowIsAnError() async throws {
        try await Following.with { following in
            // A sale is approved and captured: both count towards its turnover.
            let most = TransactionState.turnoverLimit / 2
            for number in 0..<15 { try await following.log.record(Samples.sale(most), about: Samples.id(number)) }
            try await following.catchUp(["batches"])
            let totals = TotalsQuery(pool: following.log.pool)
            #expect(try await totals.totals(of: "acme", by: []).first?.captured == most * 15)
            try await following.log.record(Samples.sale(most), about: Samples.id(15))
            try await following.catchUp(["batches"])
            await #expect(throws: TotalsError.overflow) { try await totals.totals(of: "acme", by: []) }
        }
    }

    @Test func filtersSelectTheLinesThatCount() async throws {
        try await Following.with { following in
            let start = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)
            let first = Samples.sale(
                100,
                references: References(clerk: "ann", tipRecipient: "t1"),
                card: Samples.card("Visa", funding: "credit"),
                document: Samples.document(merchant: "m-1", terminal: "t-1")
            )
            let second = Samples.sale(
                1000,
                card: Samples.card("AMEX"),
                document: Samples.document(vendor: .bridgepay, merchant: "m-2", terminal: "t-2")
            )
            try await following.log.record(first, about: Samples.id(1), occurredAt: start)
            let later = start.adding(microseconds: 3_600_000_000)
            try await following.log.record(second, about: Samples.id(2), occurredAt: later)
            try await following.log.record(first, about: Samples.id(1), of: "other", occurredAt: start)
            try await following.catchUp(["batches"])
            let totals = TotalsQuery(pool: following.log.pool)
            let filters: [(String, Int64?, (inout TotalsFilter) -> Void)] = [
                ("none", 1100, { _ in }), ("from", 1000, { $0.occurredFrom = later }),
                ("before", 100, { $0.occurredBefore = later }), ("merchant", 100, { $0.merchant = "m-1" }),
                ("terminal", 1000, { $0.terminal = "t-2" }), ("vendor", 1000, { $0.vendor = .bridgepay }),
                ("currency", 1100, { $0.currency = "USD" }), ("no currency", nil, { $0.currency = "EUR" }),
                ("brand", 1000, { $0.cardBrand = "amex" }), ("tender", 100, { $0.tender = "credit" }),
                ("clerk", 100, { $0.clerk = "ann" }), ("quoted", nil, { $0.clerk = "' OR true --" }),
            ]
            for (name, expected, set) in filters {
                var filter = TotalsFilter()
                set(&filter)
                let found = try await totals.totals(of: "acme", by: [], matching: filter)
                #expect(found.first?.captured == expected, "\(name)")
            }
            let clerks = try await totals.totals(of: "acme", by: [.clerk])
            #expect(clerks.map(\.keys) == [["ann"], [nil]])
            let days = try #require(BusinessDay(zone: "+00:00", cutoff: "00:30"))
            let byDay = try await totals.totals(of: "acme", by: [.day], days: days)
            #expect(byDay.map(\.keys) == [["2025-12-31"], ["2026-01-01"]])
        }
    }

    /// This also holds when the approval is only known on the following day.
    @Test func aSaleCountsOnTheDayItWasMade() async throws {
        try await Following.with { following in
            let made = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)
            let found = made.adding(microseconds: 86_400_000_000)
            let resolution = Resolution(
                outcome: .approved,
                means: .statusQuery,
                amounts: Amounts(total: Samples.usd(700)),
                evidence: .gateway
            )
            let request = TransactionEvent.saleRequested(PaymentRequest(amounts: Amounts(total: Samples.usd(700))))
            let unknown = TransactionEvent.outcomeUnknown(Verdict(evidence: .reader, response: Response()))
            let capture = TransactionEvent.captured(Samples.capture(Capture.saleID, 700))
            for number in [1, 2] {
                let id = Samples.id(number)
                try await following.log.record([Samples.document(), request, unknown], about: id, occurredAt: made)
                try await following.log.record([.outcomeResolved(resolution)], about: id, occurredAt: found)
            }
            // For one of them, the sale's own document arrives even later.
            let late = found.adding(microseconds: 1)
            try await following.log.record([capture], about: Samples.id(2), occurredAt: late)
            try await following.catchUp(["batches"])
            let days = try await TotalsQuery(pool: following.log.pool).totals(of: "acme", by: [.day])
            #expect(days.map(\.keys) == [["2026-01-01"]] && days.first?.captured == 1400)
        }
    }

    @Test(arguments: [
        ("+00:00", "00:00", "2026-01-01T00:00:00Z", "2026-01-01"),
        ("+00:00", "00:00", "2025-12-31T23:59:59Z", "2025-12-31"),
        ("+01:00", "04:00", "2026-01-01T02:59:59Z", "2025-12-31"),
        ("+01:00", "04:00", "2026-01-01T03:00:00Z", "2026-01-01"),
        ("-05:30", "00:00", "2026-03-01T05:29:59Z", "2026-02-28"),
        (" 14:00", "23:59", "2026-01-01T12:00:00Z", "2026-01-01"),
        ("Z", "00:00", "2024-02-29T12:00:00Z", "2024-02-29"),
    ])
    func aBusinessDayBeginsAtItsCutoff(zone: String, cutoff: String, time: String, day: String) throws {
        let days = try #require(BusinessDay(zone: zone, cutoff: cutoff))
        #expect(days.day(of: try #require(Timestamp(rfc3339: time))) == day)
        #expect(BusinessDay(zone: days.zone.name, cutoff: days.cutoff) == days)
    }

    /// Clocks are put forward and back at many times of day; a day begins once, and every moment is in exactly one
    /// day.
    @Test(arguments: [
        ("Europe/Berlin", "2026-03-29", "00:00", 23), ("Europe/Berlin", "2026-10-25", "00:00", 25),
        ("Europe/Berlin", "2026-03-28", "02:30", 24), ("Europe/Berlin", "2026-03-29", "02:30", 23),
        ("Europe/Berlin", "2026-10-24", "02:30", 25), ("America/New_York", "2026-03-08", "00:00", 23),
        ("America/New_York", "2026-11-01", "04:00", 24), ("America/New_York", "2026-10-31", "04:00", 25),
        ("Africa/Cairo", "2026-04-24", "00:00", 23), ("Australia/Lord_Howe", "2026-07-01", "00:00", 24),
    ])
    func aDayHasTheLengthOfItsZone(zone: String, day: String, cutoff: String, hours: Int) throws {
        let days = try #require(BusinessDay(zone: zone, cutoff: cutoff))
        let (start, end) = try #require(days.interval(of: day))
        #expect(end.microseconds(since: start) == Int64(hours) * 3_600_000_000)
        let next = try #require(BusinessDay.day(1, after: day))
        #expect(days.interval(of: next)?.start == end)
        for (time, expected) in [
            (start, day), (end.adding(microseconds: -1), day), (end, next),
            (start.adding(microseconds: 12 * 3_600_000_000), day),
        ] { #expect(days.day(of: time) == expected, "\(time.rfc3339)") }
    }

    /// PostgreSQL computes the same day for every moment around every change of the clocks.
    @Test func daysAreTheSameInTheDatabase() async throws {
        try await Following.with(runs: false) { following in
            for zone in [
                "UTC", "+05:30", "-03:30", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo",
                "Pacific/Apia", "America/Sao_Paulo", "Europe/Dublin", "Asia/Kathmandu",
            ] {
                for cutoff in ["00:00", "02:30", "04:00", "23:59"] {
                    let days = try #require(BusinessDay(zone: zone, cutoff: cutoff))
                    let expression = days.expression(of: "t", zone: "$1", cutoff: "$2")
                    // Every 3 hours and 17 minutes of two years, and every 15 minutes around some days of change.
                    let rows = try await following.log.pool.query(
                        """
                        SELECT t, \(expression) FROM (
                            SELECT generate_series('2018-01-01Z'::timestamptz, '2019-12-31Z', '197 minutes')
                            UNION SELECT generate_series('2011-12-28Z'::timestamptz, '2012-01-01Z', '15 minutes')
                            UNION SELECT generate_series('2026-03-28Z'::timestamptz, '2026-03-30Z', '15 minutes')
                            UNION SELECT generate_series('2026-10-24Z'::timestamptz, '2026-11-02Z', '15 minutes')
                        ) s (t)
                        """,
                        [
                            days.zone.fixedSeconds.map(PostgresValue.int64) ?? .text(zone),
                            .int64(Int64(days.cutoffMinutes)),
                        ]
                    )
                    let wrong = try rows.filter { days.day(of: try $0.timestamp(0)) != (try $0.text(1)) }
                    let times = try wrong.prefix(3).map { try $0.timestamp(0).rfc3339 }
                    #expect(times.isEmpty, "\(zone) \(cutoff)")
                }
            }
        }
    }

    @Test(arguments: ["1:00", "+1:00", "+24:00", "+14:01", "+01:60", "01:00", "+0100", "", "z"])
    func unknownZonesAreRefused(zone: String) { #expect(BusinessDay(zone: zone) == nil) }

    @Test(arguments: ["24:00", "4:00", "04:60", "-1:00", "", "0400"])
    func invalidCutoffsAreRefused(cutoff: String) { #expect(BusinessDay(cutoff: cutoff) == nil) }
}

/// The payments of a log, folded event by event.
private struct Fold {
    private struct Name: Hashable {
        var tenant: String
        var stream: String
    }

    private var payments: [Name: TransactionState] = [:]

    mutating func take(_ event: RecordedEvent) throws {
        guard TransactionState.id(of: event.stream) != nil else { return }
        let data = try JSONValue(parsing: event.data.utf8)
        let fact = try TransactionEvent(type: event.type, schema: event.schema, data: data)
        let name = Name(tenant: event.tenant, stream: event.stream)
        payments[name, default: TransactionState()].fold(fact, at: event.occurredAt)
    }

    func states(of tenant: String) -> [TransactionState] { payments.filter { $0.key.tenant == tenant }.map(\.value) }

    func batches(of tenant: String) -> [BatchReference: [BatchMember]] {
        states(of: tenant).flatMap(BatchMember.members).reduce(into: [:]) { batches, member in
            if let batch = member.batch { batches[batch, default: []].append(member) }
        }
    }

    func rows(of tenant: String, by keys: [TotalsKey], _ days: BusinessDay) -> Set<TotalsRow> {
        var rows: [[String?]: TotalsRow] = [:]
        for member in states(of: tenant).flatMap(BatchMember.members) {
            let names = keys.map { member.value(of: $0, days) }
            var row = rows[names] ?? TotalsRow(keys: names, currency: member.currency)
            let left = member.amount - member.voided
            let counts: Int64 = left > 0 || member.amount == 0 ? 1 : 0
            switch member.type {
            case .sale, .capture:
                row.capturedCount += counts
                row.captured += left
                row.tips += min(member.tip, left)
                row.net += left
            case .refund:
                row.refundedCount += counts
                row.refunded += left
                row.net -= left
            case .credit:
                row.creditedCount += counts
                row.credited += left
                row.net -= left
            }
            row.voidedCount += member.voided > 0 ? 1 : 0
            row.voided += member.voided
            rows[names] = row
        }
        for state in states(of: tenant) {
            let members = BatchMember.members(of: state)
            for portion in Portion.portions(of: state) {
                let line = members.first { $0.line.storableKey == portion.line }
                guard let line, line.amount > line.voided else { continue }
                rows[keys.map { line.value(of: $0, days) }]?.add(portion)
            }
        }
        return Set(rows.values)
    }
}

extension TotalsRow {
    fileprivate mutating func add(_ portion: Portion) {
        let label = portion.label.isEmpty ? nil : portion.label
        if let index = portions.firstIndex(where: { $0.kind == portion.kind && $0.label == label }) {
            portions[index].amount += portion.amount
        } else {
            portions.append(TotalsPortion(portion.kind, label: label, amount: portion.amount))
        }
        portions.sort { ($0.kind.rawValue, $0.label ?? "") < ($1.kind.rawValue, $1.label ?? "") }
    }
}

extension BatchMember {
    fileprivate func value(of key: TotalsKey, _ days: BusinessDay) -> String? {
        switch key {
        case .day: days.day(of: at)
        case .merchant: merchant?.storable
        case .terminal: terminal?.storable
        case .brand: brand?.storable
        case .tender: tender?.storable
        case .clerk: clerk?.storable
        case .currency: currency.alpha
        case .vendor: batch?.vendor.rawValue
        case .tipRecipient: tipRecipient?.storable
        case .type: type.rawValue
        }
    }
}
