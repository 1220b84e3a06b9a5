import ArgumentParser
import Canonical
import Composition
import Foundation
import Intake
import Operations
import Payments
import Projections
import Replay
import ReplayRules

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plan, approve and follow resubmissions of failed payments and follow-ups.",
        discussion: """
            A plan has a disposition for each payment, with its rule and evidence. Another operator approves the plan. \
            Once it is started, a server with gateways executes each item once. docs/replay.md has the rules.

            EXAMPLES
              daybook replay plan status=not-posted merchant=8846 \\
                --reason 'the gateway was down'
              daybook replay status 0198c5f2-... --items
              daybook replay approve 0198c5f2-... --reason 'reviewed with the shop'
              daybook replay start 0198c5f2-... --reason 'now' \\
                && daybook replay status 0198c5f2-... --follow
              daybook replay show 0198c1c2-... --what-if wait.retry=7200
            """,
        subcommands: [
            ReplayPlanCommand.self, ReplayApproveCommand.self, ReplayRejectCommand.self, ReplayStartCommand.self,
            ReplayPauseCommand.self, ReplayResumeCommand.self, ReplayStopCommand.self, ReplayStatusCommand.self,
            ReplayShowCommand.self,
        ]
    )
}

struct ReplayPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Plan the resubmission of payments or follow-ups.",
        discussion: """
            Filters are NAME=VALUE, those of `daybook list transactions`; or name payments with --transaction. No \
            gateway is called before the plan is approved and started. Payments without a card token, and those that \
            no configured gateway can process, need review.

            EXAMPLES
              daybook replay plan status=not-posted --reason 'the gateway was down'
              daybook replay plan --transaction 0198c1c2-... --operation void \\
                --reason 'sold twice'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "NAME=VALUE. Every filter must match.")
    var filters: [String] = []

    @Option(help: "The id of a payment. May be repeated.")
    var transaction: [String] = []

    @Option(help: "The operation to resubmit. Optional when it is unambiguous.")
    var operation: String?

    @Option(help: "The amount of the operation with its currency, such as 13.40USD.")
    var amount: String?

    @Option(help: "The new absolute tip of a tip adjustment, such as 2.00USD.")
    var tip: String?

    @Option(help: "The reason, which is recorded.")
    var reason: String

    @Option(help: "Seconds until the plan expires, 1 to 604800. Default: one day")
    var expiresIn: Int64 = PlanRequest.standardLifetime

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard filters.isEmpty != transaction.isEmpty else {
            throw ValidationError("Give filters, or --transaction.")
        }
        guard PlanRequest.lifetimes.contains(expiresIn) else {
            throw ValidationError("--expires-in must be 1 to 604800.")
        }
    }

    func run() async throws {
        let asked = try asked()
        try await Session.openReplays(common) { ledger in
            let tenant = try await ledger.tenant(tenantName)
            try await ledger.catchUp()
            let outcome: ReplayPlanner.Outcome
            do {
                outcome = try await ledger.replay.planner.plan(
                    asked,
                    sender: ledger.sender(tenant),
                    waitLimit: .seconds(60)
                )
            } catch let refusal as ReplayPlanner.Refusal {
                throw Failure(Operations.Refusal(refusal))
            } catch let problem as IntakeProblem {
                throw Failure(problem.detail)
            }
            let plan = try await ledger.replay(outcome.plan, of: tenant, after: outcome.position)
            if common.json { return try Terminal.say(json: plan) }
            ReplayText.show(plan)
            Terminal.say("another operator must approve it: daybook replay approve \(outcome.plan.text) --reason ...")
        }
    }

    private func asked() throws -> PlanRequest {
        let scope: PlanRequest.Scope
        if transaction.isEmpty {
            let parameters = try filters.map { text -> (name: String, value: String) in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2 else { throw Failure.usage("\(text) is not NAME=VALUE.") }
                return (parts[0], parts[1])
            }
            do {
                scope = try PlanRequest.filter(parameters)
            } catch let refusal as Refusal {
                throw Failure.usage(refusal.detail ?? refusal.title)
            }
        } else {
            let ids = transaction.compactMap { UUID128($0) }
            guard ids.count == transaction.count, Set(ids).count == ids.count, ids.count <= PlanRequest.mostNamed else {
                throw Failure.usage("--transaction must be the id of a payment, each once.")
            }
            scope = .transactions(ids)
        }
        let wanted = try operation.map { name in
            guard let known = ReplayOperation(rawValue: name) else {
                let names = ReplayOperation.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure.usage("--operation must be one of \(names).")
            }
            return known
        }
        return PlanRequest(
            scope,
            operation: wanted,
            amount: try amount.map { try Self.money($0, "--amount") },
            tip: try tip.map { try Self.money($0, "--tip") },
            reason: try Failure.reason(reason),
            lifetimeSeconds: expiresIn
        )
    }

    /// Parses a text such as `13.40USD`.
    private static func money(_ text: String, _ option: String) throws -> Money {
        guard let currency = Currency(alpha: String(text.suffix(3))),
            let money = try? Money.parse(decimal: text.dropLast(3), currency: currency)
        else { throw Failure.usage("\(option) must be an amount with its currency, such as 13.40USD.") }
        return money
    }
}

/// The options of every command on a plan.
struct ReplayStepOptions: ParsableArguments {
    @Argument(help: "The id of the plan.")
    var id: String

    @Option(help: "The reason, which is recorded.")
    var reason: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func perform(_ action: ReplayAction, _ common: CommonOptions) async throws {
        let reason = try Failure.reason(reason)
        guard let plan = UUID128(id) else { throw ReplayText.unknownPlan }
        try await Session.openReplays(common) { ledger in
            let tenant = try await ledger.tenant(tenantName)
            let sender = ledger.sender(tenant)
            let outcome: ReplayCommands.Outcome
            do {
                outcome = try await ledger.replay.commands.act(
                    action,
                    on: plan,
                    // A user of the database has every right, except to approve an own plan.
                    authority: ReplayAuthority(
                        ReplayActor(name: sender.actor, holder: sender.holder),
                        mayPlan: true,
                        mayApprove: true
                    ),
                    reason: reason,
                    sender: sender
                )
            } catch let refusal as ReplayCommands.Refusal {
                switch refusal {
                case .noSuchPlan: throw ReplayText.unknownPlan
                case .behind, .refused: throw Failure(Operations.Refusal(refusal))
                }
            } catch let problem as IntakeProblem {
                throw Failure(problem.detail)
            }
            let json = try await ledger.replay(plan, of: tenant, after: outcome.position)
            common.json ? try Terminal.say(json: json) : ReplayText.show(json)
        }
    }
}

struct ReplayApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approve a plan of another operator.",
        discussion: """
            EXAMPLES
              daybook replay approve 0198c5f2-... --reason 'reviewed with the shop'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ReplayStepOptions

    func run() async throws { try await step.perform(.approve, common) }
}

