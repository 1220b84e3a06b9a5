import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections

extension WebConsole {
    /// The matches and the exceptions of a payment.
    ///
    /// - Parameter position: The last position of the log that counts; nil for now.
    func reconciled(_ payment: UUID128, at position: Int64?, _ visit: Visit) async throws -> PageValue {
        var asked = [(name: "transaction", value: payment.text)]
        if let position { asked.append((name: "as_of_position", value: "\(position)")) }
        func page(_ list: any LedgerList, _ limit: Int) async throws -> ListDocument {
            try await ledger.page(try list.request(asked), of: visit.tenant, limit: limit)
        }
        let matches = try await page(Lists.matches, ConsoleView.matchesLimit)
        let exceptions = try await page(Lists.exceptions, ConsoleView.exceptionsLimit)
        let exceptionItems = try exceptions.items(as: ExceptionJSON.self)
        return .members([
            "matches": matchTable(try matches.items(as: MatchJSON.self)).value,
            "exceptions": exceptionTable(exceptionItems, "Exceptions of the payment", visit).value,
            "more": .given(matches.next != nil || exceptions.next != nil),
        ])
    }

    private func matchTable(_ matches: [MatchJSON]) -> Table {
        Table(
            caption: "Matched lines of statements",
            columns: ["Statement", "Line#", "Day", "Movement", "Line amount#", "Ledger amount#", "Rule", "Event#"],
            rows: matches.map { match in
                [
                    .statement(match.statement), .count(match.number), Cell(match.day), .code(match.movement),
                    .money(match.lineAmount), .money(match.ledgerAmount), .code(match.rule), .event(match.position),
                ]
            },
            whenEmpty: "No line of a statement is matched with it yet."
        )
    }
}
