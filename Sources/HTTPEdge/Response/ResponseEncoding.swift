import HTTPTypes
import NIOCore

/// Encodes answers as HTTP/1.1.
enum ResponseEncoding {
    static let proceed = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
    static let lastChunk = ByteBuffer(string: "0\r\n\r\n")
    /// A comment line of an event stream, as a chunk.
    static let keepAliveComment = ByteBuffer(string: "3\r\n:\n\n\r\n")

    /// How the body of an answer is delimited.
    enum Framing {
        /// Statuses that never have a body (1xx, 204, 304).
        case none
        case length(Int)
        case chunked
        /// The end of the connection ends the body.
        case untilClose
    }

    /// The status line and header section. Framing, `Connection` and the fields of every answer are set here. Names and
    /// values were made safe for the wire when the fields were built.
    static func head(
        status: HTTPResponse.Status,
        fields: HTTPFields,
        framing: Framing,
        closes: Bool,
        requestID: String,
        date: String
    ) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(usualBytes)
        buffer.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        func write(_ name: String, _ value: String) {
            buffer.writeString(name)
            buffer.writeStaticString(": ")
            buffer.writeString(value)
            buffer.writeStaticString("\r\n")
        }
        for field in fields where !isOwned(field.name) { write(field.name.rawName, field.value) }
        for (name, value) in safeguards where !fields.contains(name) { write(name.rawName, value) }
        write("Date", date)
        write("X-Request-Id", requestID)
        switch framing {
        case .none: break
        case .length(let count): write("Content-Length", String(count))
        case .chunked: write("Transfer-Encoding", "chunked")
        case .untilClose: break
        }
        if closes { write("Connection", "close") }
        buffer.writeString("\r\n")
        return buffer
    }

    static func piece(_ bytes: some Collection<UInt8>, isChunked: Bool) -> ByteBuffer {
        var buffer = ByteBuffer()
        if isChunked { buffer.writeString("\(String(bytes.count, radix: 16))\r\n") }
        buffer.writeBytes(bytes)
        if isChunked { buffer.writeString("\r\n") }
        return buffer
    }

    /// More bytes than almost every head has.
    private static let usualBytes = 1024

    /// A route may change these fields but never omit them.
    private static let safeguards: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"),
        (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
        (.referrerPolicy, "no-referrer"),
    ]

    private static func isOwned(_ name: HTTPField.Name) -> Bool {
        switch name {
        case .contentLength, .transferEncoding, .connection, .date, .server, .requestID: true
        default: false
        }
    }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name("X-Request-Id")!  // a literal token
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!  // a literal token
    static let traceParent = HTTPField.Name("traceparent")!  // a literal token
    static let forwarded = HTTPField.Name("Forwarded")!  // a literal token
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")!  // a literal token
}
