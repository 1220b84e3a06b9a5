import ArgumentParser
import Canonical
import EventLog
import Ledger
import Operations
import Projections
import Reconciliation

struct ReconcileRunsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "List the newest runs, or show one: what it looked at and what it changed.",
        discussion: """
            --json prints what GET /v1/reconciliations answers, and with an id what GET /v1/reconciliations/{id} does. What a
            run matched and raised: daybook list matches made_by=ID, daybook list exceptions raised_by=ID.

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

    @Option(help: "How many, 1 to 1000.")
    var limit = 20

    @Option(help: "Where an earlier answer ended: its `next`.")
    var cursor: String?

    @Option(help: "As it was when everything up to this position was in; of the list.")
    var asOfPosition: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard asOfPosition ?? 0 >= 0 else { throw ValidationError("--as-of-position must be 0 or more.") }
        guard id == nil || asOfPosition == nil else { throw ValidationError("--as-of-position goes without an id.") }
    }

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                if let id { return try await show(id, of: tenant, in: ledger) }
                let start = try cursor.map { try Cursor(given: $0) }
                // What is still to come stands for the end of the log.
                let head = try await ledger.reader.head()
                let position = asOfPosition.map { min($0, head) }
                let found = try await ledger.page(.runs(at: position), of: tenant, after: start, limit: limit)
                let items = try found.items.map { try JSONValue(parsing: $0.utf8) }
                if common.json {
                    var page: JSONObject = ["items": .array(items)]
                    if let position { page["asOfPosition"] = .number(.init(position)) }
                    page.set("next", found.next?.text)
                    return Terminal.say(page.saying(more: found.next != nil))
                }
                if items.isEmpty { return Terminal.say("nobody has reconciled yet") }
                Self.show(items)
                if let next = found.next { Terminal.note(next.hint) }
            }
        }
    }

    private func show(_ id: String, of tenant: String, in ledger: Ledger) async throws {
        guard let known = UUID128(id), let found = try await ledger.reconciler.run(known, of: tenant) else {
            throw Failure("There is no such run.", hint: "`daybook reconcile runs` lists them.")
        }
        if common.json { return Terminal.say(found.json) }
        Self.show([found.json])
        Terminal.say()
        let looked = found.since == 0 ? "everything" : "what changed after position \(found.since)"
        Terminal.say("It looked at \(looked), up to position \(found.covers), by the rules \(found.rules).")
        if let failure = found.failure {
            return Terminal.say(
                "It failed (\(failure.reason)), told \(failure.at.rfc3339). What it had told holds; the next run tells the rest."
            )
        }
        guard let end = found.completion else {
            return Terminal.say(
                found.status == .cutOff
                    ? "It was cut off: nobody is at it. What it had told holds; the next run tells the rest."
                    : "It goes on."
            )
        }
        Terminal.say(
            "Deposits: \(end.depositsMatched) matched, \(end.depositsUnmatched) no longer. It ended \(end.at.rfc3339)."
        )
    }

    private static func show(_ items: [JSONValue]) {
        Terminal.table(
            ["id", "began (UTC)", "by", "status", "up to", "matched", "no longer", "raised", "cleared"],
            items.map { run in
                ["id", "beganAt", "beganBy", "status"].map { run[$0]?.string ?? "" }
                    + ["covers", "matched", "unmatched", "raised", "cleared"].map { run[$0]?.text ?? "-" }
            },
            rightAligned: [4, 5, 6, 7, 8]
        )
    }
}
