import Access
import Canonical
import Composition
import HTTPEdge
import Matching
import Operations
import Payments
import Projections

extension WebConsole {
    func addExceptions(to router: inout EdgeRouter<Principal>) {
        addPage(.exceptions, needs: [.read], to: &router) { try await exceptions($0) }
        addPage(.exception, needs: [.read], to: &router) { try await exception($0) }
        for action in ExceptionAction.names {
            addForm("/console/exceptions/{id}/\(action)", needs: .reconcile, to: &router) {
                try await act(action, $0, $1)
            }
        }
    }

    /// The value of the status filter that also shows resolved and cleared exceptions. It is not one of the API's.
    private static let everything = "all"

    private static let filters = FilterForm(
        action: ConsoleView.exceptions.rawValue,
        fields: [
            FilterField(
                "status",
                "Status",
                .choice(
                    ExceptionStatus.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) }
                        + [(everything, "Any, also resolved or cleared")]
                ),
                unset: "Open, assigned or proposed"
            ),
            FilterField(
                "class",
                "Class",
                .choice(ExceptionClass.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ), FilterField("assignee", "Assigned to"), FilterField("merchant", "Merchant"),
            FilterField("unattributed", "Belongs to", .choice([("true", "No merchant"), ("false", "A merchant")])),
            FilterField("terminal", "Terminal"), FilterField("currency", "Currency"),
            FilterField("from", "First day", .day), FilterField("to", "Last day", .day),
            FilterField("transaction", "Payment", hint: "its id"),
            FilterField("line", "Line", hint: "of a statement, its id"),
            FilterField("as_of", "As of", .time),
        ]
    )

    /// The worklist of exceptions: the open ones, unless a status is chosen.
    private func exceptions(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = ConsoleView.exceptions.rawValue
        guard query.isPlain else { return .redirect(query.address(path)) }
        var asked = query.exact.filter { $0.name != "status" || $0.value != Self.everything }
        if query["status"] == nil, query["open"] == nil { asked.append((name: "open", value: "true")) }
        var reader = try query.reader(dropping: ["status"])
        let limit = try reader.limit(default: ConsoleView.exceptions.pageSize)
        let cursor = try Cursor(&reader)
        let position = try await position(of: try Moment(&reader), goingOnAt: cursor)
        asked.removeAll { ["limit", "cursor", "as_of", "as_of_position"].contains($0.name) }
        if let position { asked.append((name: "as_of_position", value: "\(position)")) }
        let wanted = try Lists.exceptions.request(asked)
        let found = try await ledger.page(wanted, of: visit.tenant, after: cursor, limit: limit)
        var page = Page(
            "exceptions",
            "Exceptions",
            [
                "filters": Self.filters.value(query, visit.zone), "past": position.map { .text("\($0)") },
                "table": exceptionTable(
                    try found.items(as: ExceptionJSON.self),
                    "Exceptions, newest first",
                    visit
                ).value,
                "next": found.next.map { .text(query.address(path, ["cursor": $0.text])) },
                "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
            ]
        )
        page.place = visit.place
        page.place?.query = asked + query.exact.filter { $0.name == "limit" || $0.name == "cursor" }
        return .page(page)
    }

    func exceptionTable(_ exceptions: [ExceptionJSON], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: ["Class", "Status", "Day", "Amount#", "Subject", "Merchant", "Assigned to", "Age"],
            rows: exceptions.map { exception in
                [
                    Cell(Wording.sentence(exception.class.rawValue), href: Address.exception(exception.id.text)),
                    Self.badge(exception.status), Cell(exception.day), .money(exception.amount),
                    exception.transaction.map { Cell("payment", href: Address.transaction($0.text)) }
                        ?? exception.statement.map { Cell("statement", href: Address.statement($0.text)) }
                        ?? Cell(exception.line == nil ? exception.processor : "statement line"),
                    Cell(exception.merchant ?? "none"), Cell(exception.assignee),
                    Cell(exception.ageSeconds.map(Wording.age)),
                ]
            },
            whenEmpty: "No exceptions found. If you set filters, change them."
        )
    }

    static func badge(_ status: ExceptionStatus) -> Cell {
        let tone: Cell.Tone =
            switch status {
            case .open: .bad
            case .assigned, .proposed: .caution
            case .resolved, .cleared: .good
            }
        return .badge(Wording.sentence(status.rawValue), tone)
    }
}
