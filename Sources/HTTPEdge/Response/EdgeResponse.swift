package import Canonical
package import HTTPTypes

/// The answer of a route.
package struct EdgeResponse: Sendable {
    /// The source of the body's bytes.
    package enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// Written piece by piece. An error cuts the connection, so that the client notices that something is missing.
        case stream(@Sendable (EdgeBodyWriter) async throws -> Void)
    }

    package var status: HTTPResponse.Status
    package var fields: HTTPFields
    package var body: Body
    /// Whether a comment line is sent when a stream has been silent, as server-sent events allow.
    var sendsKeepAliveComments = false

    package init(status: HTTPResponse.Status = .ok, fields: HTTPFields = HTTPFields(), body: Body = .empty) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A JSON document.
    package static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> EdgeResponse {
        EdgeResponse(
            status: status,
            fields: [.contentType: "application/json"],
            body: .bytes(value.canonicalBytes)
        )
    }

    /// A value as a JSON document.
    ///
    /// - Throws: As `JSONValueEncoder.encode`.
    package static func document(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> EdgeResponse {
        bytes(try JSONTextEncoder().bytes(of: value), type: "application/json", status: status)
    }

    /// Text in UTF-8.
    ///
    /// - Parameter type: the media type with its parameters.
    package static func text(
        _ text: String,
        type: String = "text/plain; charset=utf-8",
        status: HTTPResponse.Status = .ok
    ) -> EdgeResponse {
        EdgeResponse(status: status, fields: [.contentType: type], body: .bytes(Array(text.utf8)))
    }

    /// Bytes of any media type.
    package static func bytes(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> EdgeResponse {
        EdgeResponse(status: status, fields: [.contentType: type], body: .bytes(bytes))
    }

    /// Pieces of any media type, written as the client accepts them.
    package static func stream(
        type: String,
        status: HTTPResponse.Status = .ok,
        _ write: @escaping @Sendable (EdgeBodyWriter) async throws -> Void
    ) -> EdgeResponse {
        EdgeResponse(status: status, fields: [.contentType: type], body: .stream(write))
    }

    /// Newline-delimited JSON; see `EdgeBodyWriter.writeLine`.
    package static func ndjson(
        _ write: @escaping @Sendable (EdgeBodyWriter) async throws -> Void
    ) -> EdgeResponse {
        stream(type: "application/x-ndjson", write)
    }

    /// Server-sent events; see `EdgeBodyWriter.send`. Comments keep a silent stream open.
    package static func events(
        _ write: @escaping @Sendable (EdgeBodyWriter) async throws -> Void
    ) -> EdgeResponse {
        var response = stream(type: "text/event-stream", write)
        response.sendsKeepAliveComments = true
        return response
    }
}
