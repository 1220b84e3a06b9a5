import Access
import Canonical
import EventLog
import HTTPEdge
import HTTPTypes
import Intake
import Ledger
import Operations
import Projections
import Replay
import ReplayRules

extension Console {
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
        guard let view = try await ledger.replays.plan(id, of: visit.tenant) else { throw Problem.notFound }
        let plan = try view.json()
        let found = try await ledger.page(.replayItems(id, filter), of: visit.tenant, after: cursor, limit: limit)
        let items = try found.items.map { try JSONValue(parsing: $0.utf8) }
        // The approver must see this.
        let movedOn = view.status == .planned ? try await ledger.replays.movedOn(in: id, of: visit.tenant) : 0
        return .page(
            Page(
                "replay",
                "Replay plan",
                [
                    "id": .text(id.text), "status": Self.stand(ofPlan: plan, at: visit.now).value,
                    "worth": Self.worth(of: plan).map(PageValue.text),
                    "warnings": .list(warnings(view, plan, movedOn, visit).map(PageValue.text)),
                    "facts": planFacts(plan, visit).value, "totals": totals(plan).value,
                    "progress": progress(plan), "ends": ends(plan)?.value,
                    "filters": itemFilters(path).value(query, visit.zone),
                    "table": itemTable(items, plan, visit).value, "isForward": true,
                    "next": found.next.map { .text(query.address(path, ["cursor": $0.text])) },
                    "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
                    "working": deciding(view, plan, movedOn, visit),
                ]
            )
        )
    }

    // MARK: Rulings

    /// The reasons why the plan cannot be approved or executed now, in the words of the API.
    private func warnings(_ view: ReplayView, _ plan: JSONValue, _ movedOn: Int64, _ visit: Visit) -> [String] {
        var refusals: [ReplayRefusal] = []
        if Self.isExpired(plan, at: visit.now) { refusals.append(.expired) }
        if movedOn > 0 { refusals.append(.movedOn) }
        if view.status == .drafted { refusals.append(.incomplete) }
        if view.status == .planned, view.actionable == 0 { refusals.append(.nothingToDo) }
        return refusals.map { [$0.title + ".", $0.detail].compactMap(\.self).joined(separator: " ") }
    }

    private func planFacts(_ plan: JSONValue, _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Reason", plan["reason"]?.string)
        facts.add("Payments by filters", .code(plan["filter"]?.string))
        facts.add("Payments by id", .number((plan["transactions"]?.array?.count).map(String.init)))
        facts.add("Planned by", .code(Self.name(of: plan["planner"])))
        facts.add("Planned", .time(plan["plannedAt"], in: visit.zone))
        facts.add("Expires", .time(plan["expiresAt"], in: visit.zone))
        facts.add("Covers events up to", .number(plan["covers"]?.text))
        facts.add("Rules of", plan["book"]?["day"]?.string)
        facts.add("Edition of the rules", plan["book"]?["edition"]?.string)
        facts.add("Digest of the rules", .code(plan["book"]?["digest"]?.string))
        let others = (plan["book"]?["overrides"]?.array ?? []).compactMap(\.string)
        facts.add("Overridden rules", .code(others.isEmpty ? nil : others.joined(separator: "; ")))
        let approval = plan["approval"]
        facts.add("Approved by", .code(Self.name(of: approval?["approver"])))
        facts.add("Approved", .time(approval?["at"], in: visit.zone))
        facts.add("Reason of the approval", approval?["reason"]?.string)
        facts.add("Separate approver", approval?["byPolicy"] == true ? "not required: the plan is small" : nil)
        facts.add("Last note", plan["note"]?.string)
        for (member, label) in [("firstPosition", "First event"), ("lastPosition", "Newest event")] {
            guard let position = plan[member]?.int64 else { continue }
            facts.add(label, .count(position, href: Address.event(position)))
        }
        facts.add("Version", .number(plan["version"]?.text))
        return facts
    }

    private func totals(_ plan: JSONValue) -> Table {
        Table(
            caption: "Dispositions of the items",
            columns: ["Disposition", "Items#", "Amount#"],
            rows: (plan["totals"]?.array ?? []).map { total in
                [
                    Wording.disposition(total["disposition"]?.string), .number(total["count"]?.text),
                    .money(total["amount"]),
                ]
            },
            whenEmpty: "No items."
        )
    }

    // MARK: Progress

    private func progress(_ plan: JSONValue) -> PageValue {
        let progress = plan["progress"]
        func text(_ name: String) -> PageValue { .text(progress?[name]?.text ?? "0") }
        var facts = Facts()
        for (name, label) in [
            ("toAttempt", "To resubmit"), ("attempted", "Attempted"), ("ended", "Ended"), ("open", "Still open"),
        ] { facts.add(label, .number(progress?[name]?.text)) }
        return .members([
            "facts": facts.value, "most": text("toAttempt"), "ended": text("ended"),
            "any": .given(progress?["toAttempt"]?.int64 ?? 0 > 0),
        ])
    }

    private func ends(_ plan: JSONValue) -> Table? {
        let ends = plan["progress"]?["ends"]?.array ?? []
        guard !ends.isEmpty else { return nil }
        return Table(
            caption: "Results of the items that have ended",
            columns: ["Result", "Items#"],
            rows: ends.map { [Self.end($0["end"]?.string), .number($0["count"]?.text)] },
            whenEmpty: ""
        )
    }

    private static func end(_ name: String?) -> Cell {
        guard let name, let end = ReplayItemEnd.End(rawValue: name) else { return Cell(nil) }
        let tone: Cell.Tone =
            switch end {
            case .posted, .alreadyPosted: .good
            case .declined: .bad
            case .movedOn, .needsPerson, .unknown: .caution
            }
        return .badge(Wording.sentence(name), tone)
    }

    // MARK: Items

    private func itemFilters(_ path: String) -> FilterForm {
        FilterForm(
            action: path,
            fields: [
                FilterField(
                    "disposition",
                    "Disposition",
                    .choice(Disposition.Name.allCases.map { ($0.rawValue, Wording.disposition($0.rawValue).text) })
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

    private func itemTable(_ items: [JSONValue], _ plan: JSONValue, _ visit: Visit) -> Table {
        Table(
            caption: "Items of the plan",
            columns: [
                "Item#", "Payment", "Operation", "Amount#", "Disposition", "Reason", "Until", "Evidence", "Instead",
                "Attempt", "Result", "Reason of the result", "Payment status",
            ],
            rows: items.map { item in
                let payment = item["transaction"]?.string ?? ""
                let evidence = (item["evidence"]?.array ?? []).map(\.text).joined(separator: ", ")
                let end = item["end"]
                return [
                    .number(item["number"]?.text), .code(payment, href: Address.transaction(payment)),
                    Cell(item["operation"]?.string.map(Wording.sentence)), .money(item["amount"]),
                    Wording.disposition(item["disposition"]?.string), Cell(Wording.why(item)),
                    .time(item["until"], in: visit.zone),
                    Cell(
                        evidence.isEmpty ? nil : "event \(evidence)",
                        href: Address.history(payment, at: plan["covers"]?.int64)
                    ), Cell(item["instead"]?.string.map(Wording.sentence)),
                    .code(item["attempt"]?["reference"]?.string),
                    Self.end(end?["end"]?.string),
                    Cell([Wording.why(end), end?["detail"]?.string].compactMap(\.self).joined(separator: "; ")),
                    Self.payment(item),
                ]
            },
            whenEmpty: "No items found. If you set filters, change them."
        )
    }

    /// The status of the payment now; without an attempt also whether the payment has changed since the ruling.
    private static func payment(_ item: JSONValue) -> Cell {
        guard let payment = item["payment"] else { return Cell(nil) }
        let hasMoved = item["attempt"] == nil && item["end"] == nil && payment["version"] != item["version"]
        guard hasMoved, let status = payment["status"]?.string else { return .status(payment["status"]?.string) }
        return .badge("\(Wording.sentence(status)), changed since", .caution)
    }

    // MARK: Actions

    /// An action that is possible now, with the texts of its form.
    private struct Step {
        var action: String
        var title: String
        var label: String
        var button: String
        /// Whether the action is refused if the plan has changed since the page was shown. The other actions do not set
        /// it, because the items of a running plan end all the time.
        var keepsVersion = false

        static let approve = Step(
            action: "approve",
            title: "Approval",
            label: "Reason",
            button: "Approve",
            keepsVersion: true
        )
        static let reject = Step(
            action: "reject",
            title: "Rejection",
            label: "Reason",
            button: "Reject",
            keepsVersion: true
        )
        static let start = Step(action: "start", title: "Start", label: "Reason", button: "Start")
        static let pause = Step(
            action: "pause",
            title: "Pause: no further items for now",
            label: "Reason",
            button: "Pause"
        )
        static let resume = Step(action: "resume", title: "Resumption", label: "Reason", button: "Resume")
        static let stop = Step(
            action: "stop",
            title: "Stop: no further items, for good",
            label: "Reason",
            button: "Stop"
        )
    }

    /// The forms of the possible actions, with the reason against an approval, or the scopes that they need.
    private func deciding(_ view: ReplayView, _ plan: JSONValue, _ movedOn: Int64, _ visit: Visit) -> PageValue? {
        guard !view.status.isOver else { return nil }
        guard visit.may(.decideReplays) else {
            return .members(["scopes": .text(Permission.decideReplays.scopeNames)])
        }
        var refusal: ReplayRefusal?
        let isExpired = Self.isExpired(plan, at: visit.now)
        var steps: [Step] = []
        switch view.status {
        case .drafted: steps = [.reject]
        case .planned:
            refusal = approval(plan, visit)
            if refusal == nil, !isExpired, movedOn == 0, view.actionable > 0 { steps.append(.approve) }
            steps.append(.reject)
        case .approved: steps = isExpired ? [.stop] : [.start, .stop]
        case .running: steps = [.pause, .stop]
        case .paused: steps = isExpired ? [.stop] : [.resume, .stop]
        case .rejected, .stopped, .completed: break
        }
        return .members([
            "refusal": (refusal?.detail).map { .text("\(refusal?.title ?? ""). \($0)") },
            "forms": .members([
                "path": .text(Address.replay(view.id.text)), "token": .text(visit.token.formToken),
                "once": .text(ledger.ids.next().text), "longest": "\(Reason.mostBytes)",
                "steps": .list(
                    steps.map { step in
                        .members([
                            "action": .text(step.action), "title": .text(step.title), "label": .text(step.label),
                            "button": .text(step.button), "version": step.keepsVersion ? "\(view.version)" : nil,
                        ])
                    }
                ),
            ]),
        ])
    }

    /// The reason why the operator cannot approve the plan. Nil if they can, or if that is not certain: a small plan
    /// needs no separate approver.
    private func approval(_ plan: JSONValue, _ visit: Visit) -> ReplayRefusal? {
        let authority = authority(visit)
        if ledger.approvesSmallReplays, authority.mayPlan { return nil }
        guard authority.mayApprove else { return .noRight }
        let planner = ReplayActor(
            name: plan["planner"]?["name"]?.string ?? "",
            holder: plan["planner"]?["holder"]?.string
        )
        return planner.refusal(of: authority.actor)
    }
}
