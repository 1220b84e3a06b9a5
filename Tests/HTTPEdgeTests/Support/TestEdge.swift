import Canonical
import DaybookTestKit
import HTTPEdge
import HTTPTypes
import Logging
import Metrics
import ServiceLifecycle
import Synchronization
import Testing

struct TestPrincipal: EdgePrincipal {
    var logIdentifier: String
}

typealias Router = EdgeRouter<TestPrincipal>

/// A server on its own port.
struct TestEdge: Sendable {
    let port: Int
    let group: ServiceGroup
    /// The lines of the access log.
    let lines: CollectedLines

    func connect(receiveBufferBytes: Int32? = nil) async throws -> RawClient {
        try await .connect(port: port, receiveBufferBytes: receiveBufferBytes)
    }

    /// Sends one request on a new connection.
    func exchange(_ request: String) async throws -> RawResponse {
        let client = try await connect()
        try await client.send(request)
        return try await client.readResponse()
    }

    /// Serves while `body` runs, then shuts down gracefully.
    static func serve(
        _ configure: (inout EdgeConfiguration) -> Void = { _ in },
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        onDraining: @escaping @Sendable () -> Void = {},
        routes: (inout Router) -> Void = { $0.addEcho() },
        _ body: @escaping @Sendable (TestEdge) async throws -> Void
    ) async throws {
        var configuration = EdgeConfiguration()
        configuration.port = 0
        configuration.lingerTimeout = .milliseconds(200)
        configuration.gracePeriod = .seconds(10)
        configure(&configuration)
        var router = Router()
        routes(&router)
        let lines = CollectedLines()
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = EdgeServer(
            configuration: configuration,
            router: router,
            logger: Logger(label: "edge") { _ in CollectingLogHandler(lines: lines) },
            metrics: metrics,
            onRunning: { continuation.yield($0) },
            onDraining: onDraining
        )
        let group = ServiceGroup(services: [server], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { continuation.finish() }
                try await group.run()
            }
            var port: Int?
            for await first in ports {
                port = first
                break
            }
            if let port {
                do {
                    try await body(TestEdge(port: port, group: group, lines: lines))
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}

extension EdgeRouter {
    /// `GET /` and `POST /echo`.
    mutating func addEcho() {
        on(.get, "/") { _ in .text("hello") }
        on(.post, "/echo", RouteOptions(bodyLimitBytes: 1000)) { request in
            .bytes(try await request.body.collect(), type: "application/octet-stream")
        }
    }
}

/// An event that happens once, for which any number of tasks can wait; a cancelled task stops waiting.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    func passed() async {
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}

final class CollectedLines: Sendable {
    private let lines = Mutex<[[String: String]]>([])
    var all: [[String: String]] { lines.withLock { $0 } }
    /// The access log.
    var requests: [[String: String]] { all.filter { $0["message"] == "request" } }
    func append(_ line: [String: String]) { lines.withLock { $0.append(line) } }
}

struct CollectingLogHandler: LogHandler {
    let lines: CollectedLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        line["message"] = event.message.description
        lines.append(line)
    }
}
