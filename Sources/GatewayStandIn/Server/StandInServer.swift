import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Simulator

/// The server of one gateway: HTTP/1.1 on the loopback interface, one request at a time per connection.
struct StandInServer: Sendable {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    struct Limits: Sendable {
        /// The maximum number of open connections; more wait to be accepted.
        var connections = 64
        var bodyBytes = 1 << 18
        /// A connection is closed after this time without data in either direction. It is longer than any slow answer.
        var idle = TimeAmount.seconds(90)
    }

    let listener: NIOAsyncChannel<Connection, Never>
    let routes: GatewayRoutes
    let limits: Limits
    /// The delay of a slow answer.
    let slowness: Duration

    /// Listens without accepting connections yet.
    ///
    /// - Parameter port: 0 lets the system choose.
    /// - Throws: `IOError` if the port is in use.
    static func listen(
        port: Int,
        routes: GatewayRoutes,
        slowness: Duration,
        limits: Limits = Limits()
    ) async throws -> StandInServer {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    // A fault answers one request twice; the handler that orders answers would not allow it.
                    try pipeline.configureHTTPServerPipeline(
                        withPipeliningAssistance: false,
                        withErrorHandling: true
                    )
                    try pipeline.addHandlers(IdleStateHandler(allTimeout: limits.idle), IdleConnectionCloser())
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        return StandInServer(listener: listener, routes: routes, limits: limits, slowness: slowness)
    }

    var port: Int { listener.channel.localAddress?.port ?? 0 }
    /// The address it listens at.
    var host: String? { listener.channel.localAddress?.ipAddress }

    /// Stops listening without running.
    func close() async throws { try await listener.executeThenClose { _ in } }

    /// Serves until a graceful shutdown. Then it accepts no more connections, closes idle ones, and answers the
    /// requests that it has read.
    func run() async throws {
        try await listener.executeThenClose { connections in
            await withTaskGroup(of: Void.self) { group in
                var open = 0
                do {
                    for try await connection in connections.cancelOnGracefulShutdown() {
                        if open >= limits.connections {
                            await group.next()
                            open -= 1
                        }
                        group.addTask { await serve(connection) }
                        open += 1
                    }
                } catch {
                    // The listener has failed; accepted connections are still served.
                }
            }
        }
    }

    private func serve(_ connection: Connection) async {
        // An error means that the client disconnected or did not send HTTP.
        try? await connection.executeThenClose { inbound, outbound in
            var parts = inbound.cancelOnGracefulShutdown().makeAsyncIterator()
            while true {
                switch try await RequestReader.next(&parts, mostBytes: limits.bodyBytes) {
                case nil: return
                case .tooLarge?:
                    let refusal = StandInReply.text(413, "The body is larger than is read.\n")
                    _ = try await ReplyWriter(outbound, connection.channel).write(refusal, keepsAlive: false)
                    return
                case .request(let request, let keepsAlive)?:
                    let reply = await routes.reply(to: request)
                    if reply.fault?.fault == .slow { try await Task.sleep(for: slowness) }
                    let writer = ReplyWriter(outbound, connection.channel)
                    guard try await writer.write(reply, keepsAlive: keepsAlive), keepsAlive else { return }
                }
            }
        }
    }
}

private final class IdleConnectionCloser: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        context.close(promise: nil)
    }
}
