import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server that handles every connection in the same way and counts the requests. It works on bytes, without an HTTP
/// library.
final class GatewayServer: Sendable {
    /// The handling of a connection.
    enum Behaviour: Sendable {
        /// Answers a complete request, then closes or not.
        case answer(String, thenCloses: Bool)
        /// Closes as soon as it is connected.
        case closeAtOnce
        /// Closes when the request is complete.
        case closeUnanswered
        /// Never answers.
        case silence
        /// Begins an answer and never ends it.
        case begin(String)
        /// Begins an answer and continues it forever, one space at a time.
        case trickle(String)
    }

    private let channel: any Channel
    private let seen: Seen

    /// The received requests over all connections.
    final class Seen: Sendable {
        private let state = Mutex<(connections: Int, requests: [String])>((0, []))
        var connections: Int { state.withLock { $0.connections } }
        var requests: [String] { state.withLock { $0.requests } }
        fileprivate func connected() { state.withLock { $0.connections += 1 } }
        fileprivate func received(_ request: String) { state.withLock { $0.requests.append(request) } }
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var connections: Int { seen.connections }
    var requests: [String] { seen.requests }

    private init(channel: any Channel, seen: Seen) {
        self.channel = channel
        self.seen = seen
    }

    static func with<Result>(
        _ behaviour: Behaviour,
        tls: NIOSSLContext? = nil,
        _ body: (GatewayServer) async throws -> Result
    ) async throws -> Result {
        let seen = Seen()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Connection(behaviour, seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = GatewayServer(channel: channel, seen: seen)
        do {
            let result = try await body(server)
            try await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }

    /// A port without a listener: one that was just closed.
    static func unusedPort() async throws -> Int { try await with(.silence) { $0.port } }

    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let behaviour: Behaviour
        private let seen: Seen
        private var text = ""

        init(_ behaviour: Behaviour, _ seen: Seen) {
            self.behaviour = behaviour
            self.seen = seen
        }

        func channelActive(context: ChannelHandlerContext) {
            seen.connected()
            if case .closeAtOnce = behaviour { context.close(promise: nil) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            guard let end = text.range(of: "\r\n\r\n"),
                isComplete(text[end.upperBound...], head: text[..<end.lowerBound])
            else { return }
            seen.received(text)
            text = ""
            switch behaviour {
            case .answer(let answer, let thenCloses):
                context.write(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
                context.flush()
                if thenCloses { context.close(promise: nil) }
            case .closeUnanswered: context.close(promise: nil)
            case .begin(let start):
                context.write(wrapOutboundOut(ByteBuffer(string: start)), promise: nil)
                context.flush()
            case .trickle(let start):
                context.write(wrapOutboundOut(ByteBuffer(string: start)), promise: nil)
                context.flush()
                Self.trickle(context.channel)
            case .silence, .closeAtOnce: break
            }
        }

        private static func trickle(_ channel: any Channel) {
            guard channel.isActive else { return }
            channel.writeAndFlush(ByteBuffer(string: " "), promise: nil)
            channel.eventLoop.scheduleTask(in: .milliseconds(10)) { trickle(channel) }
        }

        private func isComplete(_ body: Substring, head: Substring) -> Bool {
            for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
                return body.utf8.count >= Int(line.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) ?? 0
            }
            return true
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

extension String {
    fileprivate func range(of mark: String) -> Range<String.Index>? { firstRange(of: mark) }
}
