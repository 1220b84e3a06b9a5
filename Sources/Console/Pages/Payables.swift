import Access
import Canonical
import Composition
import HTTPEdge
import Operations
import Payments

extension WebConsole {
    func addPayables(to router: inout EdgeRouter<Principal>) {
        addPage(.tips, needs: [.read], to: &router) {
            try await payables(Lists.tips, .tips, "tips", by: "recipient", $0)
        }
        addPage(.taxes, needs: [.read], to: &router) {
            try await payables(Lists.taxes, .taxes, "taxes", by: "authority", $0)
        }
    }

    /// Tips or taxes that are owed.
    ///
    /// - Parameter part: The name of the parts of the account.
    private func payables(
        _ list: any LedgerList,
        _ view: ConsoleView,
        _ template: String,
        by part: String,
        _ visit: Visit
    ) async throws -> PageAnswer {
        let title = Wording.sentence(list.name)
        let query = FormQuery(visit)
        let keys = (query["by"] ?? part).split(separator: ",").map(String.init)
        func label(_ keys: [String]) -> String { Wording.sentence(keys.joined(separator: " and ")) }
        let choices = [[part, "day"], ["merchant", part], ["merchant"], ["day"]]
        let filters = FilterForm(
            action: view.rawValue,
            fields: [
                FilterField(
                    "by",
                    "By",
                    .choice(choices.map { ($0.joined(separator: ","), label($0)) }),
                    unset: Wording.sentence(part)
                ), FilterField(part, Wording.sentence(part)), FilterField("merchant", "Merchant"),
                FilterField("currency", "Currency"), FilterField("from_day", "First day", .day),
                FilterField("to_day", "Last day", .day),
            ] + FilterField.past
        )
        return try await listPage(
            list,
            view,
            template,
            title,
            visit,
            filters: filters,
            values: { document in
                let amounts = try document.items(as: PayableJSON.self).map { row in
                    (name: keys.map { row.name($0) ?? "–" }.joined(separator: ", "), amount: row.amount)
                }
                let chart = BarChart(title, by: label(keys), amounts, currency: query["currency"])
                return chart.map { ["chart": $0.value] } ?? [:]
            },
            table: { (rows: [PayableJSON]) in
                Table(
                    caption: "\(title) that are owed",
                    columns: keys.map(Wording.sentence) + ["Amount#"],
                    rows: rows.map { row in keys.map { Cell(row.name($0)) } + [Cell.money(row.amount)] },
                    whenEmpty: "Nothing is owed. If you set filters, change them."
                )
            }
        )
    }
}

extension PayableJSON {
    /// The value of a key, by the name of the filter.
    fileprivate func name(_ key: String) -> String? {
        switch key {
        case "recipient": recipient
        case "authority": authority
        case "merchant": merchant
        case "day": day
        default: nil
        }
    }
}
