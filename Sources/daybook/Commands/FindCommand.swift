import ArgumentParser
import Canonical
import Composition
import EventLog
import Operations
import Payments
import Projections
import Reconciliation

struct FindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract:
            "Find by name: payments, batches, checkouts, statements, exceptions, runs, closed days, readers and events.",
        discussion: """
            Names are ids, gateway ids, retrieval references, invoices, authorization codes, apps' references, last \
            four digits, batch numbers, serial numbers of readers, and positions written as '#17'. A statement is also \
            found by the SHA-256 of its file, and an exception by the id of its payment or line or by the references \
            of its line. --json prints the answer of GET /v1/search.

            EXAMPLES
              daybook find 214972201
              daybook find 9269 --json | jq '.items[].kind'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The name.")
    var name: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard name.contains(where: { $0 != " " }) else { throw ValidationError("Name something to find.") }
    }

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(
                for: .reading(["transactions", "reconciliation", "batches", "checkouts", "statements", "readers"])
            ) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let found = try await ledger.search(name, of: tenant)
                if common.json { try Terminal.say(json: FoundJSON(found)) } else { Self.show(found) }
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
        if rows.isEmpty { return Terminal.say("nothing found") }
        Terminal.table(["found by", "what", "id"], rows)
        if answer.findings.contains(where: { $0.count >= SearchAnswer.limit }) {
            Terminal.note("At most \(SearchAnswer.limit) of each kind are listed; `daybook list` shows the rest.")
        }
    }
}
