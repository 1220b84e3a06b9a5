package import Canonical
package import HTTPTypes

/// The problems that the edge itself reports.
extension Problem {
    /// A refusal by the gate, or a deadline that passed.
    package init(_ refusal: GateRefusal) {
        self.init(status: refusal.status, code: refusal.rawValue, title: refusal.title)
        switch refusal {
        case .headerTimeout, .bodyTimeout:
            retryable = true
        case .tooManyConnections:
            retryable = true
            retryAfterSeconds = 1
            outcome = .known
        case .requestTimeout:
            retryable = true
            retryAfterSeconds = 1
            outcome = .unknown
        default:
            break
        }
    }

    /// A failure without a specific problem. Reveals nothing about the cause.
    package static let `internal` = Problem(status: 500, code: "internal", title: "Internal error")

    package static let notFound = Problem(status: 404, code: "not-found", title: "Not found")

    /// - Parameter allowed: the methods the resource has.
    package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        Problem(
            status: 405,
            code: "method-not-allowed",
            title: "The resource does not have this method",
            fields: [.allow: allowed.map(\.rawValue).sorted().joined(separator: ", ")]
        )
    }

    /// The server has reached its limit of requests; nothing was done.
    package static let overloaded = Problem(
        status: 503,
        code: "overloaded",
        title: "Too many requests in progress",
        retryable: true,
        retryAfterSeconds: 1,
        outcome: .known
    )

    /// - Parameter limit: the largest body in bytes.
    package static func bodyTooLarge(limit: Int) -> Problem {
        Problem(
            status: 413,
            code: "body-too-large",
            title: "The request body is too large",
            extensions: ["limitBytes": .number(JSONNumber(Int64(limit)))]
        )
    }

    package static let bodyIncomplete = Problem(
        status: 400,
        code: "body-incomplete",
        title: "The request body ended too early",
        retryable: true
    )

    package static let expectationFailed = Problem(
        status: 417,
        code: "expectation-failed",
        title: "Only the expectation 100-continue is met"
    )

    package static let malformedTarget = Problem(
        status: 400,
        code: "malformed-target",
        title: "The path or query is not well-formed percent-encoded UTF-8"
    )

    /// - Parameter supported: the media types the resource reads.
    package static func unsupportedMediaType(_ supported: [String]) -> Problem {
        Problem(
            status: 415,
            code: "unsupported-media-type",
            title: "The media type of the body is not supported",
            detail: "Content-Type must be \(supported.joined(separator: " or ")).",
            fields: [.accept: supported.joined(separator: ", ")]
        )
    }

    /// - Parameter offered: the media types the resource can answer with.
    package static func notAcceptable(_ offered: [String]) -> Problem {
        Problem(
            status: 406,
            code: "not-acceptable",
            title: "No acceptable representation",
            extensions: ["available": .array(offered.map { .string($0) })]
        )
    }

    /// The error in a JSON body, and its position.
    package init(_ error: JSONParseError) {
        switch error.code {
        case .depthExceeded:
            self.init(status: 400, code: "json-depth", title: "The JSON document is nested too deeply")
        case .duplicateKey:
            self.init(status: 400, code: "json-duplicate-key", title: "A JSON object has a member twice")
        case .tooLarge:
            self.init(status: 413, code: "body-too-large", title: "The request body is too large")
        default:
            self.init(status: 400, code: "malformed-json", title: "The body is not well-formed JSON")
            extensions["reason"] = .string(error.code.rawValue)
        }
        extensions["offset"] = .number(JSONNumber(Int64(error.offset)))
    }
}
