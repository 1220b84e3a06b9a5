import ArgumentParser
import Canonical
import Foundation
import Intake
import Ledger
import Matching
import Payments
import Projections
import Reconciliation

struct ReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Explain what processors report by the ledger's payments, and work what nothing explains.",
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
        abstract: "Match what has changed since the last run, and tell what nothing explains.",
        discussion: """
            Lines and payments are matched by a ladder of rules; what changed since the last run is looked at, with all that
            it concerns. The outcome is the same in whatever order statements come and runs are made. Payments in doubt of
            which a line shows the outcome are resolved. A server does this by itself when a statement comes in. Exit code 2:
            there are open exceptions.

            EXAMPLES
              daybook statement import settlement.csv && daybook reconcile run
              daybook reconcile run --whole --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Flag(help: "Look at everything again.")
    var whole = false

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
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
                    throw Failure(
                        "The read models are behind the log.",
                        hint: "daybook projections shows how far they are."
                    )
                } catch Reconciler.Refusal.disturbed {
                    throw Failure("Somebody else is reconciling.", hint: "Try again.")
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
            "\(outcome.isWhole ? "everything" : "what changed") up to position \(outcome.covers): \(done.matched) matched, "
                + "\(done.unmatched) no longer; \(done.raised) exceptions raised, \(done.cleared) cleared"
        )
        if resolved > 0 {
            Terminal.say("\(resolved) payments in doubt are resolved: a line shows what became of them")
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
