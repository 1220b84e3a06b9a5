import Access
import Canonical
import DaybookAPI
import HTTPEdge
import Ledger
import Payments
import Projections

extension Console {
    func addWorklists(to router: inout EdgeRouter<Principal>) {
        addPage(.inDoubt, needs: [.read], to: &router) { try await inDoubt($0) }
        addPage(.duplicates, needs: [.read], to: &router) { try await duplicates($0) }
    }

    private static let vendor = FilterField(
        "vendor",
        "Vendor",
        .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
    )
    private static let doubtFilters = FilterForm(
        action: "\(Address.root)/in-doubt",
        fields: [FilterField("merchant", "Merchant"), FilterField("terminal", "Terminal"), vendor]
    )
    private static let duplicateFilters = FilterForm(
        action: "\(Address.root)/duplicates",
        fields: [
            FilterField("from", "From", .time), FilterField("to", "Before", .time),
            FilterField("window", "Seconds between the two", .digits, hint: "300 unless given"),
            FilterField("merchant", "Merchant"), FilterField("terminal", "Terminal"), vendor,
        ]
    )

    /// What nobody can say yet, the oldest first.
    private func inDoubt(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = "\(Address.root)/in-doubt"
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: ConsoleView.inDoubt.pageSize)
        let cursor = try Cursor(&reader)
        let filter = try DoubtQuery.Filter(&reader)
        try reader.finish()
        let found = try await ledger.inDoubtPage(of: visit.tenant, matching: filter, after: cursor, limit: limit)
        let totals = Table(
            caption: "At stake in all that match",
            columns: ["Currency", "Payments#", "At stake#"],
            rows: found.totals.map { total in
                [
                    Cell(total.currency.alpha), .count(total.count),
                    .number(Money(total.value, total.currency).description),
                ]
            },
            whenEmpty: "Nothing is at stake."
        )
        let table = Table(
            caption: "Payments in doubt, the oldest first",
            columns: ["Since", "Age", "Status", "At stake#", "Merchant", "Terminal", "Vendor"],
            rows: found.items.map { item in
                [
                    .time(item.occurredAt, in: visit.zone, href: Address.transaction(item.transaction.description)),
                    Cell(Wording.age(found.now.microseconds(since: item.occurredAt) / 1_000_000)),
                    .status(item.status.rawValue), .number(item.value?.description), Cell(item.merchant),
                    Cell(item.terminal), Cell(item.vendor.map(Wording.vendor)),
                ]
            },
            whenEmpty: "Nothing is in doubt."
        )
        return .page(
            Page(
                "inDoubt",
                "In doubt",
                [
                    "isForward": true,
                    "filters": Self.doubtFilters.value(query, visit.zone), "totals": totals.value,
                    "table": table.value,
                    "next": found.next.map { .text(query.address(path, ["cursor": $0.text])) },
                    "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
                ]
            )
        )
    }

    /// Payments that may be one, charged twice.
    private func duplicates(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = "\(Address.root)/duplicates"
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: ConsoleView.duplicates.pageSize)
        let cursor = try Cursor(&reader)
        let filter = try DuplicateQuery.Filter(&reader)
        try reader.finish()
        let found = try await ledger.duplicatePage(of: visit.tenant, matching: filter, after: cursor, limit: limit)
        let table = Table(
            caption: "Pairs of payments that may be one, the newest first",
            columns: ["Later", "Earlier", "Apart", "Amount#", "Card", "Status", "Merchant", "Terminal"],
            rows: found.items.map { pair in
                let (later, earlier) = (pair.later, pair.earlier)
                let card = [pair.cardBrand, pair.lastFour].compactMap(\.self).joined(separator: " ")
                return [
                    .time(later.occurredAt, in: visit.zone, href: Address.transaction(later.transaction.description)),
                    .time(
                        earlier.occurredAt,
                        in: visit.zone,
                        href: Address.transaction(earlier.transaction.description)
                    ), Cell(Wording.age(later.occurredAt.microseconds(since: earlier.occurredAt) / 1_000_000)),
                    .number(pair.amount.description), Cell(card), .status(later.status.rawValue),
                    Cell(pair.merchant), Cell(pair.terminal),
                ]
            },
            whenEmpty: "No payment looks like another."
        )
        return .page(
            Page(
                "duplicates",
                "Duplicates suspected",
                [
                    "filters": Self.duplicateFilters.value(query, visit.zone), "table": table.value,
                    "window": "\(filter.windowSeconds)",
                    "next": found.next.map { .text(query.address(path, ["cursor": $0.text])) },
                    "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
                ]
            )
        )
    }
}
