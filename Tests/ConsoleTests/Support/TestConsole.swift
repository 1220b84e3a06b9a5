import Access
import Canonical
import Console
import DaybookAPI
import DaybookTestKit
import EventLog
import HTTPEdge
import Intake
import Ledger
import Logging
import Payments
import Postgres
import ServiceLifecycle
import Simulator
import Synchronization
import Testing

/// The ledger behind its API and its console, on a database and a port of its own.
struct TestConsole: Sendable {
    let port: Int
    let url: String
    let ledger: Ledger
    let log: CollectedLog

    /// Serves while `body` runs, then shuts down gracefully.
    static func serve(
        clock: any WallClock = SystemClock(),
        options: ConsoleOptions = ConsoleOptions(),
        signing: EvidenceOptions = .init(),
        _ body: @escaping @Sendable (TestConsole) async throws -> Void
    ) async throws {
        try await withTestDatabase(template: .ledger) { url in
            let log = CollectedLog()
            let ledger = Ledger(
                configuration: PostgresConfiguration(connectionString: url),
                connections: 6,
                acquireTimeout: .seconds(5),
                signing: signing,
                clock: clock,
                logger: log.logger
            )
            let console = try Console(ledger: ledger, options: options)
            let api = API(ledger: ledger, readiness: Readiness(), logger: log.logger, metrics: { "" })
            let router = try api.router(beside: console.router())
            var configuration = EdgeConfiguration()
            API.prepare(&configuration)
            configuration.port = 0
            configuration.lingerTimeout = .milliseconds(200)
            configuration.gracePeriod = .seconds(10)
            let edge = configuration
            try await ledger.run {
                let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
                let server = EdgeServer(
                    configuration: edge,
                    router: router,
                    logger: log.logger,
                    onRunning: { continuation.yield($0) }
                )
                let group = ServiceGroup(services: [server], logger: log.logger)
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask {
                        defer { continuation.finish() }
                        try await group.run()
                    }
                    for await port in ports {
                        do {
                            try await body(TestConsole(port: port, url: url, ledger: ledger, log: log))
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
    }

    /// A new key.
    func key(
        _ scopes: Set<Scope> = [.read, .audit],
        tenant: String = "acme",
        expiresAt: Timestamp? = nil
    ) async throws -> (secret: String, id: String) {
        let made = try await ledger.keys.create(
            tenant: tenant,
            scopes: scopes,
            mode: .test,
            name: "the back office",
            expiresAt: expiresAt
        )
        return (made.key.secret, made.id)
    }

    /// A browser that has signed in with a new key.
    func visitor(_ scopes: Set<Scope> = [.read, .audit], tenant: String = "acme") async throws -> Browser {
        let browser = Browser(port: port)
        let key = try await key(scopes, tenant: tenant)
        let answer = try await browser.signIn(key.secret)
        try #require(answer.status == 303, "\(answer.body)")
        return browser
    }

    /// Takes one vendor document in, and waits until every view knows it.
    @discardableResult
    func take(_ vendor: String, _ record: JSONValue, tenant: String = "acme") async throws -> IntakeAnswer {
        let sender = Sender(tenant: tenant, actor: "key:test", correlation: "test")
        let answer = try await ledger.intake.submit(Array(record.text.utf8), vendor: vendor, sender: sender)
        try await ledger.catchUp()
        return answer
    }

    /// Plays a trading day that began at `midnight` into the ledger.
    func trade(payments: Int, on midnight: Timestamp, tenant: String = "acme") async throws {
        let plan = try SimulationPlan(
            seed: 7,
            merchants: 5,
            terminals: 8,
            transactions: payments,
            days: 1,
            faults: FaultProfile(all: 40_000),
            firstDay: midnight
        )
        var simulation = Simulation(plan)
        let sender = Sender(tenant: tenant, actor: "key:simulator", correlation: "day")
        while let deliveries = simulation.nextDay() {
            for delivery in deliveries {
                let bytes = Array(delivery.document.record.text.utf8)
                _ = await ledger.intake.submit(
                    [bytes],
                    limit: 1 << 20,
                    vendor: delivery.document.vendor.rawValue,
                    sender: sender
                )
            }
        }
        try await ledger.catchUp()
    }
}

/// What was logged: one JSON object a line.
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
