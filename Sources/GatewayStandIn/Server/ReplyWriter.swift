import NIOCore
import NIOHTTP1
import NIOPosix
import Simulator

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes replies, with their planned faults.
struct ReplyWriter {
    private let outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    private let channel: any Channel

    init(_ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>, _ channel: any Channel) {
        self.outbound = outbound
        self.channel = channel
    }

    /// - Returns: Whether the connection stays open.
    func write(_ reply: StandInReply, keepsAlive: Bool) async throws -> Bool {
        switch reply.fault?.fault {
        case .lost, .dropped:
            // A reset shows the client that its request may not have been read; a normal close does not.
            if reply.fault?.isReset == true {
                let reset = linger(l_onoff: 1, l_linger: 0)
                try await (channel as? any SocketOptionProvider)?.setSoLinger(reset).get()
            }
            return false
        case .duplicate:
            try await send(reply, keepsAlive: true)
            try await send(reply, keepsAlive: keepsAlive)
            return true
        default:
            try await send(reply, keepsAlive: keepsAlive)
            return true
        }
    }

    private func send(_ reply: StandInReply, keepsAlive: Bool) async throws {
        var headers = HTTPHeaders([
            ("Content-Type", reply.contentType), ("Content-Length", "\(reply.body.count)"),
        ])
        if !keepsAlive { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: reply.status), headers: headers)
        try await outbound.write(contentsOf: [.head(head), .body(.byteBuffer(ByteBuffer(bytes: reply.body)))])
        // This write completes when everything has been flushed. A connection that is closed before drops the rest.
        try await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
    }
}
