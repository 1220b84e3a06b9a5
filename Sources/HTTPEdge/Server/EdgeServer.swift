import HummingbirdCore
package import Logging
package import Metrics
import NIOCore
import NIOPosix
import ServiceLifecycle

/// A hardened HTTP/1.1 server: hummingbird listens, accepts and drains; the gate, the deadlines and the answers are
/// implemented here.
package struct EdgeServer<Principal: EdgePrincipal>: Service {
    private let configuration: EdgeConfiguration
    private let state: EdgeState
    private let server: Server<EdgeChannel<Principal>>
    private let onDraining: @Sendable () -> Void

    /// - Parameters:
    ///   - logger: receives the access log at level info; use a `ScrubbingLogHandler`.
    ///   - metrics: counts and times the requests.
    ///   - onRunning: called with the port once connections are accepted.
    ///   - onDraining: called before the server stops accepting, to change readiness.
    package init(
        configuration: EdgeConfiguration,
        router: EdgeRouter<Principal>,
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in },
        onDraining: @escaping @Sendable () -> Void = {}
    ) {
        self.configuration = configuration
        self.onDraining = onDraining
        let state = EdgeState(configuration)
        self.state = state
        let responder = EdgeResponder(
            router: router,
            configuration: configuration,
            state: state,
            logger: logger,
            log: AccessLog(metrics: metrics)
        )
        let generate = configuration.requestIDGenerator
        let accepts = configuration.acceptsRequestID
        let settings = ConnectionHandler.Settings(
            gate: configuration.gate,
            timeline: ConnectionTimeline.Limits(configuration),
            requestID: { head in
                head.flatMap { CorrelationID.sent(in: $0.fields) }.flatMap { accepts($0) ? $0 : nil } ?? generate()
            },
            answer: { EdgeResponder<Principal>.bytes($0, id: $1, date: state.date) }
        )
        server = Server(
            childChannelSetup: EdgeChannel(responder: responder, settings: settings, state: state),
            configuration: ServerConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: nil,
                // Connections beyond the limit are answered with 503; a large number of them waits in the backlog.
                availableConnectionsDelegate: .maximum(configuration.maximumConnections + 64, logger: logger)
            ),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
    }

    /// Whether the server is shutting down.
    package var isDraining: Bool { state.isDraining }

    /// Serves until a graceful shutdown: readiness changes, the server stops accepting, idle connections close, and
    /// accepted requests finish within the grace period.
    package func run() async throws {
        // Detached, because hummingbird's server would start its own shutdown at once, before the drain delay.
        let serving = Task.detached { [server] in try await server.run() }
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do { try await serving.value } catch let error as IOError {
                        throw ListenFailure(host: configuration.host, port: configuration.port, error)
                    }
                }
                group.addTask {
                    do { try await gracefulShutdown() } catch { return }
                    await drain(serving)
                }
                defer { group.cancelAll() }
                try await group.next()
                // The draining task ends only after the serving task was signalled to end.
                try await serving.value
            }
        } onCancel: {
            serving.cancel()
        }
    }

    private func drain(_ serving: Task<Void, any Error>) async {
        state.drain()
        onDraining()
        do {
            try await Task.sleep(for: configuration.drainDelay)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await server.shutdownGracefully()
                    return true
                }
                group.addTask { [grace = configuration.gracePeriod] in
                    try await Task.sleep(for: grace)
                    return false
                }
                let isDone = try await group.next() ?? false
                // Closes what is still open, which also ends the other child task.
                if !isDone { serving.cancel() }
                group.cancelAll()
            }
        } catch {
            serving.cancel()
        }
    }
}

extension ConnectionTimeline.Limits {
    fileprivate init(_ configuration: EdgeConfiguration) {
        self.init()
        header = TimeAmount(configuration.headerDeadline)
        request = TimeAmount(configuration.requestDeadline)
        idle = TimeAmount(configuration.idleTimeout)
        linger = TimeAmount(configuration.lingerTimeout)
        comment = TimeAmount(configuration.commentInterval)
        rateWindow = TimeAmount(configuration.streamRateWindow)
        rateBytes = configuration.streamBytesPerSecond * Int(rateWindow.nanoseconds) / 1_000_000_000
    }
}
