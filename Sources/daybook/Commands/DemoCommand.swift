import Access
import ArgumentParser
import Canonical
import Composition
import Foundation
import Intake
import Logging
import Matching
import Reconciliation
import Redaction

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Simulate a trading day through the HTTP API and show the ledger's answers.",
        discussion: """
            Runs on a separate private PostgreSQL below the data directory. The day is always the same: 300 payments \
            over the SDKs of all vendors, with every kind of fault of `daybook simulate` in 2 of 100 cases. Then \
            processors and banks report the day with discrepancies of every class, which the reconciliation must find. \
            Afterwards the server runs until Ctrl-C; with --exit it stops.

            EXAMPLES
              daybook demo --exit
              daybook demo --listen 127.0.0.1:8090
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Address and port; port 0 lets the system choose. Default: 127.0.0.1:8080, with --exit port 0.")
    var listen: String?

    @Flag(help: "End after printing.")
    var exit = false

    /// Sets the tenant's reconciliation rules, unless they are in force already. The demonstration plays both
    /// operators.
    private static func agree(on rules: MatchingRules, in ledger: Ledger) async throws {
        guard try await ledger.reconciliation.reconciler.rules(of: "demo") != rules else { return }
        func sender(_ name: String) -> Sender {
            Sender(tenant: "demo", actor: "demo:\(name)", correlation: ledger.ids.next().text, holder: name)
        }
        let commands = ledger.reconciliation.rulesCommands
        let proposed = try await commands.propose(rules, reason: "as agreed", sender: sender("ann"))
        _ = try await commands.approve(proposed.proposal.id, reason: "as agreed", sender: sender("bob"))
    }

    func run() async throws {
        var common = common
        if common.databaseURL == nil, ProcessInfo.processInfo.environment["DATABASE_URL"] == nil {
            common.dataDir =
                (common.dataDir ?? ProcessInfo.processInfo.environment["DAYBOOK_DATA_DIR"] ?? ".daybook") + "/demo"
        }
        let (isBrief, isJSON) = (exit, common.json)
        try await Session.open(common, logLevel: .warning) { session in
            let address = try Address(
                session.settings.text("listen", flag: listen) ?? (isBrief ? "127.0.0.1:0" : "127.0.0.1:8080")
            )
            let key = try await session.withLedger(for: .appending, signing: .appendingNothing) { ledger in
                try await ledger.keys.create(
                    tenant: "demo",
                    scopes: [.documents, .read, .reconcile, .audit],
                    mode: .test,
                    name: "demo",
                    expiresAt: nil
                ).key
            }
            let evidence = try await session.evidence()
            try await Server(session: session, address: address, evidence: evidence).run { port in
                let base = "http://\(address.host):\(port)"
                let day = try DemoDay(client: APIClient(base: base, key: key.secret)) { rules in
                    try await session.withLedger(for: .appending, signing: evidence) { ledger in
                        try await Self.agree(on: rules, in: ledger)
                    }
                }
                if isJSON { Terminal.say(try await day.report()) } else { try await day.run() }
                guard !isBrief else { return }
                let say = isJSON ? Terminal.note : { Terminal.say($0) }
                say("The API runs at \(base) until Ctrl-C. Try:")
                say("  curl -H 'Authorization: Bearer \(key.secret)' \(base)/v1/transactions")
                say("The console is at \(base)/console. Sign in with the key \(key.secret)")
                await Server.untilStopped()
            }
        }
    }
}
