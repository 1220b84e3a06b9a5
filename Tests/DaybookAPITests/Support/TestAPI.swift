import Access
import Canonical
import Composition
import DaybookAPI
import DaybookTestKit
import EventLog
import Foundation
import Gateways
import HTTPEdge
import Logging
import Operations
import Postgres
import Replay
import ServiceLifecycle
import Synchronization
import Testing

/// The ledger behind its HTTP API, with its own database and port.
struct TestAPI: Sendable {
    let port: Int
    let url: String
    let ledger: Ledger
    let contract: Contract
    /// The log output, before any scrubbing.
    let log: CollectedLog
    let group: ServiceGroup

    /// Serves while `body` runs, then shuts down gracefully.
    ///
    /// Limits are generous, because tests run in parallel and share the processors.
    ///
    /// - Parameters:
    ///   - acquireTimeout: How long a read waits for a connection.
    ///   - waitLimit: How long a read waits for its `min_position`.
    static func serve(
        clock: any WallClock = SystemClock(),
        template: TestDatabase.Template = .readModels,
        archiveDirectory: String? = nil,
        signing: EvidenceOptions = .init(),
        acquireTimeout: Duration = .seconds(60),
        waitLimit: Duration = .seconds(60),
        uploads: Int = 4,
        gateways: [GatewayConfiguration] = [],
        replaying: ReplayOptions = .init(),
        _ configure: (inout EdgeConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (TestAPI) async throws -> Void
    ) async throws {
        var configuration = EdgeConfiguration()
        API.prepare(&configuration)
        configuration.port = 0
        configuration.requestDeadline = .seconds(120)
        configuration.gracePeriod = .seconds(10)
        configure(&configuration)
        let edge = configuration
        try await withTestDatabase(template: template) { url in
            try await serve(
                at: url,
                clock,
                archiveDirectory,
                signing,
                acquireTimeout,
                waitLimit,
                uploads,
                gateways,
                replaying,
                edge,
                body
            )
        }
    }

    private static func serve(
        at url: String,
        _ clock: any WallClock,
        _ archiveDirectory: String?,
        _ signing: EvidenceOptions,
        _ acquireTimeout: Duration,
        _ waitLimit: Duration,
        _ uploads: Int,
        _ gateways: [GatewayConfiguration],
        _ replaying: ReplayOptions,
        _ configuration: EdgeConfiguration,
        _ body: @escaping @Sendable (TestAPI) async throws -> Void
    ) async throws {
        let log = CollectedLog()
        let contract = try Contract.published.get()
        let ledger = Ledger(
            configuration: PostgresConfiguration(connectionString: url),
            connections: 6,
            archiveDirectory: archiveDirectory,
            acquireTimeout: acquireTimeout,
            waitLimit: waitLimit,
            signing: signing,
            gateways: gateways,
            replaying: replaying,
            clock: clock,
            logger: log.logger
        )
        let readiness = Readiness()
        let api = API(
            ledger: ledger,
            readiness: readiness,
            logger: log.logger,
            metrics: { "up 1\n" },
            uploads: uploads
        )
        let router = api.router()
        // Gateways are configured but never called.
        try await ledger.run(for: .applying) {
            let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
            let server = EdgeServer(
                configuration: configuration,
                router: router,
                logger: log.logger,
                onRunning: { continuation.yield($0) },
                onDraining: { readiness.withdraw() }
            )
            let group = ServiceGroup(services: [server], logger: log.logger)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { continuation.finish() }
                    try await group.run()
                }
                for await port in ports {
                    let api = TestAPI(
                        port: port,
                        url: url,
                        ledger: ledger,
                        contract: contract,
                        log: log,
                        group: group
                    )
                    do {
                        try await body(api)
                    } catch {
                        await group.triggerGracefulShutdown()
                        throw error
                    }
                    break
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }
    }

    /// A caller with a new key.
    func caller(
        _ scopes: Set<Scope> = [.documents, .events, .evidence, .read],
        tenant: String = "acme",
        holder: String? = "holder-\(UInt64.random(in: 0...(.max)))",
        binding: KeyBinding = KeyBinding(),
        expiresAt: Timestamp? = nil
    ) async throws -> Caller {
        let key = try await ledger.keys.create(
            tenant: tenant,
            scopes: scopes,
            mode: .test,
            name: "test",
            holder: holder,
            binding: binding,
            expiresAt: expiresAt
        ).key
        return Caller(port: port, contract: contract, key: key.secret)
    }

    /// A caller without a key.
    var stranger: Caller { Caller(port: port, contract: contract) }

    /// Every event of the log, in order.
    func events() async throws -> [RecordedEvent] { try await ledger.reader.events(after: 0, limit: .max) }
}

/// Collected log output: one JSON object for each line.
final class CollectedLog: Sendable {
    private let collected = Mutex<[String]>([])

    var lines: [String] { collected.withLock { $0 } }

    var logger: Logger {
        var logger = Logger(label: "test") { label in
            ScrubbingLogHandler(label: label, format: .json, scrubber: FunctionScrubber { $0 }) { line in
                self.collected.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
        logger.logLevel = .debug
        return logger
    }
}

extension TestDatabase.Template {
    /// An empty ledger with its read models: making their tables takes longer than most tests.
    static let readModels = ledger("read-models") { url in
        let ledger = Ledger(
            configuration: PostgresConfiguration(connectionString: url),
            connections: 6,
            acquireTimeout: .seconds(60),
            logger: TestLog.logger
        )
        try await ledger.run(for: .appending) {}
    }
}
