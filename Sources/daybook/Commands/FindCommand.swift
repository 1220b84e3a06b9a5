import ArgumentParser
import Canonical
import EventLog
import Ledger
import Operations
import Payments
import Projections

struct FindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract:
            "Find whatever has a name: a payment, batch, checkout, statement, exception, run, closed day, reader or event.",
        discussion: """
            Names are ids (of a statement also the SHA-256 of its file; of a payment or a line also finds the exceptions about
            it, and so does what a line calls itself), gateway ids, retrieval references, invoices, authorisation codes, apps' references, last four
            digits, batch numbers, serial numbers of readers, and positions written as '#17'. --json prints what
            GET /v1/search answers.

            EXAMPLES
              daybook find 214972201
              daybook find 9269 --json | jq '.items[].kind'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The name.")
    var name: String

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
    var tenantName: String?

    func validate() throws {
        guard name.contains(where: { $0 != " " }) else { throw ValidationError("Say what to find.") }
    }

    func run() async throws {
        try await Session.open(common) { session in
            // The read models may be behind when no server runs: this command follows the log itself.
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                let found = try await ledger.search(name, of: tenant)
                if common.json { Terminal.say(try found.json()) } else { Self.show(found) }
            }
        }
    }

    private static func show(_ answer: SearchAnswer) {
        let rows = answer.findings.flatMap { finding -> [[String]] in
            let kind = finding.kind.rawValue
            return finding.transactions.map { [kind, "transaction", $0.id.text] }
                + finding.batches.map { [kind, "batch", $0.id.text] }
                + finding.checkouts.map { [kind, "checkout", $0.id] }
                + finding.statements.map { [kind, "statement", $0.id.text] }
                + finding.readers.map { [kind, "reader", "\($0.reader.vendor.rawValue) \($0.reader.serial)"] }
                + finding.events.map { [kind, "event", "\($0.position)"] }
                + finding.exceptions.map { [kind, "exception", $0.id.text] }
                + finding.runs.map { [kind, "run", $0.id.text] }
                + finding.periods.map { [kind, "period", $0.id.text] }
        }
        if rows.isEmpty { return Terminal.say("nothing has this name") }
        Terminal.table(["found by", "what", "id"], rows)
        if answer.findings.contains(where: { $0.count >= SearchAnswer.limit }) {
            Terminal.note("At most \(SearchAnswer.limit) of each kind are listed; `daybook list` finds the rest.")
        }
    }
}
