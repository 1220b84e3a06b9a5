import Access
import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections
import Reconciliation

extension WebConsole {
    func addToday(to router: inout EdgeRouter<Principal>) {
        addPage(.day, needs: [.read], to: &router) { visit in .page(try await today(visit)) }
    }

    private func today(_ visit: Visit) async throws -> Page {
        let query = FormQuery(visit)
        var reader = try query.reader()
        let days = visit.merchant?.day ?? BusinessDay(zone: visit.zone)
        let chosen = try reader.value("day") { days.interval(of: $0) == nil ? nil : $0 }
        let merchant = try reader.text("merchant")
        try reader.finish()
        let day = chosen ?? days.day(of: visit.now)
        async let open = ledger.payments.batches.batches(
            of: visit.tenant,
            status: .open,
            limit: ConsoleView.openBatchLimit
        )
        async let models = ledger.readModels.positions()
        async let exceptions = openExceptions(of: visit.tenant, merchant)
        guard let found = try await ledger.day(day, of: visit.tenant, days, merchant: merchant) else {
            throw Problem.notFound
        }
        let lag = try await models.map(\.lag).max() ?? 0
        func link(_ distance: Int64) -> PageValue? {
            BusinessDay.day(distance, after: day).map { .text(query.address(Address.root, ["day": $0])) }
        }
        let range = Self.range(found)
        var page = Page(
            "today",
            chosen == nil ? "Today" : "Day \(day)",
            [
                "day": .text(day), "zone": .text(days.zone.name),
                "cutoff": days.cutoffMinutes == 0 ? nil : .text(days.cutoff), "earlier": link(-1),
                "later": chosen == nil ? nil : link(1), "chart": DayChart(counts: Self.hours(found)).value,
                "sums": sums(found, range).value,
                "batches": batchTable(try await open, "Open batches, newest first", visit).value,
            ]
        )
        page.values["tiles"] = .list(Self.tiles(found, try await exceptions, lag, range))
        page.place = ViewPlace(
            query: [("day", day), ("zone", days.zone.name), ("cutoff", days.cutoff)]
                + (merchant.map { [("merchant", $0)] } ?? []),
            tenant: visit.tenant
        )
        return page
    }

    /// The filters that find the payments of the day.
    static func range(_ found: DayAnswer) -> [(String, String)] {
        [("from", found.start.rfc3339), ("to", found.end.rfc3339)] + (found.merchant.map { [("merchant", $0)] } ?? [])
    }

    /// The number of open exceptions, up to the limit of a page.
    private func openExceptions(of tenant: String, _ merchant: String?) async throws -> (count: Int, hasMore: Bool) {
        var filter = ExceptionFilter()
        filter.isOpen = true
        filter.merchant = merchant
        let limit = ConsoleView.exceptionsLimit
        let found = try await ledger.reconciliation.exceptions.exceptions(
            of: tenant,
            matching: filter,
            limit: limit + 1
        ).count
        return (min(found, limit), found > limit)
    }

    private static func tiles(
        _ found: DayAnswer,
        _ exceptions: (count: Int, hasMore: Bool),
        _ lag: Int64,
        _ range: [(String, String)]
    ) -> [PageValue] {
        func tile(_ name: String, _ value: String, _ href: String, _ tone: Cell.Tone) -> PageValue {
            .members([
                "name": .text(name), "value": .text(value), "href": .text(href), "tone": .text(tone.rawValue),
            ])
        }
        func counted(_ attention: DaySummary.Attention) -> String {
            "\(attention.count)" + (attention.hasMore ? " or more" : "")
        }
        func tone(_ attention: DaySummary.Attention) -> Cell.Tone { attention.count > 0 ? .caution : .good }
        let merchant = found.merchant.map { [("merchant", $0)] } ?? []
        let (doubts, anomalies) = (found.summary.inDoubt, found.summary.openAnomalies)
        return [
            tile(
                "Payments of the day",
                "\(found.summary.lines.reduce(0) { $0 + $1.count })",
                Address.path("\(Address.root)/transactions", range),
                .plain
            ),
            tile(
                "In doubt, all days",
                counted(doubts),
                Address.path("\(Address.root)/doubts", merchant),
                tone(doubts)
            ),
            tile(
                "Open anomalies, all days",
                counted(anomalies),
                Address.path("\(Address.root)/anomalies", [("state", "open"), ("test", "false")] + merchant),
                tone(anomalies)
            ),
            tile(
                "Open exceptions, all days",
                "\(exceptions.count)" + (exceptions.hasMore ? " or more" : ""),
                Address.path(ConsoleView.exceptions.rawValue, merchant),
                exceptions.count > 0 ? .caution : .good
            ),
            tile(
                "Events not yet in the read models",
                "\(lag)",
                "\(Address.root)/system",
                lag > 1000 ? .caution : .good
            ),
        ]
    }

    private static func hours(_ found: DayAnswer) -> [(hour: String, count: Int64)] {
        found.summary.hours.enumerated().map { index, count in
            (found.days.zone.hour(found.start.adding(microseconds: Int64(index) * 3_600_000_000)), count)
        }
    }

    /// One row for each currency and status.
    func sums(_ found: DayAnswer, _ range: [(String, String)]) -> Table {
        let order = TransactionStatus.allCases.map(\.rawValue)
        let lines = found.summary.lines.sorted { left, right in
            let (one, other) = (left.currency ?? "~", right.currency ?? "~")
            guard one == other else { return one < other }
            return (order.firstIndex(of: left.status) ?? 0) < (order.firstIndex(of: right.status) ?? 0)
        }
        return Table(
            caption: "Payments that began on this day, by currency and status",
            columns: ["Currency", "Status", "Payments#", "Amount#"],
            rows: lines.map { line in
                var filters = range + [("status", line.status)]
                if let currency = line.currency { filters.append(("currency", currency)) }
                return [
                    Cell(line.currency ?? "unknown"), .status(line.status),
                    .count(line.count, href: Address.path("\(Address.root)/transactions", filters)),
                    .number(line.currency.map { Wording.money(line.amount, $0) }),
                ]
            },
            whenEmpty: "No payment began on this day."
        )
    }
}
