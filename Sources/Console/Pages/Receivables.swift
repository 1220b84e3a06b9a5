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
                fields: [FilterField("day", "As of", .day)] + Self.shared + FilterField.past
            ),
            values: { document in
                var values: [String: PageValue] = ["day": .text(document.head["day"]?.string ?? "")]
                let rows = try document.items(as: ReceivableJSON.self)
                values["chart"] = Self.ages(of: rows, currency: FormQuery(visit)["currency"])?.value
                return values
            },
            table: Self.receivables
        )
    }

    private static func ages(of rows: [ReceivableJSON], currency: String?) -> BarChart? {
        let amounts = ReceivableAge.allCases.flatMap { age in
            rows.filter { $0.age == age }.map { (name: name(of: age), amount: $0.amount) }
        }
        return BarChart("Receivables by age in days", by: "Age in days", amounts, currency: currency)
    }

    private static func name(of age: ReceivableAge) -> String { age == .notDue ? "not due" : age.rawValue }

    private static func receivables(_ rows: [ReceivableJSON]) -> Table {
        Table(
            caption: "Receivables, by processor, merchant, currency and age",
            columns: ["Account", "Processor", "Merchant", "Age in days", "Since", "Due", "Amount#", "Payout"],
            rows: rows.map { row in
                [
                    Cell(Wording.sentence(row.account.rawValue)), Cell(row.processor), Cell(row.merchant),
                    Cell(name(of: row.age)), Cell(row.since), Cell(row.due),
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
                var values = ["firstDay": day("first"), "lastDay": day("last")]
                let rows = try document.items(as: ExpectedDepositJSON.self)
                values["chart"] = Self.days(of: rows, currency: FormQuery(visit)["currency"])?.value
                return values
            },
            table: Self.deposits
        )
    }

    /// The days in their order, after what is overdue and before what is later or undated.
    private static func days(of rows: [ExpectedDepositJSON], currency: String?) -> BarChart? {
        let amounts = rows.map { row in
            let day = row.timing == .expected ? row.day : nil
            return (name: day ?? Wording.sentence(row.timing.rawValue), amount: row.amount)
        }
        return BarChart("Expected deposits by day", by: "Day", amounts, currency: currency)
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
