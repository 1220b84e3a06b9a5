import Access
import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections

extension WebConsole {
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
        let window = FormQuery(visit)["window"] ?? "\(DuplicateQuery.Filter().windowSeconds)"
        return try await listPage(
            Lists.duplicates,
            .duplicates,
            "duplicates",
            "Suspected duplicates",
            visit,
            filters: Self.duplicateFilters,
            values: { _ in ["window": .text(window)] },
            table: { (items: [DuplicateJSON]) in
                Table(
                    caption: "Suspected duplicates, newest first",
                    columns: ["Later", "Earlier", "Apart", "Amount#", "Card", "Status", "Merchant", "Terminal"],
                    rows: items.map { row($0, visit) },
                    whenEmpty: "No suspected duplicates found. If you set filters, change them."
                )
            }
        )
    }

    private func row(_ pair: DuplicateJSON, _ visit: Visit) -> [Cell] {
        func time(_ payment: DuplicateJSON.Payment) -> Cell {
            .time(payment.occurredAt, in: visit.zone, href: Address.transaction(payment.transaction.text))
        }
        let card = [pair.brand, pair.lastFour].compactMap(\.self).joined(separator: " ")
        return [
            time(pair.later), time(pair.earlier), Cell(Wording.age(pair.gapSeconds)), .money(pair.amount), Cell(card),
            .status(pair.later.status.rawValue), Cell(pair.merchant), Cell(pair.terminal),
        ]
    }
}
