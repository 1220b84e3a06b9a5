import ArgumentParser
import Canonical
import Foundation
import Intake
import Ledger
import Matching
import Operations
import Payments
import Projections
import Reconciliation

/// What every step on an exception needs.
struct ExceptionStepOptions: ParsableArguments {
    @Argument(help: "The id of the exception.")
    var id: String

    @Option(help: "Why; it is recorded.")
    var reason: String

    @Option(help: "The version the exception must still have.")
    var expectedVersion: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
    var tenantName: String?

    func perform(_ action: ExceptionAction, _ common: CommonOptions) async throws {
        guard (1...ExceptionCommands.longestReason).contains(reason.utf8.count), reason.contains(where: { $0 != " " })
        else {
            throw Failure("--reason is a text of 1 to \(ExceptionCommands.longestReason) bytes.", exitCode: 64)
        }
        guard let exception = UUID128(id) else { throw Self.unknown }
        try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                let outcome: ExceptionCommands.Outcome
                do {
                    outcome = try await ledger.exceptionCommands.act(
                        action,
                        on: exception,
                        reason: reason,
                        version: expectedVersion,
                        sender: Sender(
                            tenant: tenant,
                            actor: "cli:\(NSUserName())",
                            correlation: ledger.ids.next().text,
                            holder: NSUserName()
                        ),
                        waitLimit: .seconds(60)
                    )
                } catch let refusal as ExceptionCommands.Refusal {
                    throw Failure(refusal)
                } catch let problem as IntakeProblem {
                    throw Failure(problem.detail)
                }
                let json = try outcome.exception.json(at: ledger.clock.now())
                if common.json { return Terminal.say(json) }
                ExceptionText.show([json])
                if outcome.exception.state.status == .proposed {
                    Terminal.say("another person has to approve it: daybook reconcile approve \(id) --reason ...")
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
        abstract: "Say who is to look into an exception.",
        discussion: """
            EXAMPLES
              daybook reconcile assign 5d6f2a10-... --to dana --reason 'she knows the terminal'
              daybook reconcile assign 5d6f2a10-... --reason 'nobody has time'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ExceptionStepOptions

    @Option(help: "Who; nobody if left out.")
    var to: String?

    func run() async throws { try await step.perform(.assign(to), common) }
}

struct ReconcileNoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Remark on an exception.",
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
        abstract: "Bring an exception to its end, or propose how.",
        discussion: """
            Where the unexplained money is above what one person may decide, another person has to approve it. What is
            matched by hand has to come to the same money, and belongs together from the next run on: one --line with some
            --movement, or one --movement with some --line.

            EXAMPLES
              daybook reconcile resolve 5d6f2a10-... --as written-off --reason 'below what a call costs'
              daybook reconcile resolve 5d6f2a10-... --as corrected --correction ticket-4711 --reason 'credited today'
              daybook reconcile resolve 5d6f2a10-... --as matched --line 7e0b0cde-... --movement 0198c1c2-.../capture:1 \\
                --reason 'the invoice was mistyped'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ExceptionStepOptions

    @Option(name: .customLong("as"), help: "matched, written-off, corrected or timing.")
    var kind: ExceptionResolution.Kind

    @Option(help: "The id of a line that is matched by hand; may stand several times.")
    var line: [String] = []

    @Option(help: "PAYMENT/PIECE of a movement that is matched by hand; may stand several times.")
    var movement: [String] = []

    @Option(help: "What puts it right: a transaction, a ticket.")
    var correction: String?

    func validate() throws {
        guard kind == .matched || line.isEmpty && movement.isEmpty else {
            throw ValidationError("--line and --movement go with --as matched.")
        }
        guard kind != .matched || !line.isEmpty && !movement.isEmpty else {
            throw ValidationError("--as matched names a --line and a --movement.")
        }
        guard (kind == .corrected) == (correction != nil) else {
            throw ValidationError("--as corrected goes with --correction.")
        }
    }

    func run() async throws {
        var resolution = ExceptionResolution(kind)
        if kind == .matched {
            resolution.lines = try line.map { text in
                guard let id = UUID128(text) else { throw Failure("\(text) is no id of a line.", exitCode: 64) }
                return id
            }
            resolution.movements = try movement.map { text in
                let parts = text.split(separator: "/", maxSplits: 1)
                guard parts.count == 2, let id = UUID128(String(parts[0])) else {
                    throw Failure("--movement is PAYMENT/PIECE, as `daybook list members` names it.", exitCode: 64)
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
        abstract: "Approve what another person proposed.",
        discussion: """
            EXAMPLES
              daybook reconcile approve 5d6f2a10-... --reason agreed
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ExceptionStepOptions

    func run() async throws { try await step.perform(.approve, common) }
}

struct ReconcileRejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject",
        abstract: "Refuse what was proposed.",
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
        abstract: "Open an exception again that people have resolved.",
        discussion: """
            EXAMPLES
              daybook reconcile reopen 5d6f2a10-... --reason 'the acquirer has changed its mind'
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
        case .behind: self.init("The read models are behind the log.", hint: "Try again.")
        case .refused(let reason):
            switch reason {
            case .ended: self.init("The exception has come to its end.", hint: "`reopen` opens it again.")
            case .notProposed: self.init("No end is proposed.", hint: "`resolve` proposes one.")
            case .ownProposal: self.init("Whoever proposed it cannot approve it.", hint: "Ask another person.")
            case .notResolved: self.init("The exception is not resolved.")
            case .unbalanced:
                self.init(
                    "The lines and the movements do not come to the same money.",
                    hint: "One line with some movements, or one movement with some lines, in one currency."
                )
            }
        }
    }
}
