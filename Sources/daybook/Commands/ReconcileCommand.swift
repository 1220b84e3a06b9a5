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
            Lines and payments are matched by a ladder of rules. A run examines the changes since the last run and
            everything that they affect. The result does not depend on the order of statements and runs. Payments in doubt
            are resolved when a line shows their outcome. A server runs this automatically after each import of a
            statement. Exit code 2: there are open exceptions.

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
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let sender = Sender(tenant: tenant, actor: "cli:\(NSUserName())", correlation: ledger.ids.next().text)
                let done: Reconciliation.Outcome
                do {
                    done = try await ledger.reconciliation.run(whole: whole, sender: sender) { links, exceptions in
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
                let open = try await ledger.reconciliationQuery.open(of: tenant)
                let counts = try await ledger.reconciliationQuery.counts(of: tenant)
                show(outcome, resolved: done.resolved, open, counts)
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
    ) {
        let done = outcome.completion
        guard !common.json else {
            Terminal.say(
                .object([
                    "run": .string(outcome.run.text),
                    "covers": .number(.init(outcome.covers)),
                    "whole": .bool(outcome.isWhole),
                    "matched": .number(.init(done.matched)),
                    "unmatched": .number(.init(done.unmatched)),
                    "raised": .number(.init(done.raised)),
                    "cleared": .number(.init(done.cleared)),
                    "resolved": .number(.init(Int64(resolved))),
                    "lines": .number(.init(counts.lines)),
                    "matchedLines": .number(.init(counts.matchedLines)),
                    "movements": .number(.init(counts.movements)),
                    "matchedMovements": .number(.init(counts.matchedMovements)),
                    "open": .array(open.map(Self.json)),
                ])
            )
            return
        }
        Terminal.say(
            "\(outcome.isWhole ? "everything" : "changes") up to position \(outcome.covers): \(done.matched) matched, "
                + "\(done.unmatched) no longer; \(done.raised) exceptions raised, \(done.cleared) cleared"
        )
        if resolved > 0 {
            Terminal.say("\(resolved) payments in doubt are resolved: a line shows their outcome")
        }
        Terminal.say(
            "\(counts.matchedLines) of \(counts.lines) lines and \(counts.matchedMovements) of \(counts.movements) "
                + "movements are explained"
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

    private static func json(_ open: OpenExceptions) -> JSONValue {
        var object: JSONObject = [
            "class": .string(open.exceptionClass), "count": .number(.init(open.count)),
        ]
        if let currency = open.currency { object["currency"] = .string(currency) }
        if let amount = open.amount { object["amount"] = .number(.init(amount)) }
        return .object(object)
    }
}
