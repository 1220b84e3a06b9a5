import ArgumentParser
import Canonical
import Composition
import Postgres

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate the database to this build's schema, or show the migrations with --status.",
        discussion: """
            EXAMPLES
              daybook migrate --database-url postgres://...
              daybook migrate --status --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Flag(help: "Show applied and pending migrations without changing anything.")
    var status = false

    func run() async throws {
        try await Session.open(common, migrates: false) { session in
            if !status {
                let applied = try await LedgerSchema.migrate(session.configuration)
                if !common.json {
                    for migration in applied { Terminal.say("applied \(migration.number) \(migration.name)") }
                    if applied.isEmpty { Terminal.say("the schema is up to date") }
                    return
                }
            }
            let found = try await LedgerSchema.status(session.configuration)
            if common.json {
                Terminal.say(found.json)
            } else {
                for migration in found.applied {
                    Terminal.say("applied  \(migration.number)  \(migration.name)  \(migration.appliedAt.rfc3339)")
                }
                for migration in found.pending { Terminal.say("pending  \(migration.number)  \(migration.name)") }
                if let problem = found.problem { Terminal.say("problem  \(problem)") }
            }
        }
    }
}

extension PostgresMigrator.Status {
    var json: JSONValue {
        var object: JSONObject = [
            "applied": .array(
                applied.map { ["number": .number(.init(Int64($0.number))), "name": .string($0.name)] }
            ),
            "pending": .array(
                pending.map { ["number": .number(.init(Int64($0.number))), "name": .string($0.name)] }
            ),
        ]
        if let problem { object["problem"] = .string("\(problem)") }
        return .object(object)
    }
}
