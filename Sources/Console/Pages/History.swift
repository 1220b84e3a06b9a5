import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections
import Replay
import ReplayRules

extension WebConsole {
    /// A payment event by event: the state after each event, and the ruling on a resubmission by the rules of its day.
    func history(_ visit: Visit) async throws -> PageAnswer {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        let query = FormQuery(visit)
        let path = Address.history(id.text)
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let asked = try ReplayHistoryRequest(&reader)
        try reader.finish()
        guard let found = try await ledger.replayHistory(of: id, tenant: visit.tenant, asked) else {
            throw Problem.notFound
        }
        let steps = ReplayHistoryJSON(found, of: id).steps
        let hasOther = steps.contains { $0.whatIf != nil }
        return .page(
            Page(
                "history",
                "Step by step",
                [
                    "id": .text(id.text), "payment": .text(Address.transaction(id.text)),
                    "plans": .text(Address.path(ConsoleView.replays.rawValue, [("transaction", id.text)])),
                    "filters": historyFilters(path).value(query, visit.zone), "isNow": .given(asked.moment == nil),
                    "earlier": found.earlier > 0 ? "\(found.earlier)" : nil,
                    "table": Table(
                        caption: "Events of the payment, oldest first",
                        columns: ["Event#", "Recorded", "Event type", "Status", "Disposition", "Reason", "Until"]
                            + (hasOther ? ["What if", "Reason for that"] : [])
                            + [
                                "Evidence", "Instead", "In doubt", "Requested#", "Authorized#", "Captured#",
                                "Refunded#", "Actor",
                            ],
                        rows: steps.map { historyRow($0, hasOther, visit) },
                        whenEmpty: "No event was recorded by then. Choose a later time or position."
                    ).value,
                ]
            )
        )
    }

    private func historyFilters(_ path: String) -> FilterForm {
        FilterForm(
            action: path,
            fields: [
                FilterField("as_of", "Until the time", .time),
                FilterField("as_of_position", "Until the event", .digits, hint: "its position"),
                FilterField(
                    "operation",
                    "Operation",
                    .choice(ReplayOperation.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) }),
                    unset: "The payment itself"
                ),
                FilterField("what_if", "With other rules", hint: "rule=value, separated by ; such as wait.retry=7200"),
            ]
        )
    }

    private func historyRow(_ step: ReplayHistoryJSON.Step, _ hasOther: Bool, _ visit: Visit) -> [Cell] {
        let ruling = step.ruling
        let evidence = ruling.evidence.map { "\($0)" }.joined(separator: ", ")
        var cells: [Cell] = [
            .event(step.position), .time(step.at, in: visit.zone), Cell(Wording.sentence(step.type)),
            .status(step.state.status.rawValue), Wording.disposition(ruling.disposition),
            Cell(Wording.why(ruling.rule, ruling.explanation)), .time(ruling.until, in: visit.zone),
        ]
        if hasOther {
            cells += [
                step.whatIf.map { Wording.disposition($0.disposition) } ?? Cell(nil),
                Cell(step.whatIf.map { Wording.why($0.rule, $0.explanation) }),
            ]
        }
        return cells + [
            Cell(evidence.isEmpty ? nil : "event \(evidence)"), .name(ruling.instead),
            Cell(step.state.inDoubt ? "yes" : nil), .money(step.state.requested), .money(step.state.authorized),
            .money(step.state.captured), .money(step.state.refunded), .code(step.actor),
        ]
    }
}
