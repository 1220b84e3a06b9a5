import Access
import Canonical
import Composition
import HTTPEdge
import Intake
import Operations
import Payments
import Projections
import Redaction
import Replay
import ReplayRules

extension WebConsole {
    func addReplays(to router: inout EdgeRouter<Principal>) {
        addPage(.replays, needs: [.read], to: &router) { try await replays($0) }
        addPage(.replay, needs: [.read], to: &router) { try await replay($0) }
        // Judging many payments takes long.
        addForm(ConsoleView.replays.rawValue, needs: .planReplays, span: .stream, to: &router) {
            try await planReplay($0, $1)
        }
        for (name, action) in ReplayAction.named {
            addForm("/console/replays/{id}/\(name)", needs: .decideReplays, to: &router) {
                try await act(action, $0, $1)
            }
        }
    }

    private static let filters = FilterForm(
        action: ConsoleView.replays.rawValue,
        fields: [
            FilterField(
                "status",
                "Status",
                .choice(ReplayStatus.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ), FilterField("transaction", "Payment", hint: "its id"),
        ]
    )

    /// The replay plans, and the form that makes one.
    private func replays(_ visit: Visit) async throws -> PageAnswer {
        let answer = try await listPage(Lists.replays, .replays, "replays", "Replays", visit, filters: Self.filters) {
            replayTable($0, visit)
        }
        guard case .page(var page) = answer else { return answer }
        page.values["planning"] = planning(visit)
        return .page(page)
    }

    private func replayTable(_ plans: [ReplayJSON], _ visit: Visit) -> Table {
        Table(
            caption: "Plans, newest first",
            columns: [
                "Planned", "Status", "Reason", "Items#", "Dispositions", "To resubmit#", "Amount#", "Ended#",
                "Planned by", "Approved by", "Expires",
            ],
            rows: plans.map { plan in
                [
                    .time(plan.plannedAt, in: visit.zone, href: Address.replay(plan.id.text)),
                    plan.badge(at: visit.now), Cell(plan.reason), .count(plan.items), Cell(plan.dispositions),
                    .count(plan.progress.toAttempt), .number(plan.worth), .count(plan.progress.ended),
                    .code(plan.planner.words), .code(plan.approval?.approver.words),
                    .time(plan.expiresAt, in: visit.zone),
                ]
            },
            whenEmpty: "No plans found. If you set filters, change them; else create a plan below."
        )
    }

    // MARK: Planning

    /// The prefix of the names of filters in the form that makes a plan.
    private static let prefix = "filter."
    private static let lifetimes: [(Int64, String)] = [
        (3_600, "an hour"), (14_400, "four hours"), (86_400, "a day"), (259_200, "three days"), (604_800, "a week"),
    ]

    /// The form that makes a plan. If the list is about one payment, the form is too.
    private func planning(_ visit: Visit) -> PageValue {
        guard visit.may(.planReplays) else { return .members(["scopes": .text(Permission.planReplays.scopeNames)]) }
        let query = FormQuery(visit)
        return .members([
            "form": .members([
                "action": .text(ConsoleView.replays.rawValue), "token": .text(visit.token.formToken),
                "once": .text(ledger.ids.next().text), "longest": "\(Reason.mostBytes)",
                "named": .text(query["transaction"] ?? ""), "most": "\(PlanRequest.mostNamed)",
                "zoneName": .text(visit.zone.name),
                "fields": .list(
                    Self.criteria.map { field in
                        var field = field
                        field.name = Self.prefix + field.name
                        return field.value(query)
                    }
                ),
                "operations": .list(
                    ReplayOperation.allCases.map {
                        .members(["name": .text($0.rawValue), "label": .text(Wording.sentence($0.rawValue))])
                    }
                ),
                "lifetimes": .list(
                    Self.lifetimes.map { seconds, label in
                        .members([
                            "seconds": "\(seconds)", "label": .text(label),
                            "chosen": .given(seconds == PlanRequest.standardLifetime),
                        ])
                    }
                ),
            ])
        ])
    }

    private func planReplay(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        let outcome = try await ledger.replay.planner.plan(
            try PlanRequest(reading: .object(try Self.asked(fields, visit.zone))),
            idempotencyKey: fields["once"].map { "console:plan:\($0)" },
            sender: sender(visit),
            waitLimit: ledger.waitLimit
        )
        return try await shown(outcome.plan, outcome.position)
    }

    /// The same request as a body of the API.
    private static func asked(_ fields: FormFields, _ zone: Zone) throws(Problem) -> JSONObject {
        var body: JSONObject = [:]
        var filter: JSONObject = [:]
        for field in criteria {
            guard let value = fields[prefix + field.name], !value.isEmpty else { continue }
            let isTime = if case .time = field.kind { true } else { false }
            filter[field.name] = .string(isTime ? zone.instant(value)?.rfc3339 ?? value : value)
        }
        let named = (fields["transactions"] ?? "").split { $0.isWhitespace || $0 == "," }
        if !named.isEmpty { body["transactions"] = .array(named.map { .string(String($0)) }) }
        if filter.count > 0 { body["filter"] = .object(filter) }
        guard named.isEmpty != (filter.count == 0) else {
            throw Problem(
                status: 400,
                code: "malformed-record",
                title: "It is not clear which payments are meant",
                detail: "Go back and enter either ids of payments or at least one filter, not both."
            )
        }
        body.set("operation", fields["operation"].flatMap { $0.isEmpty ? nil : $0 })
        for name in ["amount", "tip"] {
            guard let text = fields[name], !text.isEmpty else { continue }
            guard let currency = Currency(alpha: fields["currency"] ?? ""),
                let money = try? Money.parse(decimal: text, currency: currency)
            else {
                throw Problem(
                    status: 400,
                    code: "malformed-record",
                    title: "The amount cannot be read",
                    detail: "Go back and enter it with the decimals of its currency, such as 12.50 and USD."
                )
            }
            body[name] = money.json
        }
        body.set("reason", fields["reason"])
        body.set("expiresInSeconds", fields["expires"].flatMap { Int64($0) }.map { JSONValue.number(.init($0)) })
        return body
    }

    // MARK: Deciding

    /// Acts on a plan as the API does, and shows the plan.
    private func act(_ action: ReplayAction, _ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        let outcome = try await ledger.replay.commands.act(
            action,
            on: id,
            authority: authority(visit),
            reason: try fields.reason(),
            version: fields["version"].flatMap { Int64($0) },
            idempotencyKey: fields["once"].map { "console:\(action):\($0)" },
            sender: sender(visit)
        )
        return try await shown(id, outcome.position)
    }

    /// The operator, and their permissions on plans.
    func authority(_ visit: Visit) -> ReplayAuthority {
        let principal = visit.session.principal
        return ReplayAuthority(
            ReplayActor(name: principal.actor, holder: principal.holder),
            mayPlan: principal.scopes.contains(.replayPlan),
            mayApprove: principal.scopes.contains(.replayApprove)
        )
    }

    /// Waits for the read model, from which the page is made.
    private func shown(_ plan: UUID128, _ position: Int64) async throws -> EdgeResponse {
        _ = try await ledger.readModels.wait(for: "replays", toReach: position, timeout: ledger.waitLimit)
        return redirect(to: Address.replay(plan.text))
    }
}

extension ReplayJSON {
    /// The status, with a mark if the plan has expired before it ended.
    func badge(at now: Timestamp) -> Cell {
        let words = Wording.sentence(status.rawValue)
        if isExpired(at: now) { return .badge("\(words), expired", .bad) }
        let tone: Cell.Tone =
            switch status {
            case .drafted, .rejected: .plain
            case .planned, .paused: .caution
            case .approved, .running, .completed: .good
            case .stopped: .bad
            }
        return .badge(words, tone)
    }

    /// `2 to resubmit, 1 never`.
    fileprivate var dispositions: String {
        var counts: [Disposition.Name: Int64] = [:]
        for total in totals { counts[total.disposition, default: 0] += total.count }
        return Disposition.Name.allCases.compactMap { name in
            counts[name].map { "\($0) \(Wording.words(name))" }
        }.joined(separator: ", ")
    }

    /// The amounts to resubmit, by currency.
    var worth: String? {
        let amounts = totals.filter { $0.disposition == .resubmit }.compactMap { $0.amount?.description }
        return amounts.isEmpty ? nil : amounts.joined(separator: ", ")
    }
}

extension ReplayActor {
    /// The key, with its holder if that is known.
    var words: String { holder.map { "\(name) (\($0))" } ?? name }
}
