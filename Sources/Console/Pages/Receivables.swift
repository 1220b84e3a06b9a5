import Access
import Canonical
import Composition
import HTTPEdge
import Journal
import Operations
import Payments

extension WebConsole {
    func addReceivables(to router: inout EdgeRouter<Principal>) {
        addPage(.receivables, needs: [.read], to: &router) { try await receivables($0) }
        addPage(.cashForecast, needs: [.read], to: &router) { try await cashForecast($0) }
    }

    private static let shared = [
        FilterField("processor", "Processor"), FilterField("merchant", "Merchant"), FilterField("currency", "Currency"),
    ]

    /// What processors owe, by age.
    private func receivables(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(
            Lists.receivables,
            .receivables,
            "receivables",
            "Receivables",
            visit,
            filters: FilterForm(
                action: ConsoleView.receivables.rawValue,
                fields: [FilterField("day", "As of", .day)] + Self.shared
            ),
            values: { ["day": .text($0.head["day"]?.string ?? "")] },
            table: Self.receivables
        )
    }

    private static func receivables(_ rows: [ReceivableJSON]) -> Table {
        Table(
            caption: "Receivables, by processor, merchant, currency and age",
            columns: ["Account", "Processor", "Merchant", "Age in days", "Since", "Due", "Amount#", "Payout"],
            rows: rows.map { row in
                [
                    Cell(Wording.sentence(row.account.rawValue)), Cell(row.processor), Cell(row.merchant),
                    Cell(row.age == .notDue ? "not due" : row.age.rawValue), Cell(row.since), Cell(row.due),
                    .money(row.amount), .code(row.line?.text),
                ]
            },
            whenEmpty: "No processor owes anything. If you set filters, change them."
        )
    }

    /// When deposits are expected.
    private func cashForecast(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(
            Lists.cashForecast,
            .cashForecast,
            "cashForecast",
            "Cash forecast",
            visit,
            filters: FilterForm(
                action: ConsoleView.cashForecast.rawValue,
                fields: [FilterField("day", "First day", .day), FilterField("days", "Days")] + Self.shared
            ),
            values: { document in
                func day(_ name: String) -> PageValue { .text(document.head[name]?.string ?? "") }
                return ["firstDay": day("first"), "lastDay": day("last")]
            },
            table: Self.deposits
        )
    }

    private static func deposits(_ rows: [ExpectedDepositJSON]) -> Table {
        Table(
            caption: "Expected deposits, by day, processor, merchant and currency",
            columns: ["Expected", "Day", "Processor", "Merchant", "Known from", "Amount#"],
            rows: rows.map { row in
                [
                    Cell(Wording.sentence(row.timing.rawValue)), Cell(row.day), Cell(row.processor), Cell(row.merchant),
                    Cell(Wording.sentence(row.source.rawValue)), .money(row.amount),
                ]
            },
            whenEmpty: "No deposit is expected. If you set filters, change them."
        )
    }
}
