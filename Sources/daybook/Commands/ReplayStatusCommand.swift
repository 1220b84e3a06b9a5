import ArgumentParser
import Canonical
import Composition
import EventLog
import Operations
import Payments
import Projections
import Replay
import ReplayRules

struct ReplayStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "List replay plans, or show one with its progress.",
        discussion: """
            With --follow, shows progress until the plan has ended.

            EXAMPLES
              daybook replay status
              daybook replay status 0198c5f2-... --items
              daybook replay status 0198c5f2-... --follow
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the plan. Default: all plans.")
    var id: String?

    @Flag(help: "Show progress until the plan has ended.")
    var follow = false

    @Flag(help: "Show the items of the plan as well.")
    var items = false

    @Option(help: "The maximum number of plans or items, 1 to 1000.")
    var limit = 100

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard id != nil || !follow && !items else {
            throw ValidationError("--follow and --items need the id of one plan.")
        }
    }

    func run() async throws {
        try await Session.openReplays(common, for: .reading(Lists.replays.readModels)) { ledger in
            let tenant = try await ledger.tenant(tenantName)
            guard let id else { return try await list(of: tenant, in: ledger) }
            guard let plan = UUID128(id) else { throw ReplayText.unknownPlan }
            if follow { try await follow(plan, of: tenant, in: ledger) }
            guard let found = try await ledger.replay.plans.plan(plan, of: tenant) else { throw ReplayText.unknownPlan }
            let json = try ReplayJSON(found)
            let shown =
                items
                ? try await ledger.replay.plans.items(of: plan, tenant: tenant, limit: limit).map(ReplayItemJSON.init)
                : nil
            if common.json { return try Terminal.say(json: Joined(json, ShownItems(itemsShown: shown))) }
            ReplayText.show(json)
            if let shown { ReplayText.show(items: shown) }
        }
    }

    private func list(of tenant: String, in ledger: Ledger) async throws {
        try await ledger.say(
            Lists.replays.request(ReplayFilter()),
            of: tenant,
            limit: limit,
            asJSON: common.json,
            nothing: "no plans",
            Self.show
        )
    }

    private static func show(_ plans: [ReplayJSON]) {
        Terminal.table(
            ["plan", "status", "planned (UTC)", "items", "to attempt", "ended", "reason"],
            plans.map { plan in
                [
                    plan.id.text, plan.status.rawValue, plan.plannedAt.rfc3339, "\(plan.items)",
                    "\(plan.progress.toAttempt)", "\(plan.progress.ended)", plan.reason,
                ]
            },
            rightAligned: [3, 4, 5]
        )
    }

    private func follow(_ plan: UUID128, of tenant: String, in ledger: Ledger) async throws {
        while let found = try await ledger.replay.plans.plan(plan, of: tenant) {
            let ended = found.ends.values.reduce(0, +)
            Terminal.progress("items ended", ended, of: found.actionable)
            if found.status.isOver { return }
            try await ledger.log.waitForAppend(beyond: found.lastPosition)
        }
    }
}

/// The items of a plan, as --items adds them to its JSON.
private struct ShownItems: Codable, Hashable {
    var itemsShown: [ReplayItemJSON]?
}

struct ReplayShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the events of a payment, with the state and the ruling after each.",
        discussion: """
            Each event is judged by the rules of its day, the last one as of now. --what-if replaces the value of a \
            rule; docs/replay.md lists the rules and their bounds.

            EXAMPLES
              daybook replay show 0198c1c2-...
              daybook replay show 0198c1c2-... --until 2026-03-01T12:00:00Z
              daybook replay show 0198c1c2-... --what-if wait.retry=7200 \\
                --what-if iso.62=retry
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the payment.")
    var transaction: String

    @Option(help: "Only events recorded until this time or position.")
    var until: String?

    @Option(help: "RULE=VALUE. May be repeated.")
    var whatIf: [String] = []

    @Option(help: "The operation to judge. Default: the payment itself.")
    var operation: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        let moment = try until.map { text -> Moment in
            if let position = Int64(text), position >= 0 { return .position(position) }
            guard let time = Timestamp(rfc3339: text) else {
                throw Failure.usage("--until must be a time such as 2026-03-01T12:00:00Z, or a position.")
            }
            return .time(time)
        }
        let wanted = try operation.map { name in
            guard let known = ReplayOperation(rawValue: name) else {
                let names = ReplayOperation.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure.usage("--operation must be one of \(names).")
            }
            return known
        }
        try await Session.open(common) { session in
            let replaying = try session.settings.replaying()
            try await session.withLedger(for: .reading([]), replaying: replaying) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let found: ReplayHistory?
                do {
                    found = try await UUID128(transaction).asyncMap { id in
                        try await ledger.replayHistory(
                            of: id,
                            tenant: tenant,
                            ReplayHistoryRequest(until: moment, operation: wanted, overrides: whatIf)
                        )
                    }
                } catch let error as RuleBookError {
                    throw Failure("\(error).", hint: "docs/replay.md has the rules and their bounds.")
                }
                guard let found, let id = UUID128(transaction) else { throw Failure("There is no such payment.") }
                common.json ? try Terminal.say(json: ReplayHistoryJSON(found, of: id)) : show(found)
            }
        }
    }

    private func show(_ history: ReplayHistory) {
        if history.earlier > 0 { Terminal.note("\(history.earlier, "earlier event") not shown") }
        let hasOther = history.steps.contains { $0.whatIf != nil }
        let head = ["position", "recorded (UTC)", "event", "status", "captured", "decided", "by"]
        Terminal.table(
            head + (hasOther ? ["what if", "by"] : []),
            history.steps.map { step in
                let captured = step.state.captured == 0 ? nil : step.state.money(step.state.captured)
                let cells = [
                    String(step.position), step.at.rfc3339, step.type, step.state.status.rawValue,
                    captured?.description ?? "-", Self.text(step.ruling), step.ruling.rule,
                ]
                return cells + (hasOther ? [step.whatIf.map(Self.text) ?? "-", step.whatIf?.rule ?? "-"] : [])
            },
            rightAligned: [0, 4]
        )
    }

    private static func text(_ ruling: Ruling) -> String {
        let until = ruling.disposition.until.map { " \($0.rfc3339)" } ?? ""
        return ruling.disposition.name.rawValue + until + (ruling.instead.map { ", \($0.rawValue) instead" } ?? "")
    }
}

