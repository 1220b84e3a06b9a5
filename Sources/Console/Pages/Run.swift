import Canonical
import HTTPEdge
import Ledger
import Operations
import Payments
import Projections
import Reconciliation

extension Console {
    /// One run of the reconciliation: the events it covers, and its changes.
    func run(_ visit: Visit) async throws -> Page {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        try visit.query.finish()
        guard let found = try await ledger.reconciler.run(id, of: visit.tenant) else { throw Problem.notFound }
        func reported(_ name: String, _ filter: String, _ limit: Int) async throws -> (
            items: [JSONValue], hasMore: Bool
        ) {
            guard let list = try LedgerList(named: name, filters: [(name: filter, value: id.text)]) else {
                throw Problem.notFound
            }
            let page = try await ledger.page(list, of: visit.tenant, after: nil, limit: limit)
            return (try page.items.map { try JSONValue(parsing: $0.utf8) }, page.next != nil)
        }
        let made = try await reported("matches", "made_by", ConsoleView.matchesLimit)
        let ended = try await reported("matches", "ended_by", ConsoleView.matchesLimit)
        let raised = try await reported("exceptions", "raised_by", ConsoleView.exceptionsLimit)
        let cleared = try await reported("exceptions", "cleared_by", ConsoleView.exceptionsLimit)
        let item = found.json
        return Page(
            "run",
            "Run of \(visit.zone.day(found.beganAt))",
            [
                "id": .text(id.text), "status": Self.status(ofRun: item).value,
                "input": input(item, visit).value, "changed": changed(item).value,
                "made": matchesOfRun(made.items, "Lines and payments that the run matched", "The run matched nothing.")
                    .value,
                "ended": matchesOfRun(ended.items, "Matches that the run ended", "The run ended no match.").value,
                "raised": exceptionTable(raised.items, "Exceptions that the run raised, with their status now", visit)
                    .value,
                "cleared": exceptionTable(
                    cleared.items,
                    "Exceptions that the run cleared, with their status now",
                    visit
                ).value,
                "more": .given(made.hasMore || ended.hasMore || raised.hasMore || cleared.hasMore),
            ]
        )
    }

    private func input(_ item: JSONValue, _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Covers events up to", .number(item["covers"]?.text))
        if item["since"]?.int64 == 0 {
            facts.add("Scope", "everything")
        } else {
            facts.add("Only changes after event, and the rows they affect", .number(item["since"]?.text))
        }
        facts.add("Newest day of a processor's lines", item["horizon"]?.string)
        facts.add("Rules", .code(item["rules"]?.string))
        facts.add("Began", .time(item["beganAt"], in: visit.zone))
        facts.add("By", .code(item["beganBy"]?.string))
        facts.add("Ended", .time(item["completedAt"], in: visit.zone))
        facts.add("Recorded as failed", .time(item["failedAt"], in: visit.zone))
        for (member, label) in [
            ("position", "Event of its beginning"), ("completedPosition", "Event of its end"),
            ("failedPosition", "Event of its failure"),
        ] {
            guard let position = item[member]?.int64 else { continue }
            facts.add(label, .count(position, href: Address.event(position)))
        }
        return facts
    }

    private func changed(_ item: JSONValue) -> Facts {
        var facts = Facts()
        for (member, label) in [
            ("matched", "Lines and payments matched"), ("unmatched", "No longer matched"),
            ("depositsMatched", "Deposits and payouts matched"), ("depositsUnmatched", "Deposits no longer matched"),
            ("raised", "Exceptions raised"), ("cleared", "Exceptions cleared"),
        ] {
            facts.add(label, .number(item[member]?.text))
        }
        return facts
    }

    private static func status(ofRun item: JSONValue) -> Cell {
        switch item["status"]?.string {
        case "completed": .badge("Completed", .good)
        case "failed": .badge("Failed: \(item["failure"]?.string ?? "")", .bad)
        case "cut-off": .badge("Cut off: no server runs it", .bad)
        default: .badge("Running", .caution)
        }
    }

    private func matchesOfRun(_ matches: [JSONValue], _ caption: String, _ whenEmpty: String) -> Table {
        Table(
            caption: caption,
            columns: [
                "Payment", "Movement", "Statement", "Line#", "Line amount#", "Ledger amount#", "Rule", "Until event#",
            ],
            rows: matches.map { match in
                let payment = match["transaction"]?.string ?? ""
                return [
                    .code(payment, href: Address.transaction(payment)), .code(match["movement"]?.string),
                    match["statement"]?.string.map { .code($0, href: Address.statement($0)) } ?? Cell(nil),
                    .number(match["number"]?.text), .money(match["lineAmount"]), .money(match["ledgerAmount"]),
                    .code(match["rule"]?.string),
                    match["endedPosition"]?.int64.map { .count($0, href: Address.event($0)) } ?? Cell("in effect"),
                ]
            },
            whenEmpty: whenEmpty
        )
    }

    /// - Parameter items: As the API returns them.
    func runTable(_ items: [JSONValue], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: [
                "Began", "By", "Status", "Covers events up to#", "Matched#", "No longer matched#", "Raised#",
                "Cleared#",
                "Ended",
            ],
            rows: items.map { run in
                var cells: [Cell] = [
                    .time(run["beganAt"], in: visit.zone, href: Address.run(run["id"]?.string ?? "")),
                    .code(run["beganBy"]?.string), Self.status(ofRun: run),
                ]
                cells += ["covers", "matched", "unmatched", "raised", "cleared"].map { .number(run[$0]?.text) }
                cells.append(.time(run["completedAt"], in: visit.zone))
                return cells
            },
            whenEmpty: "No runs yet. Reconcile to make the first one."
        )
    }
}
