import ArgumentParser
import Canonical
import Composition
import EventLog
import Operations

struct EventCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event",
        abstract: "Print one event of the log, or its inclusion proof.",
        discussion: """
            Prints the record line, byte for byte as it is hashed. --proof prints the answer of GET \
            /v1/events/{position}/proof.

            EXAMPLES
              daybook event 17
              daybook event 17 --proof > proof.json
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The position of the event.")
    var position: Int64

    @Flag(help: "Print the proof that the signed log has the event at this position.")
    var proof = false

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading([])) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                guard position > 0, let event = try await ledger.reader.event(at: position, of: tenant) else {
                    throw Failure("The tenant has no event at this position.", hint: "`daybook tail` shows the newest.")
                }
                guard proof else { return Terminal.say(event.recordLine) }
                do {
                    guard let proof = try await ledger.evidence.proof(of: event) else {
                        throw Failure(
                            "No checkpoint covers the event yet.",
                            hint: "A server with a key signs one every second: `daybook keys log`, `daybook serve`."
                        )
                    }
                    try Terminal.say(json: EventProofJSON(proof))
                } catch let fault as EvidenceFault {
                    throw Failure(
                        "The log contradicts its signed checkpoint: \(fault).",
                        hint: "`daybook verify` shows the faults.",
                        exitCode: 2
                    )
                }
            }
        }
    }
}
