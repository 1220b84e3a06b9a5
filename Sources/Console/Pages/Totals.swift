import Access
import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections

extension WebConsole {
    func addTotals(to router: inout EdgeRouter<Principal>) {
        addPage(.totals, needs: [.read], to: &router) { try await totals($0) }
    }

    /// The keys of the page. A business day depends on a merchant, and has its own page.
    private static let keys: [TotalsKey] = [.merchant, .terminal, .brand, .tender, .clerk, .vendor]

    private static let filters = FilterForm(
        action: ConsoleView.totals.rawValue,
        fields: [
            FilterField(
                "by",
                "By",
                .choice(keys.map { ($0.rawValue, Wording.sentence($0.rawValue)) }),
                unset: "Currency"
            ),
            FilterField("from", "From", .time), FilterField("to", "Before", .time),
            FilterField("merchant", "Merchant"), FilterField("terminal", "Terminal"),
            FilterField(
                "vendor",
                "Vendor",
                .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
            ), FilterField("currency", "Currency"),
        ]
    )

    /// Sums of lines of money, with the taxes and health-care portions in them.
    private func totals(_ visit: Visit) async throws -> PageAnswer {
        let key = FormQuery(visit)["by"].flatMap(TotalsKey.init(rawValue:)).flatMap {
            Self.keys.contains($0) ? $0 : nil
        }
        return try await listPage(
            Lists.totals,
            .totals,
            "totals",
            "Totals",
            visit,
            filters: Self.filters,
            values: { ["portions": Self.portions(try $0.items(as: TotalsRowJSON.self), by: key).value] },
            table: { Self.sums($0, by: key) }
        )
    }

    private static func sums(_ rows: [TotalsRowJSON], by key: TotalsKey?) -> Table {
        Table(
            caption: "Captures, refunds and credits",
            columns: heading(key) + [
                "Currency", "Captured#", "Tips#", "Refunded#", "Credited#", "Voided#", "Net#",
            ],
            rows: rows.map { row in
                let money = row.first.second
                let sums = [money.captured, money.tip, money.refunded, money.credited, money.voided, money.net]
                return name(row, by: key) + [Cell(money.currency.alpha)] + sums.map(Cell.money)
            },
            whenEmpty: "No money moved. If you set filters, change them."
        )
    }

    private static func portions(_ rows: [TotalsRowJSON], by key: TotalsKey?) -> Table {
        Table(
            caption: "Taxes and health-care portions inside the captured amounts",
            columns: heading(key) + ["Kind", "Label", "Amount#"],
            rows: rows.flatMap { row in
                row.second.portions.map { portion in
                    name(row, by: key)
                        + [
                            Cell(Wording.sentence(portion.kind.rawValue)), Cell(portion.label), .money(portion.amount),
                        ]
                }
            },
            whenEmpty: "No taxes or health-care portions were reported."
        )
    }

    private static func heading(_ key: TotalsKey?) -> [String] { key.map { [Wording.sentence($0.rawValue)] } ?? [] }

    private static func name(_ row: TotalsRowJSON, by key: TotalsKey?) -> [Cell] {
        let keys = row.first.first
        switch key {
        case .merchant: return [Cell(keys.merchant)]
        case .terminal: return [Cell(keys.terminal)]
        case .brand: return [Cell(keys.brand)]
        case .tender: return [Cell(keys.tender)]
        case .clerk: return [Cell(keys.clerk)]
        case .vendor: return [Cell(keys.vendor.map(Wording.vendor))]
        case .day, .currency, .type, .tipRecipient, nil: return []
        }
    }
}
