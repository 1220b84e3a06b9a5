import NIOCore

/// The parts the event loop passes to the task that serves a connection, in the order of the wire.
enum ConnectionPart: Sendable {
    case head(RequestHead, requestID: String)
    case body(ByteBuffer)
    case end
    /// The request, or the bytes in place of one, is refused; nothing follows.
    case refused(GateRefusal, requestID: String)
}

/// The parts that task returns.
enum AnswerPart: Sendable {
    /// `100 Continue`.
    case proceed
    /// A minimum rate applies to the current request instead of the total deadline.
    case streams(isLive: Bool)
    /// A complete answer.
    case whole(ByteBuffer, closes: Bool)
    /// The header section of a streamed answer.
    case start(ByteBuffer, sendsComments: Bool)
    case bytes(ByteBuffer)
    /// The end of a streamed answer.
    case end(ByteBuffer, closes: Bool)
}