struct ReplayRejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject",
        abstract: "Reject a plan that is not approved.",
        discussion: """
            EXAMPLES
              daybook replay reject 0198c5f2-... --reason 'the shop has sold them again'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ReplayStepOptions

    func run() async throws { try await step.perform(.reject, common) }
}

struct ReplayStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start an approved plan, which a server with its gateways executes.",
        discussion: """
            EXAMPLES
              daybook replay start 0198c5f2-... --reason 'the gateway is back'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ReplayStepOptions

    func run() async throws { try await step.perform(.start, common) }
}

struct ReplayPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause a plan: no further item is started.",
        discussion: """
            EXAMPLES
              daybook replay pause 0198c5f2-... --reason 'the gateway is slow'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ReplayStepOptions

    func run() async throws { try await step.perform(.pause, common) }
}

struct ReplayResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume a paused plan.",
        discussion: """
            EXAMPLES
              daybook replay resume 0198c5f2-... --reason 'the gateway is well'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ReplayStepOptions

    func run() async throws { try await step.perform(.resume, common) }
}

struct ReplayStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop a plan for good: no further item is started.",
        discussion: """
            EXAMPLES
              daybook replay stop 0198c5f2-... --reason 'the wrong shop'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ReplayStepOptions

    func run() async throws { try await step.perform(.stop, common) }
}

extension Session {
    /// Runs a ledger that knows the configured gateways and rules.
    static func openReplays(
        _ common: CommonOptions,
        for work: Ledger.Work = .applying,
        _ body: @Sendable (Ledger) async throws -> Void
    ) async throws {
        try await open(common) { session in
            try await session.withLedger(
                for: work,
                gateways: try session.settings.gateways(),
                replaying: try session.settings.replaying(),
                body
            )
        }
    }
}

extension Ledger {
    /// A plan, once the read model has reached a position.
    func replay(_ id: UUID128, of tenant: String, after position: Int64) async throws -> ReplayJSON {
        _ = try await readModels.wait(for: "replays", toReach: position, timeout: .seconds(60))
        guard let found = try await replay.plans.plan(id, of: tenant) else { throw ReplayText.unknownPlan }
        return try ReplayJSON(found)
    }
}
