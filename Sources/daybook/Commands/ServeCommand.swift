import ArgumentParser
import Canonical
import Composition
import Console
import DaybookAPI
import EventLog
import Gateways
import HTTPEdge
import Logging
import Metrics
import Operations
import Postgres
import Replay
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the HTTP API until SIGTERM or SIGINT, then complete accepted requests.",
        discussion: """
            EXAMPLES
              daybook serve
              daybook serve --listen 127.0.0.1:0 --data-dir /srv/daybook
              daybook serve --log-key /etc/daybook/log.key \\
                --witness-file /mnt/worm/checkpoints
              daybook serve --witness-url https://witness.example.com \\
                --witness-key /etc/daybook/witness.pub
              DATABASE_URL=postgres://... daybook serve
              DAYBOOK_GATEWAYS=hp DAYBOOK_GATEWAY_HP_KIND=handpoint \\
                DAYBOOK_GATEWAY_HP_URL=https://... \\
                DAYBOOK_GATEWAY_HP_TENANT=acme DAYBOOK_GATEWAY_HP_ACCOUNTS=... \\
                DAYBOOK_GATEWAY_HP_API_KEY=... \\
                daybook serve    queries the gateway about payments in doubt
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Address and port; port 0 lets the system choose. Default: 127.0.0.1:8080")
    var listen: String?

    @Option(help: "The log level: trace, debug, info, notice, warning, error or critical. Default: info")
    var logLevel: String?

    @Option(help: "The file with the signing keys of the log (`daybook keys log`). Default: <data-dir>/log.key")
    var logKey: String?

    @Option(
        help: "The witness file: every checkpoint is also appended to it, so that a truncated log is detected."
    )
    var witnessFile: String?

    @Option(
        help: """
            The remote witness (C2SP tlog-witness), such as `daybook witness`: nothing is appended before it has \
            confirmed that the log continues what it knows.
            """
    )
    var witnessURL: String?

    @Option(help: "The key of the remote witness, as text (name+id+base64) or as a file of such lines.")
    var witnessKey: String?

    @Option(
        help: """
            Minutes between reconciliations, which find payments that become due; a new statement also starts one at once. \
            0: reconcile only on request. Default: 60
            """
    )
    var reconcileEvery: Int?

    @Option(
        help: """
            The maximum number of concurrent uploads of statement files over HTTP, 0 to 64; each needs up to 32 MiB of \
            memory. Default: 4
            """
    )
    var uploads: Int?

    @Flag(help: "Do not migrate the schema; refuse to start when migrations are pending.")
    var skipMigrations = false

    func run() async throws {
        let level = try Self.level(logLevel)
        try await Session.open(common, logLevel: level, migrates: !skipMigrations) { session in
            let address = try Address(session.settings.text("listen", flag: listen) ?? "127.0.0.1:8080")
            if skipMigrations {
                let status = try await LedgerSchema.status(session.configuration)
                if let problem = status.problem { throw problem }
                guard status.pending.isEmpty else {
                    throw Failure("The schema is not up to date.", hint: "Run `daybook migrate` first.")
                }
            }
            let remote = try session.settings.remoteWitness(url: witnessURL, key: witnessKey)
            let evidence = try await session.evidence(logKey: logKey, witnessFile: witnessFile, remote: remote)
            let minutes = try session.settings.integer("reconcile.every", flag: reconcileEvery, in: 0...10_080) ?? 60
            let server = Server(
                session: session,
                address: address,
                evidence: evidence,
                standbys: try session.settings.standbys(),
                gateways: try session.settings.gateways(),
                replaying: try session.settings.replaying(),
                reconciling: minutes == 0 ? nil : .seconds(60 * minutes),
                uploads: try session.settings.integer("uploads", flag: uploads, in: 0...64) ?? Server.standardUploads
            )
            try await server.run { port in
                let url = "http://\(address.host):\(port)"
                Terminal.say(common.json ? JSONValue.object(["listening": .string(url)]).text : "listening on \(url)")
                await Server.untilStopped()
            }
        }
    }

    static func level(_ text: String?) throws -> Logger.Level {
        guard let text else { return .info }
        guard let level = Logger.Level(rawValue: text) else { throw Failure("There is no log level with this name.") }
        return level
    }
}

/// An address to listen at.
struct Address: Sendable {
    let host: String
    let port: Int

    init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port), colon > text.startIndex
        else { throw Failure("An address must be HOST:PORT, such as 127.0.0.1:8080.") }
        host = String(text[..<colon].trimmingPrefix("[").replacing("]", with: ""))
        self.port = port
    }
}

/// The ledger with its API, as one service.
struct Server: Sendable {
    let session: Session
    let address: Address
    let evidence: EvidenceOptions
    /// What synchronous replication has to be like.
    var standbys = DurabilitySettings.Standbys.unspecified
    /// The gateways that are queried about payments in doubt.
    var gateways: [GatewayConfiguration] = []
    /// The options for planning and executing replays.
    var replaying = ReplayOptions()
    /// The interval of automatic reconciliation; nil for none.
    var reconciling: Duration?
    /// The maximum number of concurrent uploads of statement files.
    var uploads = Server.standardUploads

    static let standardUploads = 4

    /// Serves until SIGTERM or SIGINT, or until `body` returns.
    ///
    /// - Parameter body: Runs beside the server, once the server accepts connections on the port.
    func run(_ body: @escaping @Sendable (_ port: Int) async throws -> Void) async throws {
        let metrics = ProcessMetrics.registry
        let readiness = Readiness()
        try await session.withLedger(
            for: .following,
            connections: 16,
            signing: evidence,
            standbys: standbys,
            gateways: gateways,
            replaying: replaying,
            reconcilingEvery: reconciling
        ) { ledger in
            if let fault = try await ledger.watch?.check().settings.fault(standbys: standbys) {
                throw Failure(
                    "The settings of the database do not keep what was acknowledged (\(fault.rawValue)).",
                    hint: "\(fault)."
                )
            }
            let api = API(
                ledger: ledger,
                readiness: readiness,
                logger: session.logger,
                metrics: { metrics.text },
                uploads: uploads
            )
            var options = ConsoleOptions()
            options.requiresTLS = session.settings.flag("console.requires.tls")
            options.version = Version.text
            let console = try WebConsole(ledger: ledger, options: options)
            var configuration = EdgeConfiguration()
            API.prepare(&configuration)
            configuration.host = address.host
            configuration.port = address.port
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let server = EdgeServer(
                configuration: configuration,
                router: api.router(beside: console.router()),
                logger: session.logger,
                metrics: metrics,
                onRunning: { port.yield($0) },
                onDraining: { readiness.withdraw() }
            )
            let companion = Companion(ports: ports, body: body)
            let group = ServiceGroup(
                configuration: .init(
                    services: [
                        .init(service: server),
                        .init(service: companion, successTerminationBehavior: .gracefullyShutdownGroup),
                    ],
                    gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: session.logger
                )
            )
            try await group.run()
        }
    }

    /// Returns when the server begins to shut down.
    static func untilStopped() async {
        try? await gracefulShutdown()
    }
}

/// The service that runs beside the server, once the server accepts connections.
private struct Companion: Service {
    let ports: AsyncStream<Int>
    let body: @Sendable (_ port: Int) async throws -> Void

    func run() async throws {
        for await port in ports.cancelOnGracefulShutdown() {
            try await body(port)
            return
        }
    }
}
