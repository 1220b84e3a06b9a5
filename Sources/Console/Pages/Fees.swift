import Access
import Canonical
import Composition
import HTTPEdge
import Journal
import Operations
import Payments

extension WebConsole {
    func addFees(to router: inout EdgeRouter<Principal>) {
        addPage(.fees, needs: [.read], to: &router) { try await fees($0) }
    }

    private static let filters = FilterForm(
        action: ConsoleView.fees.rawValue,
        fields: [
            FilterField("merchant", "Merchant"), FilterField("processor", "Processor"), FilterField("brand", "Brand"),
            FilterField("component", "Component"), FilterField("currency", "Currency"),
            FilterField("from_day", "First day", .day), FilterField("to_day", "Last day", .day),
        ] + FilterField.past
    )

    /// What processors charged, against their contracts.
    private func fees(_ visit: Visit) async throws -> PageAnswer {
        let currency = FormQuery(visit)["currency"]
        return try await listPage(
            Lists.fees,
            .fees,
            "fees",
            "Fees",
            visit,
            filters: Self.filters,
            values: { document in
                let amounts = try document.items(as: FeeChargeJSON.self).map { row in
                    (name: row.component ?? "–", amount: row.amount)
                }
                let chart = BarChart("Fees by component", by: "Component", amounts, currency: currency)
                return chart.map { ["chart": $0.value] } ?? [:]
            },
            table: Self.fees
        )
    }

    private static func fees(_ rows: [FeeChargeJSON]) -> Table {
        Table(
            caption: "Fees, by merchant, processor, brand, component and currency",
            columns: [
                "Merchant", "Processor", "Brand", "Component", "Charged in", "Lines#", "Volume#", "Amount#",
                "Basis points#", "Contract", "Expected#", "Difference#",
            ],
            rows: rows.map { row in
                [
                    Cell(row.merchant), Cell(row.processor), Cell(row.brand), Cell(row.component),
                    Cell(Wording.sentence(row.source.rawValue)), .count(row.lines), .money(row.volume),
                    .money(row.amount), .number(row.basisPointHundredths.map(Wording.basisPoints(hundredths:))),
                    contract(row), .money(row.expected), .money(row.difference),
                ]
            },
            whenEmpty: "Nothing was charged. If you set filters, change them."
        )
    }

    /// The prices of a row's contract.
    private static func contract(_ row: FeeChargeJSON) -> Cell {
        guard let contract = row.contract else { return Cell("no contract") }
        let share = "\(Wording.basisPoints(hundredths: contract.basisPointHundredths)) basis points"
        let fixed = contract.fixed == 0 ? "" : " and \(Money(contract.fixed, row.amount.currency)) a line"
        return Cell("\(share)\(fixed) since \(contract.begins)")
    }
}
