import Access
import Canonical
import HTTPEdge
import Ledger
import Payments
import Projections

extension Console {
    /// Beyond this, a number of payments that want attention is given as "more than".
    private static let attentionLimit: Int64 = 1000

    func addToday(to router: inout EdgeRouter<Principal>) {
        addPage("/console", needs: [.read], to: &router) { visit in .page(try await today(visit)) }
    }

    private func today(_ visit: Visit) async throws -> Page {
        let query = FormQuery(visit)
        var reader = try query.reader()
        let chosen = try reader.value("day") { visit.zone.instant("\($0)T00:00") }
        try reader.finish()
        let start = chosen ?? visit.zone.startOfDay(visit.now)
        // Noon of the next day is in the next day, however long this one is.
        let end = visit.zone.startOfDay(start.adding(microseconds: 36 * 3_600_000_000))
        let before = visit.zone.startOfDay(start.adding(microseconds: -12 * 3_600_000_000))
        async let dayLines = DayQuery(pool: ledger.pool).lines(of: visit.tenant, from: start, to: end)
        async let attention = DayQuery(pool: ledger.pool).attention(of: visit.tenant, limit: Self.attentionLimit)
        async let open = ledger.batches.batches(of: visit.tenant, status: .open, limit: 11)
        async let models = ledger.readModels.positions()
        let lines = try await dayLines
        let (inDoubt, anomalous) = try await attention
        let lag = try await models.map(\.lag).max() ?? 0
        let range = [("from", visit.zone.fieldText(start)), ("to", visit.zone.fieldText(end))]
        var page = Page(
            "today",
            chosen == nil ? "Today" : "The day \(visit.zone.day(start))",
            [
                "day": .text(visit.zone.day(start)), "zone": .text(visit.zone.name),
                "earlier": .text(query.address(Address.root, ["day": visit.zone.day(before)])),
                "later": chosen == nil ? nil : .text(query.address(Address.root, ["day": visit.zone.day(end)])),
                "chart": DayChart(counts: Self.hours(lines, from: start, to: end, in: visit.zone)).value,
                "sums": sums(lines, range).value,
                "batches": batchTable(Array(try await open.prefix(10)), "Open batches, newest first", visit).value,
            ]
        )
        func tile(_ name: String, _ value: String, _ href: String, _ tone: Cell.Tone) -> PageValue {
            .members([
                "name": .text(name), "value": .text(value), "href": .text(href), "tone": .text(tone.rawValue),
            ])
        }
        func counted(_ number: Int64) -> String { number < Self.attentionLimit ? "\(number)" : "\(number) or more" }
        let list = "\(Address.root)/transactions"
        page.values["tiles"] = .list([
            tile("Payments of the day", "\(lines.reduce(0) { $0 + $1.count })", Address.path(list, range), .plain),
            tile("In doubt, all days", counted(inDoubt), "\(list)?in_doubt=true", inDoubt > 0 ? .caution : .good),
            tile(
                "Anomalous, all days",
                counted(anomalous),
                "\(Address.root)/anomalies",
                anomalous > 0 ? .caution : .good
            ),
            tile("Events not yet in the views", "\(lag)", "\(Address.root)/system", lag > 1000 ? .caution : .good),
        ])
        return page
    }

    private static func hours(
        _ lines: [DayQuery.Line],
        from start: Timestamp,
        to end: Timestamp,
        in zone: Zone
    ) -> [(hour: String, count: Int64)] {
        let length = max(1, Int((end.microseconds(since: start) + 3_599_999_999) / 3_600_000_000))
        var counts = (0..<length).map { hour in
            (hour: zone.hour(start.adding(microseconds: Int64(hour) * 3_600_000_000)), count: Int64(0))
        }
        for line in lines where counts.indices.contains(line.hour) { counts[line.hour].count += line.count }
        return counts
    }

    /// One row for each currency and status.
    private func sums(_ lines: [DayQuery.Line], _ range: [(String, String)]) -> Table {
        struct Key: Hashable {
            var currency: String?
            var status: String
        }
        var sums: [Key: (count: Int64, amount: Int64)] = [:]
        for line in lines {
            let sum = sums[Key(currency: line.currency, status: line.status)] ?? (0, 0)
            let (amount, isTooLarge) = sum.amount.addingReportingOverflow(line.amount)
            sums[Key(currency: line.currency, status: line.status)] = (
                sum.count + line.count, isTooLarge ? .max : amount
            )
        }
        let order = TransactionStatus.allCases.map(\.rawValue)
        let rows = sums.sorted { left, right in
            let (one, other) = (left.key.currency ?? "~", right.key.currency ?? "~")
            guard one == other else { return one < other }
            return (order.firstIndex(of: left.key.status) ?? 0) < (order.firstIndex(of: right.key.status) ?? 0)
        }
        return Table(
            caption: "Payments that began on this day, by currency and status",
            columns: ["Currency", "Status", "Payments#", "Amount#"],
            rows: rows.map { key, sum in
                var filters = range + [("status", key.status)]
                if let currency = key.currency { filters.append(("currency", currency)) }
                return [
                    Cell(key.currency ?? "not known"), .status(key.status),
                    .count(sum.count, href: Address.path("\(Address.root)/transactions", filters)),
                    .number(key.currency.map { Wording.money(sum.amount, $0) }),
                ]
            },
            whenEmpty: "No payment began on this day."
        )
    }
}
