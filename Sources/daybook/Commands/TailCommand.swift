import ArgumentParser
import Canonical
import Composition
import EventLog

struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Print the newest events, and with --follow new ones as they are appended.",
        discussion: """
            --json prints the record lines of the events, byte for byte: as one array, or with --follow one per line.

            EXAMPLES
              daybook tail -n 50
              daybook tail --follow --type AnomalyRaised --tenant acme
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(name: [.customShort("n"), .long], help: "The number of newest events to print first.")
    var count: Int = 20

    @Flag(name: .shortAndLong, help: "Continue to print events as they are appended.")
    var follow = false

    @Option(help: "Only events of this type.")
    var type: String?

    @Option(help: "Only events of this stream, such as transaction/0198c5f2-....")
    var stream: String?

    @Option(help: "The tenant. Optional when there is only one.")
    var tenant: String?

    func validate() throws {
        guard (0...100_000).contains(count) else { throw ValidationError("-n must be 0 to 100000.") }
    }

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading([])) { ledger in
                let tenant = try await ledger.tenant(tenant)
                var filter = EventFilter()
                filter.type = type
                filter.stream = stream
                // Read first, so that no event between the two reads is missed.
                let head = try await ledger.evidence.head()
                let newest = try await ledger.reader.newest(of: tenant, matching: filter, limit: count)
                if common.json, !follow {
                    return Terminal.say("[" + newest.map(\.recordLine).joined(separator: ",\n") + "]")
                }
                newest.forEach(show)
                guard follow else { return }
                var position = max(head.position, newest.last?.position ?? 0)
                while true {
                    let events = try await ledger.reader.feed(of: tenant, matching: filter, after: position, limit: 500)
                    guard try await ledger.evidence.head().epoch.number == head.epoch.number else {
                        throw Failure(
                            "The log was adopted and is in another epoch.",
                            hint: "Run the command again to follow it there."
                        )
                    }
                    events.forEach(show)
                    if let last = events.last { position = last.position }
                    if events.count < 500 { try await ledger.log.waitForAppend(beyond: position) }
                }
            }
        }
    }

    private func show(_ event: RecordedEvent) {
        if common.json {
            Terminal.say(event.recordLine)
        } else {
            Terminal.say(
                "\(event.position)  \(event.recordedAt.rfc3339)  \(event.stream) v\(event.version)  \(event.type)  \(event.actor)"
            )
        }
    }
}
