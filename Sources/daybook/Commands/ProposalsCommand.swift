import ArgumentParser
import Canonical
import Composition
import Intake
import Operations
import Payments
import Projections
import Reconciliation
import Replay

struct ProposalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proposals",
        abstract: "List, approve and reject changes that need another operator.",
        discussion: """
            The outcome of a payment in doubt or of a dispute, reconciliation rules, and the withdrawal of a statement \
            are proposed by one operator and approved by another. Two keys of one holder are one operator, and root is \
            no operator. These commands use the database: the operator is the account that runs them. With a key, an \
            operator approves and rejects in the console, or with POST /v1/proposals/{id}/approve and /reject.
            """,
        subcommands: [ProposalsListCommand.self, ProposalsApproveCommand.self, ProposalsRejectCommand.self],
        defaultSubcommand: ProposalsListCommand.self
    )
}

struct ProposalsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the open proposals.",
        discussion: """
            Each changed value has a line, before -> after. --json prints the answer of GET /v1/proposals.

            EXAMPLES
              daybook proposals list
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading([])) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let found = ProposalsJSON(try await ledger.intake.proposals.open(of: tenant))
                if common.json { return try Terminal.say(json: found) }
                guard !found.proposals.isEmpty else { return Terminal.say("no open proposals") }
                for proposal in found.proposals {
                    ProposalText.say(proposal, try await ledger.changes(of: proposal, tenant: tenant))
                }
            }
        }
    }
}

/// The options of the commands that decide on a proposal.
struct ProposalStepOptions: ParsableArguments {
    @Argument(help: "The id of the proposal that you have read.")
    var id: String

    @Option(help: "The reason, which is recorded.")
    var reason: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func perform(isApproval: Bool, _ common: CommonOptions) async throws {
        let reason = try Failure.reason(reason)
        guard let id = UUID128(id) else { throw Self.unknown }
        try await Session.openReplays(common) { ledger in
            let tenant = try await ledger.tenant(tenantName)
            try await ledger.catchUp()
            do {
                let sender = ledger.sender(tenant)
                if isApproval {
                    // A user of the database has every right, except to approve an own proposal.
                    _ = try await ledger.approve(
                        id,
                        reason: reason,
                        idempotencyKey: nil,
                        scopes: Set(Permission.allCases.flatMap(\.scopes)),
                        sender: sender
                    )
                } else {
                    _ = try await ledger.intake.proposals.reject(
                        id,
                        reason: reason,
                        idempotencyKey: nil,
                        sender: sender
                    )
                }
            } catch Proposals.Refusal.noSuchProposal {
                throw Self.unknown
            } catch {
                guard let refusal = Operations.Refusal(explaining: error) else { throw error }
                throw Failure(refusal)
            }
            try await ledger.catchUp()
            let proposal = ProposalJSON(try await ledger.intake.proposals.proposal(id, of: tenant))
            if common.json { return try Terminal.say(json: proposal) }
            Terminal.say("proposal \(id.text) is \(isApproval ? "approved and recorded" : "rejected")")
            if isApproval, ![.endDoubt, .closeDispute].contains(proposal.change) {
                Terminal.note("the next run of a server or of `daybook reconcile run` matches with it")
            }
        }
    }

    private static let unknown = Failure("There is no such proposal.", hint: "`daybook proposals list` lists them.")
}

struct ProposalsApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approve a proposal of another operator, and record its change.",
        discussion: """
            The approver is the account that runs this command on the database; it has no --url and --key. With a \
            key, an operator approves in the console, or with POST /v1/proposals/{id}/approve.

            EXAMPLES
              daybook proposals approve 0198c5f2-... --reason 'seen in the portal, too'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ProposalStepOptions

    func run() async throws { try await step.perform(isApproval: true, common) }
}

struct ProposalsRejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject",
        abstract: "Reject a proposal.",
        discussion: """
            With a key, an operator rejects in the console, or with POST /v1/proposals/{id}/reject.

            EXAMPLES
              daybook proposals reject 0198c5f2-... \\
                --reason 'the portal shows another amount'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var step: ProposalStepOptions

    func run() async throws { try await step.perform(isApproval: false, common) }
}

/// Proposals as text.
enum ProposalText {
    /// What was proposed, and how it goes on.
    static func show(
        _ proposal: Proposals.Proposal,
        of tenant: String,
        in ledger: Ledger,
        _ common: CommonOptions
    ) async throws {
        let json = ProposalJSON(proposal)
        if common.json { return try Terminal.say(json: json) }
        say(json, try await ledger.changes(of: json, tenant: tenant))
        Terminal.say("another operator must approve it: daybook proposals approve \(json.id.text) --reason ...")
    }

    static func say(_ proposal: ProposalJSON, _ changes: ProposedChanges) {
        let by = proposal.holder ?? proposal.by
        Terminal.say(
            "\(proposal.id.text)  \(proposal.change.rawValue)  \(proposal.subject)  by \(by): \(proposal.reason)"
        )
        for line in changes.lines { Terminal.say("  \(line)") }
        if proposal.change == .changeRules, changes.lines.isEmpty { Terminal.say("  these rules are in force") }
    }
}
