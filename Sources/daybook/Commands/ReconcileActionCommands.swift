import ArgumentParser
import Canonical
import Composition
import Foundation
import Intake
import Matching
import Operations
import Payments
import Projections
import Reconciliation

/// The options of every command on an exception.
struct ExceptionStepOptions: ParsableArguments {
    @Argument(help: "The id of the exception.")
    var id: String

    @Option(help: "The reason, which is recorded.")
    var reason: String

    @Option(help: "The expected version of the exception.")
    var expectedVersion: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func perform(_ action: ExceptionAction, _ common: CommonOptions) async throws {
        let reason = try Failure.reason(reason)
        guard let exception = UUID128(id) else { throw Self.unknown }
        try await Session.open(common) { session in
            try await session.withLedger(for: .applying) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                let outcome: ExceptionCommands.Outcome
                do {
                    outcome = try await ledger.reconciliation.exceptionCommands.act(
                        action,
                        on: exception,
                        reason: reason,
                        version: expectedVersion,
                        sender: ledger.sender(tenant),
                        waitLimit: .seconds(60)
                    )
                } catch let refusal as ExceptionCommands.Refusal {
                    throw Failure(refusal)
                } catch let problem as IntakeProblem {
                    throw Failure(problem.detail)
                }
                let exception = try ExceptionJSON(outcome.exception, at: ledger.clock.now())
                if common.json { return try Terminal.say(json: exception) }
                ExceptionText.show([exception])
                if let proposal = exception.proposal?.id {
                    Terminal.say(
                        "another operator must approve it: daybook reconcile approve \(id) --proposal \(proposal.text) "
                            + "--reason ..."
                    )
                }
            }
        }
    }

    static let unknown = Failure(
        "There is no such exception.",
        hint: "`daybook reconcile exceptions --all` lists them."
    )
}

struct ReconcileAssignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Assign an exception to an operator.",
        discussion: """
            EXAMPLES
              daybook reconcile assign 5d6f2a10-... --to dana \\
                --reason 'she knows the terminal'
              daybook reconcile assign 5d6f2a10-... --reason 'she is on holiday'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ExceptionStepOptions

    @Option(help: "The operator. Without it, the assignment ends.")
    var to: String?

    func run() async throws { try await step.perform(.assign(to), common) }
}

struct ReconcileNoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Add a note to an exception.",
        discussion: """
            EXAMPLES
              daybook reconcile note 5d6f2a10-... --reason 'the acquirer has been asked'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ExceptionStepOptions

    func run() async throws { try await step.perform(.note, common) }
}

struct ReconcileResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Resolve an exception, or propose its resolution.",
        discussion: """
            If the amount of the exception is above the approval limit, another operator must approve the resolution. A \
            match by hand must have equal amounts on both sides, and holds from the next run on: one --line with one \
            or more --movement, or one --movement with one or more --line.

            EXAMPLES
              daybook reconcile resolve 5d6f2a10-... --as written-off \\
                --reason 'below what a call costs'
              daybook reconcile resolve 5d6f2a10-... --as corrected \\
                --correction ticket-4711 --reason 'credited today'
              daybook reconcile resolve 5d6f2a10-... --as matched --line 7e0b0cde-... \\
                --movement 0198c1c2-.../capture:1 \\
                --reason 'the invoice was mistyped'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ExceptionStepOptions

    @Option(name: .customLong("as"), help: "The kind of resolution: matched, written-off, corrected or timing.")
    var kind: ExceptionResolution.Kind

    @Option(help: "The id of a line to match by hand. May be repeated.")
    var line: [String] = []

    @Option(help: "PAYMENT/PIECE of a movement to match by hand. May be repeated.")
    var movement: [String] = []

    @Option(help: "The correction: a transaction or a ticket.")
    var correction: String?

    func validate() throws {
        guard kind == .matched || line.isEmpty && movement.isEmpty else {
            throw ValidationError("--line and --movement need --as matched.")
        }
        guard kind != .matched || !line.isEmpty && !movement.isEmpty else {
            throw ValidationError("--as matched needs a --line and a --movement.")
        }
        guard (kind == .corrected) == (correction != nil) else {
            throw ValidationError("--as corrected needs --correction, and --correction needs --as corrected.")
        }
    }

    func run() async throws {
        var resolution = ExceptionResolution(kind)
        if kind == .matched {
            resolution.lines = try line.map { text in
                guard let id = UUID128(text) else { throw Failure("\(text) is not the id of a line.", exitCode: 64) }
                return id
            }
            resolution.movements = try movement.map { text in
                let parts = text.split(separator: "/", maxSplits: 1)
                guard parts.count == 2, let id = UUID128(String(parts[0])) else {
                    throw Failure("--movement must be PAYMENT/PIECE, as in `daybook list members`.", exitCode: 64)
                }
                return MovementName(transaction: id, movement: String(parts[1]))
            }
        }
        resolution.correction = correction
        try await step.perform(.resolve(resolution), common)
    }
}

struct ReconcileApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approve a resolution that another operator proposed.",
        discussion: """
            EXAMPLES
              daybook reconcile approve 5d6f2a10-... --proposal 0198c5f2-... --reason agreed
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ExceptionStepOptions

    @Option(help: "The id of the proposal that you have read. Another one may have replaced it.")
    var proposal: String

    func run() async throws {
        guard let proposal = UUID128(proposal) else { throw Failure.usage("--proposal must be the id of a proposal.") }
        try await step.perform(.approve(proposal), common)
    }
}

struct ReconcileRejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject",
        abstract: "Reject a proposed resolution.",
        discussion: """
            EXAMPLES
              daybook reconcile reject 5d6f2a10-... --reason 'ask the acquirer first'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ExceptionStepOptions

    func run() async throws { try await step.perform(.reject, common) }
}

struct ReconcileReopenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen",
        abstract: "Reopen an exception that an operator resolved.",
        discussion: """
            EXAMPLES
              daybook reconcile reopen 5d6f2a10-... \\
                --reason 'the acquirer has changed its mind'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ExceptionStepOptions

    func run() async throws { try await step.perform(.reopen, common) }
}

extension ExceptionResolution.Kind: ExpressibleByArgument {}

extension Failure {
    fileprivate init(_ refusal: ExceptionCommands.Refusal) {
        switch refusal {
        case .noSuchException: self = ExceptionStepOptions.unknown
        case .refused(.ended): self.init(Operations.Refusal(refusal), hint: "`reopen` opens it again.")
        case .refused(.notProposed): self.init(Operations.Refusal(refusal), hint: "`resolve` proposes one.")
        case .behind, .refused: self.init(Operations.Refusal(refusal))
        }
    }
}
