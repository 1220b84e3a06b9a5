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
import Redaction
import Statements

struct StatementCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statement",
        abstract: "Import and show the statements of gateways, processors and banks.",
        subcommands: [
            StatementImportCommand.self, StatementListCommand.self, StatementShowCommand.self,
            StatementWithdrawCommand.self,
        ]
    )
}

struct StatementListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the imported statements.",
        discussion: """
            The newest come first. --json prints the answer of GET /v1/statements. `daybook list statement-lines \
            statement=ID` and `daybook list controls statement=ID` list the lines and controls of one statement.

            EXAMPLES
              daybook statement list
              daybook statement list --inconsistent --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Only files of this format.")
    var format: StatementFormat?

    @Flag(help: "Only statements with totals that differ from the sums of their lines.")
    var inconsistent = false

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    }

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.statements.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                var filter = StatementFilter()
                filter.format = format?.rawValue
                filter.isInconsistent = inconsistent ? true : nil
                try await ledger.say(
                    Lists.statements.request(filter),
                    of: tenant,
                    after: cursor,
                    limit: limit,
                    asJSON: common.json,
                    nothing: "no statement has been imported",
                    Self.show
                )
            }
        }
    }

    private static func show(_ items: [StatementJSON]) {
        Terminal.table(
            ["id", "format", "name", "status", "lines", "failed", "from", "to"],
            items.map { item in
                [
                    item.id.text, item.format.rawValue, item.name ?? "-", item.status.rawValue, "\(item.lines)",
                    "\(item.failedControls)", item.firstDay ?? "-", item.lastDay ?? "-",
                ]
            },
            rightAligned: [4, 5]
        )
    }
}

struct StatementShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one statement with its totals and failed controls.",
        discussion: """
            --json prints the answer of GET /v1/statements/{id}.

            EXAMPLES
              daybook statement show 0f3c9a52-...
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the statement.")
    var id: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.statements.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                guard let id = UUID128(id), let found = try await ledger.statement(id, of: tenant) else {
                    throw Failure.noStatement
                }
                if common.json { return try Terminal.say(json: found) }
                let failed = try await ledger.reconciliation.statements.controls(
                    of: id,
                    tenant: tenant,
                    holds: false,
                    limit: 50
                )
                Self.show(found, try failed.map(StatementControlJSON.init))
            }
        }
    }

    private static func show(_ found: StatementJSON, _ failed: [StatementControlJSON]) {
        let rows: [(String, String?)] = [
            ("id", found.id.text), ("format", found.format.rawValue), ("name", found.name),
            ("status", found.status.rawValue), ("lines", "\(found.lines)"),
            ("repeatedLines", "\(found.repeatedLines)"), ("firstDay", found.firstDay), ("lastDay", found.lastDay),
            ("importedAt", found.importedAt?.rfc3339), ("replaces", found.replaces?.text),
        ]
        for case (let name, let value?) in rows {
            Terminal.say("\(name.padding(toLength: 14, withPad: " ", startingAt: 0))  \(value)")
        }
        if let withdrawal = found.withdrawal {
            Terminal.say("withdrawn       \(withdrawal.at.rfc3339) by \(withdrawal.by): \(withdrawal.reason)")
        }
        Terminal.say()
        Terminal.table(
            ["type", "lines", "gross", "fees", "amount"],
            found.totals.map { total in
                [
                    total.type.rawValue, "\(total.lines)", total.gross.description, total.fees.description,
                    total.amount.description,
                ]
            },
            rightAligned: [1, 2, 3, 4]
        )
        for remark in found.remarks ?? [] { Terminal.say("line \(remark.line): \(remark.code): \(remark.detail)") }
        guard !failed.isEmpty else { return Terminal.say("every total in the file equals the sum of its lines") }
        Terminal.say()
        Terminal.say("totals that differ from the sums of the lines:")
        Terminal.table(
            ["line", "total", "of", "stated", "computed"],
            failed.map { control in
                [
                    String(control.line), control.name, control.scope, figure(control.stated, of: control),
                    control.computed.map { figure($0, of: control) } ?? "-",
                ]
            },
            rightAligned: [0, 3, 4]
        )
    }

    /// An amount with its currency, or a plain count.
    private static func figure(_ figure: Int64, of control: StatementControlJSON) -> String {
        let isAmount = control.kind == .total || control.kind == .balance
        guard isAmount, let currency = control.currency else { return String(figure) }
        return Money(figure, currency).description
    }
}
struct StatementWithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Withdraw a statement that was read with wrong options, or imported by mistake.",
        discussion: """
            The lines do not count from then on, and the movements that they explained are matched again at once. Past \
            states still show the lines. The same file can then be imported again with other options.

            EXAMPLES
              daybook statement withdraw 0f3c9a52-... --reason 'read as if it were in euros'
              daybook statement import settlement.csv --currency USD
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the statement.")
    var id: String

    @Option(help: "The reason, which is recorded.")
    var reason: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        let reason = try Failure.reason(reason)
        try await Session.open(common) { session in
            try await session.withLedger(for: .applying) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let sender = ledger.sender(tenant)
                let outcome: StatementCommands.Requested
                do {
                    guard let id = UUID128(id) else { throw StatementCommands.Refusal.noSuchStatement }
                    outcome = try await ledger.reconciliation.statementCommands.withdraw(
                        id,
                        reason: reason,
                        sender: sender
                    )
                } catch let refusal as StatementCommands.Refusal {
                    switch refusal {
                    case .noSuchStatement: throw Failure.noStatement
                    case .alreadyWithdrawn: throw Failure(Operations.Refusal(refusal))
                    }
                } catch let problem as IntakeProblem {
                    throw Failure(problem.detail)
                }
                try await ledger.catchUp()
                switch outcome {
                case .proposed(let proposal):
                    try await ProposalText.show(proposal.proposal, of: tenant, in: ledger, common)
                case .withdrawn:
                    guard let id = UUID128(id), let found = try await ledger.statement(id, of: tenant) else {
                        throw Failure.noStatement
                    }
                    if common.json { return try Terminal.say(json: found) }
                    Terminal.say("statement \(id.text) is withdrawn with its \(found.lines, "line")")
                }
            }
        }
    }
}

extension Failure {
    fileprivate static let noStatement = Failure(
        "There is no such statement.",
        hint: "`daybook statement list` lists them."
    )
}
