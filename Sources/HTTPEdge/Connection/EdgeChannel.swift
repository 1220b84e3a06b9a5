import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// Sets up and serves the connections that hummingbird's server accepts.
struct EdgeChannel<Principal: EdgePrincipal>: ServerChildChannel {
    /// A connection and its signal from the event loop.
    struct Connection: ServerChildChannelValue {
        let parts: NIOAsyncChannel<ConnectionPart, AnswerPart>
        let signal: ConnectionSignal
        var channel: any Channel { parts.channel }
    }

    let responder: EdgeResponder<Principal>
    let settings: ConnectionHandler.Settings
    let state: EdgeState

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeCompletedFuture {
            let admission: GateRefusal? = state.connectionOpened() ? nil : .tooManyConnections
            channel.closeFuture.whenComplete { [state] _ in state.connectionClosed() }
            let signal = ConnectionSignal()
            let options = channel.syncOptions
            // Small pieces bound the memory of a connection before its route has read anything.
            try options?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 32 * 1024)
            )
            try channel.pipeline.syncOperations.addHandler(
                ConnectionHandler(settings, signal: signal, admission: admission)
            )
            let parts = try NIOAsyncChannel<ConnectionPart, AnswerPart>(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
            return Connection(parts: parts, signal: signal)
        }
    }

    func handle(value connection: Connection, logger: Logger) async {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await serve(connection) }
                group.addTask {
                    for await _ in connection.signal.stops { break }
                }
                await group.next()
                group.cancelAll()
            }
        } onCancel: {
            // The grace period is over.
            connection.channel.close(promise: nil)
        }
    }

    private func serve(_ connection: Connection) async {
        // An error here means that the connection is gone; its requests have logged their own results.
        try? await connection.parts.executeThenClose { inbound, outbound in
            do {
                try await answerAll(connection, InboundParts(inbound), outbound)
            } catch  where connection.signal.expired != nil {
                // The handler has answered; closing here could take that answer away from the client.
            }
            outbound.finish()
            // The handler closes once the client has read the answer, or its time to do so is over.
            try await connection.channel.closeFuture.get()
        }
    }

    private func answerAll(
        _ connection: Connection,
        _ parts: InboundParts,
        _ outbound: NIOAsyncChannelOutboundWriter<AnswerPart>
    ) async throws {
        let peer = connection.channel.remoteAddress?.ipAddress ?? "local"
        while let part = try await parts.next() {
            switch part {
            case .head(let head, let id):
                let exchange = Exchange(
                    head: head,
                    id: id,
                    peer: peer,
                    parts: parts,
                    outbound: outbound,
                    signal: connection.signal
                )
                guard try await responder.answer(exchange) == .keep else { return }
            case .refused(let refusal, let id):
                return try await responder.refuse(refusal, id: id, outbound)
            case .body, .end:
                // The rest of a body that was not read; its answer closed the connection.
                return
            }
        }
    }
}
