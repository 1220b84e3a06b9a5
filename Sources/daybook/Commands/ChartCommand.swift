import ArgumentParser
import Canonical
import Composition
import Intake
import Journal
import Operations
import Payments

struct ChartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chart",
        abstract: "Show the chart of accounts, or define its next version.",
        discussion: """
            The chart gives each account of the journal its name and number in accounting software. Accounts and \
            members that a file leaves out have their standard values. --json prints the answer of GET /v1/chart; --set \
            accepts its member `accounts`, or all of it. Exports keep the version with which they were recorded. \
            docs/journal.md describes the members.

            EXAMPLES
              daybook chart
              daybook chart --json > chart.json
              daybook chart --set chart.json --reason 'as in the books of 2026'
              daybook chart --version 1
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "The version to show, from 0, the standard chart. Default: the newest.")
    var version: Int64?

    @OptionGroup var replacement: ReplacementOptions

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard replacement.file == nil || version == nil else { throw ValidationError("--version excludes --set.") }
        guard version ?? 0 >= 0 else { throw ValidationError("--version must be 0 or more.") }
    }

    func run() async throws {
        let command = try command()
        try await Session.open(common) { session in
            try await session.withLedger(for: command == nil ? .reading(["journal"]) : .applying) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                if let command {
                    let outcome: ChartCommands.Outcome
                    do {
                        outcome = try await ledger.define(
                            command,
                            idempotencyKey: nil,
                            sender: ledger.sender(tenant)
                        )
                    } catch let problem as IntakeProblem {
                        throw Failure(problem.detail)
                    }
                    try await ledger.catchUp()
                    return try show(ChartJSON(outcome.stored))
                }
                guard let found = try await ledger.chart(of: tenant, version: version) else {
                    throw Failure("The chart has no such version.", hint: "`daybook chart` shows the newest.")
                }
                try show(found)
            }
        }
    }

    /// The command in a file of accounts; nil to show the chart.
    private func command() throws -> DefineChart? {
        guard var body = try replacement.body("accounts") else { return nil }
        if let entries = body["accounts"]?.array {
            let accounts = entries.map { entry -> JSONValue in
                guard var object = entry.object else { return entry }
                // The answer of GET /v1/chart has the kind of each account, too.
                object["kind"] = nil
                return .object(object)
            }
            body["accounts"] = .array(accounts)
        }
        do {
            return try DefineChart(reading: .object(body))
        } catch let problem as ChartProblem {
            throw Failure("\(problem.pointer): \(problem.detail)", exitCode: 64)
        } catch let problem as IntakeProblem {
            throw Failure(problem.detail, exitCode: 64)
        }
    }

    private func show(_ chart: ChartJSON) throws {
        guard !common.json else { return try Terminal.say(json: chart) }
        if let by = chart.changedBy, let at = chart.changedAt, let reason = chart.reason {
            Terminal.say("version \(chart.version), by \(by) at \(at.rfc3339): \(reason)")
        } else {
            Terminal.say("standard chart")
        }
        Terminal.say()
        Terminal.table(
            ["account", "number", "name", "root"],
            chart.accounts.map { [$0.account.rawValue, $0.number, $0.name, $0.root.rawValue] }
        )
    }
}
