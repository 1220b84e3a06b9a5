import ArgumentParser
import Canonical
import Foundation
import Intake
import Ledger
import Operations
import Payments
import Projections
import Replay
import ReplayRules

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plan what failed and is asked of gateways again, approve it, and see what came of it.",
        discussion: """
            A plan says of each payment what may become of it, by which rule and which evidence. Somebody else approves it,
            and a server with gateways carries it out once it is started: each item once. Rules: docs/replay.md.

            EXAMPLES
              daybook replay plan status=not-posted merchant=8846 --reason 'the gateway was down'
              daybook replay status 0198c5f2-... --items
              daybook replay approve 0198c5f2-... --reason 'looked at with the shop'
              daybook replay start 0198c5f2-... --reason 'now' && daybook replay status 0198c5f2-... --follow
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
        abstract: "Judge payments, and plan what is asked for again.",
        discussion: """
            Filters are NAME=VALUE, those of `daybook list transactions`; or name payments with --transaction. Nothing is asked
            of a gateway before the plan is approved and started. Payments whose card has no token are a person's, as are those
            that no configured gateway can be asked for.

            EXAMPLES
              daybook replay plan status=not-posted --reason 'the gateway was down'
              daybook replay plan --transaction 0198c1c2-... --operation void --reason 'sold twice'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "NAME=VALUE; everything given must hold.")
    var filters: [String] = []

    @Option(help: "The id of a payment; may stand several times.")
    var transaction: [String] = []

    @Option(help: "What is asked for; where it is obvious it may be left out.")
    var operation: String?

    @Option(help: "Of the operation, with the currency: 13.40USD.")
    var amount: String?

    @Option(help: "Of a tip adjustment, the tip there shall be: 2.00USD.")
    var tip: String?

    @Option(help: "Why; it is recorded.")
    var reason: String

    @Option(help: "After how many seconds the plan expires, 1 to 604800. Default: a day")
    var expiresIn: Int64 = PlanRequest.standardLifetime

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
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
                outcome = try await ledger.replayPlanner.plan(
                    asked,
                    sender: ledger.replaySender(tenant),
                    waitLimit: .seconds(60)
                )
            } catch let refusal as ReplayPlanner.Refusal {
                throw Failure(refusal)
            } catch let problem as IntakeProblem {
                throw Failure(problem.detail)
            }
            let plan = try await ledger.replay(outcome.plan, of: tenant, after: outcome.position)
            if common.json { return Terminal.say(plan) }
            ReplayText.show(plan)
            Terminal.say("another person has to approve it: daybook replay approve \(outcome.plan.text) --reason ...")
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
                throw Failure.usage("--transaction is the id of a payment, each once.")
            }
            scope = .transactions(ids)
        }
        let wanted = try operation.map { name in
            guard let known = ReplayOperation(rawValue: name) else {
                let names = ReplayOperation.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure.usage("--operation is one of \(names).")
            }
            return known
        }
        return PlanRequest(
            scope,
            operation: wanted,
            amount: try amount.map { try Self.money($0, "--amount") },
            tip: try tip.map { try Self.money($0, "--tip") },
            reason: try ReplayText.checked(reason),
            lifetimeSeconds: expiresIn
        )
    }

    /// `13.40USD`.
    private static func money(_ text: String, _ option: String) throws -> Money {
        guard let currency = Currency(alpha: String(text.suffix(3))),
            let money = try? Money.parse(decimal: text.dropLast(3), currency: currency)
        else { throw Failure.usage("\(option) is an amount with its currency, such as 13.40USD.") }
        return money
    }
}

/// What every step on a plan needs.
struct ReplayStepOptions: ParsableArguments {
    @Argument(help: "The id of the plan.")
    var id: String

    @Option(help: "Why; it is recorded.")
    var reason: String

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
    var tenantName: String?

    func perform(_ action: ReplayAction, _ common: CommonOptions) async throws {
        let reason = try ReplayText.checked(reason)
        guard let plan = UUID128(id) else { throw ReplayText.unknownPlan }
        try await Session.openReplays(common) { ledger in
            let tenant = try await ledger.tenant(tenantName)
            let sender = ledger.replaySender(tenant)
            let outcome: ReplayCommands.Outcome
            do {
                outcome = try await ledger.replayCommands.act(
                    action,
                    on: plan,
                    // Who may use the database may do all of it; but nobody approves his own plan.
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
                case .behind: throw Failure("The read models are behind the log; try again.")
                case .refused(let reason): throw Failure("\(reason.title) (\(reason.rawValue)).")
                }
            } catch let problem as IntakeProblem {
                throw Failure(problem.detail)
            }
            let json = try await ledger.replay(plan, of: tenant, after: outcome.position)
            common.json ? Terminal.say(json) : ReplayText.show(json)
        }
    }
}

struct ReplayApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approve a plan of somebody else.",
        discussion: """
            EXAMPLES
              daybook replay approve 0198c5f2-... --reason 'looked at with the shop'
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
        abstract: "Have a plan carried out that is approved, by a server that has its gateways.",
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
        abstract: "Begin nothing more of a plan for now.",
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
        abstract: "Go on with a plan that is paused.",
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
        abstract: "Begin nothing more of a plan, for good.",
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
    /// Runs a ledger that knows the gateways and the rules, and asks nobody.
    static func openReplays(_ common: CommonOptions, _ body: @Sendable (Ledger) async throws -> Void) async throws {
        try await open(common) { session in
            try await session.withLedger(
                follows: true,
                gateways: try session.settings.gateways(),
                replaying: try session.settings.replaying(),
                callsGateways: false,
                body
            )
        }
    }
}

extension Ledger {
    func replaySender(_ tenant: String) -> Sender {
        // The account of root is nobody's in particular, but for who has come to it by sudo.
        let account = NSUserName()
        let person = account == "root" ? ProcessInfo.processInfo.environment["SUDO_USER"] : account
        return Sender(
            tenant: tenant,
            actor: "cli:\(account)",
            correlation: ids.next().text,
            holder: person.flatMap { $0.isEmpty || $0 == "root" ? nil : $0 }
        )
    }

    /// A plan, once the read model has what was just recorded.
    func replay(_ id: UUID128, of tenant: String, after position: Int64) async throws -> JSONValue {
        _ = try await readModels.wait(for: "replays", toReach: position, timeout: .seconds(60))
        guard let found = try await replays.plan(id, of: tenant) else { throw ReplayText.unknownPlan }
        return try found.json()
    }
}

extension Failure {
    fileprivate init(_ refusal: ReplayPlanner.Refusal) {
        switch refusal {
        case .behind:
            self.init("The read models are behind the log.", hint: "daybook projections shows how far they are.")
        case .noSuchTransaction(let id): self.init("There is no payment \(id.text).")
        case .tooLarge:
            self.init("The plan would have more than \(ReplayPlanner.mostItems) items.", hint: "Narrow the filters.")
        case .nothingFound: self.init("Nothing matches the filters.")
        }
    }
}