extension Optional {
    fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result?) async throws -> Result? {
        guard let self else { return nil }
        return try await body(self)
    }
}

/// Plans as text.
enum ReplayText {
    static let unknownPlan = Failure("There is no such plan.", hint: "`daybook replay status` lists them.")

    static func show(_ plan: ReplayJSON) {
        Terminal.say("plan \(plan.id.text): \(plan.status.rawValue)")
        Terminal.say("  \(plan.reason); by \(plan.planner.name), \(plan.plannedAt.rfc3339)")
        if let filter = plan.filter { Terminal.say("  of payments with \(filter)") }
        Terminal.say("  rules \(plan.book.edition) of \(plan.book.day); expires \(plan.expiresAt.rfc3339)")
        if let approval = plan.approval {
            let how = approval.byPolicy ? ", by policy" : ""
            Terminal.say("  approved by \(approval.approver.name): \(approval.reason)\(how)")
        }
        Terminal.table(
            ["disposition", "count", "amount"],
            plan.totals.map { [$0.disposition.rawValue, "\($0.count)", $0.amount?.description ?? "-"] },
            rightAligned: [1, 2]
        )
        let ends = plan.progress.ends.map { "\($0.count) \($0.end.rawValue)" }
        Terminal.say(
            "\(plan.progress.ended) of \(plan.progress.toAttempt, "item") ended"
                + (ends.isEmpty ? "" : ": " + ends.joined(separator: ", "))
        )
    }

    static func show(items: [ReplayItemJSON]) {
        Terminal.table(
            ["item", "payment", "operation", "amount", "disposition", "rule", "end", "payment now"],
            items.map { item in
                [
                    "\(item.number)", item.transaction.text, item.operation.rawValue, item.amount?.description ?? "-",
                    item.disposition.rawValue, item.rule, item.end?.end.rawValue ?? "-",
                    item.payment?.status.rawValue ?? "-",
                ]
            },
            rightAligned: [0, 3]
        )
    }
}
