import ArgumentParser
import Canonical
import EventLog
import Foundation
import HTTPEdge
import Logging
import Merkle
import ServiceLifecycle
import UnixSignals
import WitnessService

struct WitnessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "witness",
        abstract: "Witness the checkpoints of other logs (C2SP tlog-witness), until SIGTERM or SIGINT.",
        discussion: """
            A witness cosigns a checkpoint only if the log has continued from the one that it cosigned before. Run it \
            on another machine than the log, under another operator. It needs no database.

            The state directory has the newest checkpoint of each log: keep it. A witness without it accepts any log. \
            The key file has the form of `daybook keys log`; it is created with the first start unless it is named. \
            The key that is printed is DAYBOOK_WITNESS_KEY of `daybook serve`.

            A log of Daybook that an operator has adopted is in a later epoch, and begins a new tree. The witness \
            accepts that, logs it, and keeps the last checkpoint of each earlier epoch.

            EXAMPLES
              daybook witness --log 'ledger.example.com/log+2538d7a3+AQOhB7/...'
              daybook witness --listen 127.0.0.1:8090 --state-dir /var/lib/witness \\
                --log /etc/witness/logs.pub
              daybook keys log --log-key /etc/witness/key --origin witness.example.com/w1
              daybook witness --signing-key /etc/witness/key --show-key
            """
    )

    @OptionGroup var common: LocalOptions

    @Option(help: "Address and port; port 0 lets the system choose. Default: 127.0.0.1:8090")
    var listen: String?

    @Option(help: "The directory of the checkpoints that were cosigned. Default: <data-dir>/witness")
    var stateDir: String?

    @Option(help: "The file with the witness's signing key. Default: <data-dir>/witness.key")
    var signingKey: String?

    @Option(
        help: """
            The public key of a log that is served, as text (name+id+base64) or as a file of such lines; may be given \
            several times. Also DAYBOOK_WITNESS_LOGS, separated by commas
            """
    )
    var log: [String] = []

    @Option(help: "The log level: trace, debug, info, notice, warning, error or critical. Default: info")
    var logLevel: String?

    @Flag(help: "Print the key that verifies the cosignatures, and exit.")
    var showKey = false

    func run() async throws {
        let settings = try Settings(common)
        let address = try Address(settings.text("witness.listen", flag: listen) ?? "127.0.0.1:8090")
        let cosigners = try signingKeys(settings)
        if showKey { return printKeys(cosigners) }
        let logger = Session.logger(try ServeCommand.level(logLevel))
        let path = settings.text("witness.state.dir", flag: stateDir) ?? settings.dataDirectory + "/witness"
        let logs: WitnessedLogs
        do {
            let directory = try WitnessDirectory(path: path)
            logs = try WitnessedLogs(
                keys: try logKeys(settings),
                cosigners: cosigners,
                directory: directory,
                logger: logger
            )
        } catch let failure as WitnessDirectory.Failure {
            throw Failure("The state of the witness cannot be used: \(failure).", hint: "Check --state-dir.")
        }
        try await serve(logs, cosigners, at: address, logger)
    }

    private func serve(
        _ logs: WitnessedLogs,
        _ cosigners: [CosigningKey],
        at address: Address,
        _ logger: Logger
    ) async throws {
        var configuration = EdgeConfiguration()
        configuration.host = address.host
        configuration.port = address.port
        let server = EdgeServer(
            configuration: configuration,
            router: logs.router(),
            logger: logger,
            onRunning: { port in announce("http://\(address.host):\(port)", logs, cosigners) }
        )
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: server)],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        )
        try await group.run()
    }

    /// The keys of the key file. The default file is created if it is missing.
    private func signingKeys(_ settings: Settings) throws -> [CosigningKey] {
        let named = settings.text("witness.signing.key", flag: signingKey)
        let file = LogKeyFile(named ?? settings.dataDirectory + "/witness.key")
        if !file.exists, named == nil { try file.create(.new(origin: nil)) }
        return try file.read().signing.map { CosigningKey($0) }
    }

    private func logKeys(_ settings: Settings) throws -> [NoteVerifierKey] {
        let listed = settings.text("witness.logs", flag: nil)?.split(separator: ",") ?? []
        let given = log.isEmpty ? listed.map { String($0.filter { $0 != " " }) } : log
        guard !given.isEmpty else {
            throw Failure("The witness serves no log.", hint: "Give the public key of each with --log.")
        }
        return try given.flatMap { try VerifierKeys($0) }
    }

    private func printKeys(_ cosigners: [CosigningKey]) {
        let keys = cosigners.map(\.cosignerKey.text)
        if common.json { return Terminal.say(["keys": .array(keys.map { .string($0) })]) }
        for key in keys { Terminal.say(key) }
    }

    private func announce(_ url: String, _ logs: WitnessedLogs, _ cosigners: [CosigningKey]) {
        let keys = cosigners.map(\.cosignerKey.text)
        if common.json {
            return Terminal.say([
                "listening": .string(url), "keys": .array(keys.map { .string($0) }),
                "logs": .array(logs.origins.map { .string($0) }),
            ])
        }
        for key in keys { Terminal.say("key \(key)") }
        for origin in logs.origins { Terminal.say("log \(origin)") }
        Terminal.say("listening on \(url)")
    }
}
