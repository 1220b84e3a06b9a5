import ArgumentParser
import Canonical
import Composition
import EventLog
import Operations
import Projections
import Reconciliation

struct ReconcileRunsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "List the newest runs, or show one with its range and its changes.",
        discussion: """
            --json prints the answer of GET /v1/reconciliations, and with an id the answer of GET \
            /v1/reconciliations/{id}. `daybook list matches made_by=ID` and `daybook list exceptions raised_by=ID` \
            list the results of a run.

            EXAMPLES
              daybook reconcile runs
              daybook reconcile runs 9d43da89-...
              daybook reconcile runs --as-of-position 12000
              daybook list matches ended_by=9d43da89-... --csv
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of one run.")
    var id: String?

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 20

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(help: "The list as of this position of the log.")
    var asOfPosition: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard asOfPosition ?? 0 >= 0 else { throw ValidationError("--as-of-position must be 0 or more.") }
        guard id == nil || asOfPosition == nil else { throw ValidationError("--as-of-position excludes an id.") }
    }

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.reconciliations.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                if let id { return try await show(id, of: tenant, in: ledger) }
                try await ledger.say(
                    Lists.reconciliations.request((), at: asOfPosition.map(Moment.position)),
                    of: tenant,
                    after: cursor,
                    limit: limit,
                    asJSON: common.json,
                    nothing: "no run yet",
                    Self.show
                )
            }
        }
    }

    private func show(_ id: String, of tenant: String, in ledger: Ledger) async throws {
        guard let known = UUID128(id), let found = try await ledger.reconciliation.reconciler.run(known, of: tenant)
        else {
            throw Failure("There is no such run.", hint: "`daybook reconcile runs` lists them.")
        }
        let item = try RunJSON(found)
        if common.json { return try Terminal.say(json: item) }
        Self.show([item])
        Terminal.say()
        let range = found.since == 0 ? "everything" : "the changes after position \(found.since)"
        Terminal.say("The run examined \(range), up to position \(found.covers), with the rules \(found.rules).")
        if let failure = found.failure {
            return Terminal.say(
                "The run failed (\(failure.reason)), recorded \(failure.at.rfc3339). \(Self.interruption)"
            )
        }
        guard let end = found.completion else {
            return Terminal.say(
                found.status == .cutOff
                    ? "The run was interrupted. \(Self.interruption)"
                    : "The run has not ended."
            )
        }
        if end.posted + end.unposted > 0 {
            Terminal.say("Posting rules: \(end.posted, "line") explained, \(end.unposted) no longer.")
        }
        Terminal.say(
            "Deposits: \(end.depositsMatched) matched, \(end.depositsUnmatched) no longer. The run ended at \(end.at.rfc3339)."
        )
    }

    private static let interruption = "Its recorded results stay valid; the next run completes the rest."

    private static func show(_ runs: [RunJSON]) {
        Terminal.table(
            ["id", "began (UTC)", "by", "status", "up to", "matched", "no longer", "raised", "cleared"],
            runs.map { run in
                [run.id.text, run.beganAt.rfc3339, run.beganBy, run.status.rawValue, "\(run.covers)"]
                    + [run.matched, run.unmatched, run.raised, run.cleared].map { $0.map { "\($0)" } ?? "-" }
            },
            rightAligned: [4, 5, 6, 7, 8]
        )
    }
}
