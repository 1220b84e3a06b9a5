import ArgumentParser
import Canonical
import Composition
import EventLog
import Merkle
import Operations
import Projections

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the length of the log, and the newest checkpoint.",
        discussion: """
            EXAMPLES
              daybook log
              daybook log adopt \\
                --reason 'restored the backup of 25 November after a disk failure'
            """,
        subcommands: [LogShowCommand.self, LogAdoptCommand.self],
        defaultSubcommand: LogShowCommand.self
    )
}

struct LogShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the length of the log, and the newest checkpoint.",
        discussion: """
            --json prints the answer of GET /v1/log, without the members about the server.

            EXAMPLES
              daybook log
              daybook log --json | jq .checkpoint.size
            """
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading([])) { ledger in
                let head = try await ledger.evidence.head()
                let log = LogHeadJSON(
                    position: head.position,
                    epoch: head.epoch.number,
                    checkpoint: try await ledger.evidence.checkpoint()
                )
                if common.json { return try Terminal.say(json: log) }
                Terminal.say("events      \(log.position)")
                if log.epoch > 0 { Terminal.say("epoch       \(log.epoch)") }
                guard let checkpoint = log.checkpoint else { return Terminal.say("checkpoint  none") }
                Terminal.say("checkpoint  \(checkpoint.size, "event"), signed \(checkpoint.signedAt.rfc3339)")
                Terminal.say("root        \(checkpoint.root)")
            }
        }
    }
}

struct ProjectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projections",
        abstract: "Show the position and state of each read model.",
        discussion: """
            --json prints the answer of GET /v1/projections.

            EXAMPLES
              daybook projections
              daybook projections --json | jq '.items[] | select(.state == "halted")'
            """
    )

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading([])) { ledger in
                let models = try await ledger.readModels.positions()
                if common.json { return try Terminal.say(json: ProgressPageJSON(models)) }
                Terminal.table(
                    ["name", "version", "state", "position", "behind by"],
                    models.map { model in
                        let state = model.fault != nil ? "halted" : model.isRebuilding ? "rebuilding" : "running"
                        return [model.name, "\(model.version)", state, "\(model.position)", "\(model.lag)"]
                    },
                    rightAligned: [1, 3, 4]
                )
                for case (let name, let fault?) in models.map({ ($0.name, $0.fault) }) {
                    Terminal.note("\(name): \(fault)")
                }
            }
        }
    }
}
