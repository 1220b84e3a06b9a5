import Access
import Canonical
import HTTPEdge
import Ledger
import Operations
import Payments
import Projections

extension Console {
    func addWorklists(to router: inout EdgeRouter<Principal>) {
        addPage(.duplicates, needs: [.read], to: &router) { try await duplicates($0) }
    }

    private static let vendor = FilterField(
        "vendor",
        "Vendor",
        .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
    )
    private static let duplicateFilters = FilterForm(
        action: "\(Address.root)/duplicates",
        fields: [
            FilterField("from", "From", .time), FilterField("to", "Before", .time),
            FilterField("window", "Seconds between the two", .digits, hint: "300 unless given"),
            FilterField("merchant", "Merchant"), FilterField("terminal", "Terminal"), vendor,
        ]
    )

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
            caption: "Suspected duplicates, newest first",
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
            whenEmpty: "No suspected duplicates found. If you set filters, change them."
        )
        return .page(
            Page(
                "duplicates",
                "Suspected duplicates",
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
