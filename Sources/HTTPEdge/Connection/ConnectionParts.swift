import NIOCore

/// What the event loop hands to the task that serves a connection, in the order of the wire.
enum ConnectionPart: Sendable {
    case head(RequestHead, requestID: String)
    case body(ByteBuffer)
    case end
    /// The request, or what should have become one, is refused; nothing follows.
    case refused(Refusal, requestID: String)
}

/// What that task hands back.
enum AnswerPart: Sendable {
    /// `100 Continue`.
    case proceed
    /// The current request is not held to the total deadline but to a minimum rate.
    case streams(isLive: Bool)
    /// A complete answer.
    case whole(ByteBuffer, closes: Bool)
    /// The header section of a streamed answer.
    case start(ByteBuffer, sendsComments: Bool)
    case bytes(ByteBuffer)
    /// The end of a streamed answer.
    case end(ByteBuffer, closes: Bool)
}
