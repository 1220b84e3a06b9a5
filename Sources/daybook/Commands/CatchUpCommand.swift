import ArgumentParser
import Composition
import EventLog
import Operations
import Projections

struct CatchUpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catch-up",
        abstract: "Apply the log to all read models, settle payments of closed batches, and end.",
        discussion: """
            `daybook serve` does this all the time. Commands that read apply nothing: without a server, run this when \
            they fail with projection-behind. Read models that were made by older rules are rebuilt. --json prints the \
            answer of GET /v1/projections.

            EXAMPLES
              daybook catch-up
              daybook catch-up --json
            """
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .applying) { ledger in
                let position = try await ledger.waitUntilApplied(upTo: try await ledger.reader.head()) {
                    Terminal.progress("catch-up", $0, of: $1)
                }
                let models = try await ledger.readModels.positions()
                if common.json { return try Terminal.say(json: ProgressPageJSON(models)) }
                Terminal.say("\(models.count) read models contain the log up to position \(position)")
            }
        }
    }
}
