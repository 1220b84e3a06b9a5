package import Canonical
import NIOCore
import Synchronization

/// Writes a streamed body. Every write waits until the client accepts it, so a stream holds a bounded amount of memory.
/// Written bytes are sent at once, compressed or not.
package final class EdgeBodyWriter: Sendable {
    private let outbound: NIOAsyncChannelOutboundWriter<AnswerPart>
    private let isChunked: Bool
    private let isSilent: Bool
    private let gzip: Mutex<GzipStream?>
    private let written = Mutex(0)

    /// The largest number of bytes passed on at once, so that the progress of a slow client is visible.
    private static let pieceBytes = 16 * 1024

    /// - Parameters:
    ///   - isChunked: false for HTTP/1.0, where the end of the connection ends the body.
    ///   - isSilent: true for HEAD, whose answer has no body.
    ///   - isCompressed: whether the body is sent in the gzip format.
    /// - Throws: when there is not enough memory for the compression.
    init(
        _ outbound: NIOAsyncChannelOutboundWriter<AnswerPart>,
        isChunked: Bool,
        isSilent: Bool,
        isCompressed: Bool
    ) throws {
        self.outbound = outbound
        self.isChunked = isChunked
        self.isSilent = isSilent
        gzip = Mutex(isCompressed && !isSilent ? try GzipStream() : nil)
    }

    /// The number of body bytes written so far, as sent on the wire.
    package var byteCount: Int { written.withLock { $0 } }

    /// Writes any number of bytes.
    ///
    /// - Throws: when the connection is gone or the task is cancelled.
    package func write(_ bytes: some Collection<UInt8> & Sendable) async throws {
        guard !isSilent else { return }
        var start = bytes.startIndex
        while start != bytes.endIndex {
            let end = bytes.index(start, offsetBy: Self.pieceBytes, limitedBy: bytes.endIndex) ?? bytes.endIndex
            try await writePiece(Array(bytes[start..<end]))
            start = end
        }
    }

    private func writePiece(_ piece: [UInt8]) async throws {
        try Task.checkCancellation()
        let coded = try gzip.withLock { try $0?.compress(piece) } ?? piece
        try await outbound.write(.bytes(ResponseEncoding.piece(coded, isChunked: isChunked)))
        written.withLock { $0 += coded.count }
    }

    /// Writes one record of newline-delimited JSON.
    package func writeLine(_ value: JSONValue) async throws {
        var bytes = value.canonicalBytes
        bytes.append(0x0A)
        try await write(bytes)
    }

    /// Writes one server-sent event in one piece: a keep-alive comment may come between two pieces.
    package func send(_ event: ServerSentEvent) async throws {
        guard !isSilent else { return }
        try await writePiece(event.bytes)
    }

    func finish(closes: Bool) async throws {
        var end = ByteBuffer()
        if let rest = try gzip.withLock({ try $0?.finish() }) {
            end.writeImmutableBuffer(ResponseEncoding.piece(rest, isChunked: isChunked))
            written.withLock { $0 += rest.count }
        }
        if isChunked, !isSilent { end.writeImmutableBuffer(ResponseEncoding.lastChunk) }
        try await outbound.write(.end(end, closes: closes))
    }
}
