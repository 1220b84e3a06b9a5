import Access
import Canonical
import Composition
import Console
import DaybookAPI
import DaybookTestKit
import EventLog
import Gateways
import HTTPEdge
import Intake
import Logging
import Operations
import Payments
import Postgres
import Reconciliation
import Redaction
import Replay
import ServiceLifecycle
import Synchronization
import Testing

/// The ledger behind its API and console, with its own database and port.
struct TestConsole: Sendable {
    let port: Int
    let url: String
    let ledger: Ledger
    let log: CollectedLog

    /// Serves while `body` runs, then shuts down gracefully.
    ///
    /// - Parameter template: The initial content of the ledger.
    static func serve(
        on template: TestDatabase.Template = .console,
        clock: any WallClock = SystemClock(),
        options: ConsoleOptions = ConsoleOptions(),
        signing: EvidenceOptions = .init(),
        gateways: [GatewayConfiguration] = [],
        replaying: ReplayOptions = .init(),
        _ body: @escaping @Sendable (TestConsole) async throws -> Void
    ) async throws {
        try await withTestDatabase(template: template) { url in
            let log = CollectedLog()
            let ledger = Ledger(
                configuration: PostgresConfiguration(connectionString: url),
                connections: 6,
                // Tests run in parallel and share the processors.
                acquireTimeout: .seconds(60),
                waitLimit: .seconds(60),
                signing: signing,
                gateways: gateways,
                replaying: replaying,
                clock: clock,
                logger: log.logger
            )
            let console = try WebConsole(ledger: ledger, options: options)
            let api = API(
                ledger: ledger,
                readiness: Readiness(),
                logger: log.logger,
                metrics: { "" }
            )
            let router = api.router(beside: console.router())
            var configuration = EdgeConfiguration()
            API.prepare(&configuration)
            configuration.port = 0
            configuration.requestDeadline = .seconds(120)
            configuration.gracePeriod = .seconds(10)
            let edge = configuration
            // Gateways are configured but never called.
            try await ledger.run(for: .applying) {
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
        expiresAt: Timestamp? = nil,
        holder: String? = "holder-\(UInt64.random(in: 0...(.max)))"
    ) async throws -> (secret: String, id: String) {
        let made = try await ledger.keys.create(
            tenant: tenant,
            scopes: scopes,
            mode: .test,
            name: "the back office",
            holder: holder,
            expiresAt: expiresAt
        )
        return (made.key.secret, made.id)
    }

    /// A browser, signed in with a new key.
    func visitor(
        _ scopes: Set<Scope> = [.read, .audit],
        tenant: String = "acme",
        holder: String? = "holder-\(UInt64.random(in: 0...(.max)))"
    ) async throws -> Browser {
        let browser = Browser(port: port)
        let key = try await key(scopes, tenant: tenant, holder: holder)
        let answer = try await browser.signIn(key.secret)
        try #require(answer.status == 303, "\(answer.body)")
        return browser
    }

    /// Records one vendor document, and waits until every read model has applied it.
    @discardableResult
    func take(_ vendor: String, _ record: JSONValue, tenant: String = "acme") async throws -> IntakeAnswer {
        let sender = Sender(tenant: tenant, actor: "key:test", correlation: "test")
        let answer = try await ledger.intake.documents.submit(Array(record.text.utf8), vendor: vendor, sender: sender)
        try await ledger.catchUp()
        return answer
    }

    /// Posts to the API with a new key; the request must succeed.
    @discardableResult
    func post(_ target: String, _ body: String, type: String, as scopes: Set<Scope>) async throws -> RawResponse {
        let secret = try await key(scopes).secret
        let client = try await RawClient.connect(port: port)
        await client.sendAnyway(
            "POST \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer \(secret)\r\n"
                + "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let answer = try await client.readResponse()
        try #require(answer.status == 201, "\(answer.body)")
        return answer
    }

    /// Imports a processor's file with lines, a control that matches, one that differs, and an unknown word.
    ///
    /// - Parameters:
    ///   - invoice: The invoice of the first line.
    ///   - more: The number of additional lines.
    /// - Returns: The API's answer about the statement.
    @discardableResult
    func importStatement(_ name: String, invoice: String = "33333", more: Int = 0) async throws -> JSONValue {
        var file = "type,currency,gross,fee,net,processor_id,day,last_four,invoice,count\n"
        file += "sale,USD,13.40,-0.40,13.00,214972201,2026-09-22,9269,\"\(invoice)\",\n"
        file += "refund,USD,-2.00,0.00,-2.00,214972202,2026-09-22,4242,33334,\n"
        file += "total,USD,11.40,-0.40,11.00,,,,,2\n"
        file += "somersault,USD,1.00,0.00,1.00,214972203,2026-09-23,,,\n"
        for number in 0..<more { file += "sale,EUR,5.00,-0.10,4.90,e-\(number),2026-09-24,,,\n" }
        file += "total,USD,99.00,-0.40,98.60,,,,,3\n"
        let target = "/v1/statements?name=\(Browser.escaped(name))"
        return try JSONValue(parsing: try await post(target, file, type: "text/csv", as: [.reconcile]).body.utf8)
    }

    /// Starts a run, and waits until every read model has applied it.
    func reconcile(tenant: String = "acme") async throws {
        try await ledger.catchUp()
        let sender = Sender(tenant: tenant, actor: "key:test", correlation: "test")
        _ = try await ledger.reconciliation.round.run(sender: sender, waitLimit: .seconds(60))
        try await ledger.catchUp()
    }

    /// Records where a merchant is and when its day begins.
    func describe(_ merchant: String, _ zone: String, _ cutoff: String) async throws {
        _ = try await ledger.intake.merchants.describe(
            merchant,
            zone: zone,
            cutoff: cutoff,
            reason: "as agreed",
            idempotencyKey: nil,
            sender: Sender(tenant: "acme", actor: "key:test", correlation: "test")
        )
    }

    /// Plays a trading day that begins at `midnight` into the ledger.
    func trade(payments: Int, on midnight: Timestamp, tenant: String = "acme") async throws {
        try await ledger.trade(payments: payments, on: midnight, tenant: tenant)
    }
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
