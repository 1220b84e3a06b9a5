import Canonical
import Composition
import HTTPEdge
import Matching
import Operations
import Payments
import Projections
import Reconciliation

extension WebConsole {
    /// One run of the reconciliation: the events it covers, and its changes.
    func run(_ visit: Visit) async throws -> Page {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        try visit.query.finish()
        guard let found = try await ledger.reconciliation.reconciler.run(id, of: visit.tenant) else {
            throw Problem.notFound
        }
        func page(_ list: any LedgerList, _ filter: String, _ limit: Int) async throws -> ListDocument {
            let wanted = try list.request([(name: filter, value: id.text)])
            return try await ledger.page(wanted, of: visit.tenant, limit: limit)
        }
        let made = try await page(Lists.matches, "made_by", ConsoleView.matchesLimit)
        let ended = try await page(Lists.matches, "ended_by", ConsoleView.matchesLimit)
        let raised = try await page(Lists.exceptions, "raised_by", ConsoleView.exceptionsLimit)
        let cleared = try await page(Lists.exceptions, "cleared_by", ConsoleView.exceptionsLimit)
        let item = try RunJSON(found)
        return Page(
            "run",
            "Run of \(visit.zone.day(found.beganAt))",
            [
                "id": .text(id.text), "status": Self.status(ofRun: item).value,
                "input": input(item, visit).value, "changed": changed(item).value,
                "made": matchesOfRun(
                    try made.items(as: MatchJSON.self),
                    "Lines and payments that the run matched",
                    "The run matched nothing."
                ).value,
                "ended": matchesOfRun(
                    try ended.items(as: MatchJSON.self),
                    "Matches that the run ended",
                    "No earlier match was ended by this run."
                ).value,
                "raised": exceptionTable(
                    try raised.items(as: ExceptionJSON.self),
                    "Exceptions that the run raised, with their status now",
                    visit
                ).value,
                "cleared": exceptionTable(
                    try cleared.items(as: ExceptionJSON.self),
                    "Exceptions that the run cleared, with their status now",
                    visit
                ).value,
                "more": .given([made, ended, raised, cleared].contains { $0.next != nil }),
            ]
        )
    }

    private func input(_ run: RunJSON, _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Covers events up to", .count(run.covers))
        if run.since == 0 {
            facts.add("Scope", "everything")
        } else {
            facts.add("Only changes after event, and the rows they affect", .count(run.since))
        }
        facts.add("Newest day of a processor's lines", run.horizon)
        facts.add("Rules", .code(run.rules))
        facts.add("Began", .time(run.beganAt, in: visit.zone))
        facts.add("By", .code(run.beganBy))
        facts.add("Ended", .time(run.completedAt, in: visit.zone))
        facts.add("Recorded as failed", .time(run.failedAt, in: visit.zone))
        facts.add("Event of its beginning", .event(run.position))
        facts.add("Event of its end", .event(run.completedPosition))
        facts.add("Event of its failure", .event(run.failedPosition))
        return facts
    }

    private func changed(_ run: RunJSON) -> Facts {
        var facts = Facts()
        facts.add("Lines and payments matched", .count(run.matched))
        facts.add("No longer matched", .count(run.unmatched))
        facts.add("Deposits and payouts matched", .count(run.depositsMatched))
        facts.add("Deposits no longer matched", .count(run.depositsUnmatched))
        facts.add("Lines explained by posting rules", .count(run.posted))
        facts.add("No longer explained by them", .count(run.unposted))
        facts.add("Exceptions raised", .count(run.raised))
        facts.add("Exceptions cleared", .count(run.cleared))
        return facts
    }

    private static func status(ofRun run: RunJSON) -> Cell {
        switch run.status {
        case .running: .badge("Running", .caution)
        case .completed: .badge("Completed", .good)
        case .failed: .badge("Failed: \(run.failure?.rawValue ?? "")", .bad)
        case .cutOff: .badge("Cut off: no server runs it", .bad)
        }
    }

    private func matchesOfRun(_ matches: [MatchJSON], _ caption: String, _ whenEmpty: String) -> Table {
        Table(
            caption: caption,
            columns: [
                "Payment", "Movement", "Statement", "Line#", "Line amount#", "Ledger amount#", "Rule", "Until event#",
            ],
            rows: matches.map { match in
                [
                    .payment(match.transaction), .code(match.movement), .statement(match.statement),
                    .count(match.number), .money(match.lineAmount), .money(match.ledgerAmount), .code(match.rule),
                    match.endedPosition.map(Cell.event) ?? Cell("in effect"),
                ]
            },
            whenEmpty: whenEmpty
        )
    }

    func runTable(_ runs: [RunJSON], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: [
                "Began", "By", "Status", "Covers events up to#", "Matched#", "No longer matched#", "Raised#",
                "Cleared#", "Ended",
            ],
            rows: runs.map { run in
                [
                    .time(run.beganAt, in: visit.zone, href: Address.run(run.id.text)), .code(run.beganBy),
                    Self.status(ofRun: run), .count(run.covers), .count(run.matched), .count(run.unmatched),
                    .count(run.raised), .count(run.cleared), .time(run.completedAt, in: visit.zone),
                ]
            },
            whenEmpty: "No runs yet. Reconcile to make the first one."
        )
    }
}
