import Canonical
import Operations
import Payments
import ReplayRules

extension WebConsole {
    func replayItemFilters(_ path: String) -> FilterForm {
        FilterForm(
            action: path,
            fields: [
                FilterField(
                    "disposition",
                    "Disposition",
                    .choice(Disposition.Name.allCases.map { ($0.rawValue, Wording.disposition($0).text) })
                ),
                FilterField(
                    "end",
                    "Result",
                    .choice(ReplayItemEnd.End.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
                ),
                FilterField(
                    "operation",
                    "Operation",
                    .choice(ReplayOperation.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
                ), FilterField("rule", "Rule"), FilterField("transaction", "Payment", hint: "its id"),
                FilterField(
                    "open",
                    "Still open",
                    .choice([("true", "To resubmit, and not ended"), ("false", "All others")])
                ),
            ]
        )
    }

    func replayItemTable(_ items: [ReplayItemJSON], of plan: ReplayJSON, _ visit: Visit) -> Table {
        Table(
            caption: "Items of the plan",
            columns: [
                "Item#", "Payment", "Operation", "Amount#", "Disposition", "Reason", "Until", "Evidence", "Instead",
                "Attempt", "Result", "Reason of the result", "Payment status",
            ],
            rows: items.map { item in
                let evidence = item.evidence.map { "\($0)" }.joined(separator: ", ")
                let end = item.end
                let reason = [end?.rule.map { Wording.why($0, end?.explanation) }, end?.detail]
                return [
                    .count(item.number), .payment(item.transaction), .name(item.operation), .money(item.amount),
                    Wording.disposition(item.disposition), Cell(Wording.why(item.rule, item.explanation)),
                    .time(item.until, in: visit.zone),
                    Cell(
                        evidence.isEmpty ? nil : "event \(evidence)",
                        href: Address.history(item.transaction.text, at: plan.covers)
                    ), .name(item.instead), .code(item.attempt?.reference),
                    end.map { Self.badge($0.end) } ?? Cell(nil),
                    Cell(reason.compactMap(\.self).joined(separator: "; ")), Self.payment(item),
                ]
            },
            whenEmpty: "No items found. If you set filters, change them."
        )
    }

    /// The status of the payment now; without an attempt also whether the payment has changed since the ruling.
    private static func payment(_ item: ReplayItemJSON) -> Cell {
        guard let payment = item.payment else { return Cell(nil) }
        let hasMoved = item.attempt == nil && item.end == nil && payment.version != item.version
        guard hasMoved else { return .status(payment.status.rawValue) }
        return .badge("\(Wording.sentence(payment.status.rawValue)), changed since", .caution)
    }
}
