package import Canonical
package import HTTPTypes

/// An answer that explains a failure (RFC 9457), thrown by routes and by the edge itself.
///
/// Everything in it reaches the client: never include what the client must not see, nor what it sent.
package struct Problem: Error, Sendable, Hashable {
    /// Whether the requested work was done, for answers that leave it open (503, 504).
    package enum Outcome: String, Sendable, Hashable {
        /// Certainly nothing was done.
        case known
        /// The work may have been done: check before repeating the request.
        case unknown
    }

    /// HTTP status, 400...599.
    package var status: Int
    /// A stable name in kebab case; the type is a URN made from it.
    package var code: String
    /// Readable text, the same for every occurrence of the code.
    package var title: String
    /// Readable text about this occurrence.
    package var detail: String?
    /// Whether the same request may succeed later.
    package var retryable: Bool
    /// Whole seconds to wait before a retry; also sent as `Retry-After`.
    package var retryAfterSeconds: Int?
    package var outcome: Outcome?
    /// Further members; those with the name of a member above are left out.
    package var extensions: JSONObject
    /// Further header fields, such as `Allow` or `WWW-Authenticate`.
    package var fields: HTTPFields

    package init(
        status: Int,
        code: String,
        title: String,
        detail: String? = nil,
        retryable: Bool = false,
        retryAfterSeconds: Int? = nil,
        outcome: Outcome? = nil,
        extensions: JSONObject = JSONObject(),
        fields: HTTPFields = HTTPFields()
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.retryable = retryable
        self.retryAfterSeconds = retryAfterSeconds
        self.outcome = outcome
        self.extensions = extensions
        self.fields = fields
    }

    /// The problem document.
    ///
    /// - Parameter correlation: the request id under which the log has details.
    package func json(correlation: String) -> JSONValue {
        var object = JSONObject()
        object["type"] = .string("urn:daybook:problem:\(code)")
        object["title"] = .string(title)
        object["status"] = .number(JSONNumber(Int64(status)))
        object["code"] = .string(code)
        if let detail { object["detail"] = .string(detail) }
        object["retryable"] = .bool(retryable)
        if let retryAfterSeconds { object["retryAfterSeconds"] = .number(JSONNumber(Int64(retryAfterSeconds))) }
        if let outcome { object["outcome"] = .string(outcome.rawValue) }
        object["correlation"] = .string(correlation)
        for member in extensions where object[member.key] == nil { object[member.key] = member.value }
        return .object(object)
    }

    /// The answer that contains the problem document.
    package func response(correlation: String) -> EdgeResponse {
        var response = EdgeResponse.json(json(correlation: correlation), status: .init(code: status))
        response.fields[.contentType] = "application/problem+json"
        for field in fields { response.fields.append(field) }
        if let retryAfterSeconds { response.fields[.retryAfter] = String(retryAfterSeconds) }
        return response
    }
}
