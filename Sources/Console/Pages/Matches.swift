import Canonical
import HTTPEdge
import Ledger
import Operations
import Payments
import Projections

extension Console {
    /// The matches and the exceptions of a payment.
    ///
    /// - Parameter position: The last position of the log that counts; nil for now.
    func reconciled(_ payment: UUID128, at position: Int64?, _ visit: Visit) async throws -> PageValue {
        var asked = [(name: "transaction", value: payment.text)]
        if let position {
            _ = try await self.position(of: .position(position))
            asked.append((name: "as_of_position", value: "\(position)"))
        }
        func items(_ name: String, _ limit: Int) async throws -> (items: [JSONValue], hasMore: Bool) {
            guard let list = try LedgerList(named: name, filters: asked) else { throw Problem.notFound }
            let page = try await ledger.page(list, of: visit.tenant, after: nil, limit: limit)
            return (try page.items.map { try JSONValue(parsing: $0.utf8) }, page.next != nil)
        }
        let matches = try await items("matches", ConsoleView.matchesLimit)
        let exceptions = try await items("exceptions", ConsoleView.exceptionsLimit)
        return .members([
            "matches": matchTable(matches.items).value,
            "exceptions": exceptionTable(exceptions.items, "Exceptions of the payment", visit).value,
            "more": .given(matches.hasMore || exceptions.hasMore),
        ])
    }

    private func matchTable(_ matches: [JSONValue]) -> Table {
        Table(
            caption: "Matched lines of statements",
            columns: ["Statement", "Line#", "Day", "Movement", "Line amount#", "Ledger amount#", "Rule", "Event#"],
            rows: matches.map { match in
                let position = match["position"]?.int64 ?? 0
                return [
                    match["statement"]?.string.map { .code($0, href: Address.statement($0)) } ?? Cell(nil),
                    .number(match["number"]?.text), Cell(match["day"]?.string), .code(match["movement"]?.string),
                    .money(match["lineAmount"]), .money(match["ledgerAmount"]), .code(match["rule"]?.string),
                    .count(position, href: Address.event(position)),
                ]
            },
            whenEmpty: "No line of a statement is matched with it yet."
        )
    }
}
