import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Intake
import Operations
import Projections
import Replay
import ReplayRules

extension WebConsole {
    /// One plan: its rulings, its progress and the possible actions.
    func replay(_ visit: Visit) async throws -> PageAnswer {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        let query = FormQuery(visit)
        let path = Address.replay(id.text)
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: ConsoleView.replay.pageSize)
        let cursor = try Cursor(&reader)
        let filter = try ReplayItemFilter(&reader)
        try reader.finish()
        if let position = visit.request.fields[.looksOn].flatMap({ Int64($0) }) {
            let head = try await ledger.reader.head()
            for model in ["replays", "transactions"] {
                _ = try await ledger.readModels.wait(
                    for: model,
                    toReach: min(position, head),
                    timeout: ledger.waitLimit
                )
            }
        }
        guard let view = try await ledger.replay.plans.plan(id, of: visit.tenant) else { throw Problem.notFound }
        let plan = try ReplayJSON(view)
        let wanted = Lists.replayItems.request(ReplayItems(of: id, matching: filter))
        let found = try await ledger.page(wanted, of: visit.tenant, after: cursor, limit: limit)
        let items = try found.items(as: ReplayItemJSON.self)
        // The approver must see this.
        let movedOn = plan.status == .planned ? try await ledger.replay.plans.movedOn(in: id, of: visit.tenant) : 0
        return .page(
            Page(
                "replay",
                "Replay plan",
                [
                    "id": .text(id.text), "status": plan.badge(at: visit.now).value,
                    "worth": plan.worth.map(PageValue.text),
                    "warnings": .list(warnings(plan, movedOn, visit).map(PageValue.text)),
                    "facts": planFacts(plan, visit).value, "totals": totals(plan).value,
                    "progress": progress(plan), "ends": ends(plan)?.value,
                    "filters": replayItemFilters(path).value(query, visit.zone),
                    "table": replayItemTable(items, of: plan, visit).value, "isForward": true,
                    "next": found.next.map { .text(query.address(path, ["cursor": $0.text])) },
                    "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
                    "working": replayActions(plan, movedOn, visit),
                ]
            )
        )
    }

    // MARK: Rulings

    /// The reasons why the plan cannot be approved or executed now, in the words of the API.
    private func warnings(_ plan: ReplayJSON, _ movedOn: Int64, _ visit: Visit) -> [String] {
        var refusals: [ReplayRefusal] = []
        if plan.isExpired(at: visit.now) { refusals.append(.expired) }
        if movedOn > 0 { refusals.append(.movedOn) }
        if plan.status == .drafted { refusals.append(.incomplete) }
        if plan.status == .planned, plan.progress.toAttempt == 0 { refusals.append(.nothingToDo) }
        return refusals.map { [$0.title + ".", $0.detail].compactMap(\.self).joined(separator: " ") }
    }

    private func planFacts(_ plan: ReplayJSON, _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Reason", plan.reason)
        facts.add("Payments by filters", .code(plan.filter))
        facts.add("Payments by id", .number((plan.transactions?.count).map(String.init)))
        facts.add("Planned by", .code(plan.planner.words))
        facts.add("Planned", .time(plan.plannedAt, in: visit.zone))
        facts.add("Expires", .time(plan.expiresAt, in: visit.zone))
        facts.add("Covers events up to", .count(plan.covers))
        facts.add("Rules of", plan.book.day)
        facts.add("Edition of the rules", plan.book.edition)
        facts.add("Digest of the rules", .code(plan.book.digest))
        let overrides = plan.book.overrides
        facts.add("Overridden rules", .code(overrides.isEmpty ? nil : overrides.joined(separator: "; ")))
        facts.add("Approved by", .code(plan.approval?.approver.words))
        facts.add("Approved", .time(plan.approval?.at, in: visit.zone))
        facts.add("Reason of the approval", plan.approval?.reason)
        facts.add("Separate approver", plan.approval?.byPolicy == true ? "not required: the plan is small" : nil)
        facts.add("Last note", plan.note)
        facts.add("First event", .event(plan.firstPosition))
        facts.add("Newest event", .event(plan.lastPosition))
        facts.add("Version", .count(plan.version))
        return facts
    }

    private func totals(_ plan: ReplayJSON) -> Table {
        Table(
            caption: "Dispositions of the items",
            columns: ["Disposition", "Items#", "Amount#"],
            rows: plan.totals.map { [Wording.disposition($0.disposition), .count($0.count), .money($0.amount)] },
            whenEmpty: "No items."
        )
    }

    // MARK: Progress

    private func progress(_ plan: ReplayJSON) -> PageValue {
        let progress = plan.progress
        var facts = Facts()
        facts.add("To resubmit", .count(progress.toAttempt))
        facts.add("Attempted", .count(progress.attempted))
        facts.add("Ended", .count(progress.ended))
        facts.add("Still open", .count(progress.open))
        return .members([
            "facts": facts.value, "most": "\(progress.toAttempt)", "ended": "\(progress.ended)",
            "any": .given(progress.toAttempt > 0),
        ])
    }

    private func ends(_ plan: ReplayJSON) -> Table? {
        guard !plan.progress.ends.isEmpty else { return nil }
        return Table(
            caption: "Results of the items that have ended",
            columns: ["Result", "Items#"],
            rows: plan.progress.ends.map { [Self.badge($0.end), .count($0.count)] },
            whenEmpty: ""
        )
    }

    static func badge(_ end: ReplayItemEnd.End) -> Cell {
        let tone: Cell.Tone =
            switch end {
            case .posted, .alreadyPosted: .good
            case .declined: .bad
            case .movedOn, .needsPerson, .unknown: .caution
            }
        return .badge(Wording.sentence(end.rawValue), tone)
    }
}
