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

struct ReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Match statements with the ledger's payments, and work on exceptions.",
        subcommands: [
            ReconcileRunCommand.self, ReconcileReportCommand.self, ReconcileExceptionsCommand.self,
            ReconcileAssignCommand.self, ReconcileNoteCommand.self, ReconcileResolveCommand.self,
            ReconcileApproveCommand.self, ReconcileRejectCommand.self, ReconcileReopenCommand.self,
            ReconcileRunsCommand.self, ReconcileCloseCommand.self, ReconcilePeriodCommand.self,
            ReconcileDepositsCommand.self, ReconcileRulesCommand.self,
        ]
    )
}

struct ReconcileRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Match the changes since the last run, and raise exceptions.",
        discussion: """
            Lines and payments are matched by a ladder of rules. A run examines the changes since the last run and \
            everything that they affect. The result does not depend on the order of statements and runs. Payments in \
            doubt are resolved when a line shows their outcome. A server runs this automatically after each import of \
            a statement. Exit code 2: there are open exceptions.

            EXAMPLES
              daybook statement import settlement.csv && daybook reconcile run
              daybook reconcile run --whole --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Flag(help: "Examine everything again.")
    var whole = false

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        let isClean = try await Session.open(common) { session in
            try await session.withLedger(for: .applying) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let sender = ledger.sender(tenant)
                let done: ReconciliationRound.Outcome
                do {
                    done = try await ledger.reconciliation.round.run(whole: whole, sender: sender) {
                        links,
                        exceptions in
                        Terminal.progress("changes recorded", links + exceptions, of: links + exceptions)
                    }
                } catch Reconciler.Refusal.behind {
                    throw Failure(.projectionBehind(), hint: "daybook projections shows how far they are.")
                } catch Reconciler.Refusal.disturbed {
                    throw Failure("Another reconciliation is running.", hint: "Try again.")
                }
                guard let outcome = done.first, let last = done.last else { return true }
                _ = try await ledger.readModels.wait(
                    for: "reconciliation",
                    toReach: last.position,
                    timeout: .seconds(60)
                )
                let open = try await ledger.reconciliation.query.open(of: tenant)
                let counts = try await ledger.reconciliation.query.counts(of: tenant)
                try show(outcome, resolved: done.resolved, open, counts)
                return open.isEmpty
            }
        }
        if !isClean { throw ExitCode(2) }
    }

    private func show(
        _ outcome: Reconciler.Outcome,
        resolved: Int,
        _ open: [OpenExceptions],
        _ counts: ExplainedCounts
    ) throws {
        let done = outcome.completion
        guard !common.json else {
            let answer = RunSummary(
                run: outcome.run,
                covers: outcome.covers,
                whole: outcome.isWhole,
                matched: done.matched,
                unmatched: done.unmatched,
                raised: done.raised,
                cleared: done.cleared,
                resolved: Int64(resolved),
                lines: counts.lines,
                matchedLines: counts.matchedLines,
                movements: counts.movements,
                matchedMovements: counts.matchedMovements,
                open: open.map(RunSummary.Open.init)
            )
            return try Terminal.say(json: answer)
        }
        Terminal.say(
            "\(outcome.isWhole ? "everything" : "changes") up to position \(outcome.covers): \(done.matched) matched, "
                + "\(done.unmatched) no longer; \(done.raised, "exception") raised, \(done.cleared) cleared"
        )
        if resolved > 0 {
            Terminal.say("\(resolved, "payment") in doubt resolved: a line shows the outcome")
        }
        Terminal.say(
            "\(counts.matchedLines) of \(counts.lines, "line") and \(counts.matchedMovements) of "
                + "\(counts.movements, "movement") are matched"
        )
        guard !open.isEmpty else { return Terminal.say("no exception is open") }
        Terminal.table(
            ["open", "currency", "count", "amount"],
            open.map { one in
                let money = one.currency.flatMap { Currency(alpha: $0) }.flatMap { currency in
                    one.amount.map { Money($0, currency).description }
                }
                return [one.exceptionClass, one.currency ?? "-", String(one.count), money ?? "-"]
            },
            rightAligned: [2, 3]
        )
    }
}

/// The run, as --json prints it.
private struct RunSummary: Encodable {
    /// The open exceptions of one class and currency, in minor units.
    struct Open: Encodable {
        var `class`: String
        var count: Int64
        var currency: String?
        var amount: Int64?

        init(_ open: OpenExceptions) {
            `class` = open.exceptionClass
            count = open.count
            currency = open.currency
            amount = open.amount
        }
    }

    var run: UUID128
    var covers: Int64
    var whole: Bool
    var matched: Int64
    var unmatched: Int64
    var raised: Int64
    var cleared: Int64
    var resolved: Int64
    var lines: Int64
    var matchedLines: Int64
    var movements: Int64
    var matchedMovements: Int64
    var open: [Open]
}
