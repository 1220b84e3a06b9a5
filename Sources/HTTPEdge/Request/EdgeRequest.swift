package import Canonical
package import HTTPTypes
package import Logging
import Synchronization

/// The authenticated caller of a request.
package protocol EdgePrincipal: Sendable {
    /// The caller's name in the access log; never a secret.
    var logIdentifier: String { get }
}

/// A request as a route receives it.
package final class EdgeRequest<Principal: EdgePrincipal>: Sendable {
    /// The correlation id: sent back as `X-Request-Id`, and part of every log line and every problem.
    package let id: String
    package let head: RequestHead
    package let target: RequestTarget
    /// The values of the route's named segments.
    package let parameters: [String: String]
    /// The template of the route; the only part of the path that may be logged.
    package let template: String
    /// The address of the client, or the one a trusted proxy reported.
    package let peer: String
    /// When the answer is due; nil for a stream.
    package let deadline: ContinuousClock.Instant?
    package let body: RequestBody
    /// Carries the request id.
    package let logger: Logger
    private let storedPrincipal = Mutex<Principal?>(nil)

    init(
        id: String,
        head: RequestHead,
        target: RequestTarget,
        parameters: [String: String],
        template: String,
        peer: String,
        deadline: ContinuousClock.Instant?,
        body: RequestBody,
        logger: Logger
    ) {
        self.id = id
        self.head = head
        self.target = target
        self.parameters = parameters
        self.template = template
        self.peer = peer
        self.deadline = deadline
        self.body = body
        self.logger = logger
    }

    package var method: HTTPRequest.Method { head.method }
    package var fields: HTTPFields { head.fields }

    /// Set by the authenticating middleware.
    package var principal: Principal? {
        get { storedPrincipal.withLock { $0 } }
        set { storedPrincipal.withLock { $0 = newValue } }
    }

    /// The value of a named segment.
    ///
    /// - Throws: `not-found` if it is missing, which cannot happen in a route that names it.
    package func parameter(_ name: String) throws(Problem) -> String {
        guard let value = parameters[name] else { throw .notFound }
        return value
    }

    /// The body as a JSON document.
    ///
    /// - Throws: `unsupported-media-type` unless it is declared as JSON; otherwise as `RequestBody.json`.
    package func json(limits: JSONLimits = .standard) async throws -> JSONValue {
        _ = try mediaType(among: ["application/json"])
        return try await body.json(limits: limits)
    }

    /// The declared media type of the body.
    ///
    /// - Throws: `unsupported-media-type` unless it is one of `supported`.
    package func mediaType(among supported: [String]) throws(Problem) -> String {
        guard let declared = head.declaredMediaType, supported.contains(declared) else {
            throw .unsupportedMediaType(supported)
        }
        return declared
    }

    /// The media type the client prefers, by its `Accept`.
    ///
    /// - Throws: `not-acceptable`.
    package func negotiate(_ offered: [String]) throws(Problem) -> String {
        guard let field = fields[.accept] else { return try best(of: offered, "*/*") }
        // Most fields are one of the offered types.
        if offered.contains(field) { return field }
        return try best(of: offered, field)
    }

    private func best(of offered: [String], _ field: String) throws(Problem) -> String {
        guard let best = AcceptField(field).best(of: offered) else { throw .notAcceptable(offered) }
        return best
    }
}

extension RequestHead {
    /// The media type of the body without its parameters, in lower case.
    var declaredMediaType: String? {
        fields[.contentType].flatMap { $0.split(separator: ";").first?.trimmed.lowercased() }
    }
}
