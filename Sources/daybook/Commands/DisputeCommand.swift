import ArgumentParser
import Audit
import Canonical
import Composition
import Intake
import Operations
import Payments
import Projections
import Reconciliation
import SystemPackage

struct DisputeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispute",
        abstract: "Show and follow the dispute of a chargeback.",
        discussion: """
            Each chargeback of a payment is a dispute. `daybook list disputes` lists them. Reason code, deadline and \
            the evidence that was sent are recorded at once. The outcome moves money in the books: another operator \
            approves it with `daybook proposals approve`.
            """,
        subcommands: [
            DisputeShowCommand.self, DisputeEvidenceCommand.self, DisputeDescribeCommand.self,
            DisputeRepresentCommand.self, DisputeCloseCommand.self,
        ]
    )
}

/// The options of every command about a dispute.
struct DisputeOptions: ParsableArguments {
    @Argument(help: "The id of the dispute.")
    var id: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    /// The dispute as it is known now.
    func dispute(of tenant: String, in ledger: Ledger) async throws -> DisputeJSON {
        guard let id = UUID128(id), let found = try await ledger.reconciliation.disputes.dispute(id, of: tenant) else {
            throw Self.unknown
        }
        return try DisputeJSON(found)
    }

    func show(_ dispute: DisputeJSON, _ common: CommonOptions) throws {
        if common.json { return try Terminal.say(json: dispute) }
        Terminal.table(
            ["transaction", "status", "amount", "reason code", "respond by", "sent", "closed at"],
            [
                [
                    dispute.transaction.text, dispute.status.rawValue, dispute.amount.description,
                    dispute.reasonCode ?? "-", dispute.respondBy ?? "-", "\(dispute.representations)",
                    dispute.closedAt?.rfc3339 ?? "-",
                ]
            ],
            rightAligned: [2, 5]
        )
    }

    /// Executes a command, and shows the dispute or the proposal.
    ///
    /// - Parameter body: The members of the command beside the reason and the version.
    func act(
        _ name: DisputeStep.Name,
        _ body: JSONObject,
        _ step: DisputeStepOptions,
        _ common: CommonOptions
    ) async throws {
        var body = body
        body["reason"] = .string(step.reason)
        if let version = step.expectedVersion { body["expectedVersion"] = .number(.init(version)) }
        let request = JSONValue.object(body)
        let command = try Failure.checking { () throws(IntakeProblem) in try DisputeStep(name, reading: request) }
        guard let id = UUID128(id) else { throw Self.unknown }
        try await Session.open(common) { session in
            try await session.withLedger(for: .applying) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                let answer: DisputeAnswer
                do {
                    answer = try await ledger.act(command, on: id, idempotencyKey: nil, sender: ledger.sender(tenant))
                } catch DisputeCommands.Refusal.noSuchDispute {
                    throw Self.unknown
                } catch {
                    guard let refusal = Operations.Refusal(explaining: error) else { throw error }
                    throw Failure(refusal)
                }
                try await ledger.catchUp()
                switch answer {
                case .proposed(let outcome):
                    try await ProposalText.show(outcome.proposal, of: tenant, in: ledger, common)
                case .recorded: try show(try await dispute(of: tenant, in: ledger), common)
                }
            }
        }
    }

    static let unknown = Failure("There is no such dispute.", hint: "`daybook list disputes` lists them.")
}

/// The options of commands that record something of a dispute.
struct DisputeStepOptions: ParsableArguments {
    @Option(help: "The reason, which is recorded.")
    var reason: String

    @Option(help: "The expected version of the payment's stream.")
    var expectedVersion: Int64?
}

struct DisputeShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a dispute.",
        discussion: """
            --json prints the answer of GET /v1/disputes/{id}.

            EXAMPLES
              daybook dispute show 18408622-...
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var dispute: DisputeOptions

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.disputes.readModels)) { ledger in
                let tenant = try await ledger.tenant(dispute.tenantName)
                try dispute.show(try await dispute.dispute(of: tenant, in: ledger), common)
            }
        }
    }
}

struct DisputeEvidenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Write the evidence against a chargeback.",
        discussion: """
            Writes NDJSON: a line with the dispute, the payment and its receipt, then a line for each event of the \
            payment with the proof that it is in the signed log. It is the answer of GET /v1/disputes/{id}/evidence.

            EXAMPLES
              daybook dispute evidence 18408622-... -o dispute.ndjson
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var dispute: DisputeOptions

    @Option(name: [.customShort("o"), .customLong("output")], help: "The file. Default: standard output.")
    var output: String?

    func run() async throws {
        try await Session.open(common) { session in
            let readModels = Lists.disputes.readModels + ReceiptQuery.readModels
            try await session.withLedger(for: .reading(readModels)) { ledger in
                let tenant = try await ledger.tenant(dispute.tenantName)
                guard let id = UUID128(dispute.id) else { throw DisputeOptions.unknown }
                let found = try await Failure.explaining { try await ledger.disputeBundle(of: id, tenant: tenant) }
                guard let found else { throw DisputeOptions.unknown }
                let lines = try found.lines()
                guard let output else { return try await OutputFile.standardOutput.write(lines) }
                do {
                    try await OutputFile.with(output) { try await $0.write(lines) }
                } catch let error as Errno {
                    throw Failure("\(output) cannot be written: \(error).")
                }
            }
        }
    }
}

struct DisputeDescribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Record the reason code and the deadline of a dispute.",
        discussion: """
            EXAMPLES
              daybook dispute describe 18408622-... --reason-code 10.4 --respond-by 2026-03-31 \\
                --reason 'as the portal shows it'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var dispute: DisputeOptions
    @OptionGroup var step: DisputeStepOptions

    @Option(help: "The scheme's reason code.")
    var reasonCode: String?

    @Option(help: "The last day on which the merchant can answer, such as 2026-03-31.")
    var respondBy: String?

    func run() async throws {
        var body: JSONObject = [:]
        if let reasonCode { body["reasonCode"] = .string(reasonCode) }
        if let respondBy { body["respondBy"] = .string(respondBy) }
        try await dispute.act(.describe, body, step, common)
    }
}

struct DisputeRepresentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "represent",
        abstract: "Record that evidence was sent against a chargeback.",
        discussion: """
            EXAMPLES
              daybook dispute represent 18408622-... --documents 'receipt and proof of delivery' \\
                --reason 'sent through the portal'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var dispute: DisputeOptions
    @OptionGroup var step: DisputeStepOptions

    @Option(help: "What was sent to the processor, which is recorded.")
    var documents: String

    func run() async throws {
        try await dispute.act(.represent, ["documents": .string(documents)], step, common)
    }
}

struct DisputeCloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Propose the outcome of a dispute.",
        discussion: """
            A chargeback that the merchant accepts is lost. Another operator approves the outcome with `daybook \
            proposals approve`. A lost dispute becomes a loss in the journal.

            EXAMPLES
              daybook dispute close 18408622-... --as lost --reason 'the deadline has passed'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var dispute: DisputeOptions
    @OptionGroup var step: DisputeStepOptions

    @Option(name: .customLong("as"), help: "The outcome: won or lost.")
    var outcome: String

    func run() async throws { try await dispute.act(.close, ["as": .string(outcome)], step, common) }
}
