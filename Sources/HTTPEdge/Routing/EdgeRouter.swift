package import HTTPTypes

/// What a route allows beyond the defaults of the server.
package struct RouteOptions: Sendable, Hashable {
    /// How long a request may take.
    package enum Span: Sendable, Hashable {
        /// The total deadline of the server.
        case bounded
        /// As long as it keeps the minimum rate: bulk in and out.
        case stream
        /// Like a stream, and without an end of its own: stopped when the server drains.
        case live
    }

    /// The most bytes the body may have. Nil: none for GET, HEAD, DELETE and OPTIONS, 1 MiB for the others.
    package var bodyLimitBytes: Int?
    package var span: Span
    /// Where the span is not bounded: the media types whose bodies it is meant for; all others are bounded. Nil means
    /// that it holds for every request.
    package var spanMediaTypes: Set<String>?
    /// The media types of answers, among those the route offers, that are streams; empty where the answer does not
    /// decide.
    package var streamedAnswers: Set<String> = []
    /// All media types the route offers, as it negotiates them.
    package var offeredAnswers: [String] = []

    package init(bodyLimitBytes: Int? = nil, span: Span = .bounded, spanMediaTypes: Set<String>? = nil) {
        self.bodyLimitBytes = bodyLimitBytes
        self.span = span
        self.spanMediaTypes = spanMediaTypes
    }

    /// A route whose answer is a stream when it is of one of these media types, and bounded otherwise.
    package init(offering offered: [String], streaming streamed: Set<String>) {
        self.init()
        offeredAnswers = offered
        streamedAnswers = streamed
    }

    /// How long this request may take.
    func span(of head: RequestHead) -> Span {
        if !streamedAnswers.isEmpty {
            let best = head.fields[.accept].flatMap { AcceptField($0).best(of: offeredAnswers) }
            return best.map(streamedAnswers.contains) == true ? .stream : span
        }
        guard let spanMediaTypes else { return span }
        return head.declaredMediaType.map(spanMediaTypes.contains) ?? false ? span : .bounded
    }
}

/// The routes of a server.
package struct EdgeRouter<Principal: EdgePrincipal>: Sendable {
    package typealias Handler = @Sendable (EdgeRequest<Principal>) async throws -> EdgeResponse
    /// Runs around a route: may throw, look at the request, or change the answer.
    package typealias Middleware =
        @Sendable (EdgeRequest<Principal>, _ next: Handler) async throws -> EdgeResponse

    struct Route: Sendable {
        let template: RouteTemplate
        let options: RouteOptions
        let handler: Handler
    }

    /// What a method and a path lead to.
    enum Match: Sendable {
        case route(Route, parameters: [String: String])
        case notFound
        case methodNotAllowed([HTTPRequest.Method])
    }

    private struct Resource: Sendable {
        let template: RouteTemplate
        var routes: [HTTPRequest.Method: Route] = [:]
    }

    private var resources: [Resource] = []
    private var middlewares: [Middleware] = []

    package init() {}

    /// Adds a middleware around every route added after it; the first added is the outermost.
    package mutating func use(_ middleware: @escaping Middleware) {
        middlewares.append(middleware)
    }

    /// Adds a route. A GET route also answers HEAD.
    ///
    /// - Parameters:
    ///   - template: such as `/v1/things/{id}`, or `/files/{path...}` for all the rest. A literal segment wins over a
    ///     named one.
    /// - Precondition: the template is well-formed and has no route for the method yet: both are mistakes of the
    ///   program, found when it starts.
    package mutating func on(
        _ method: HTTPRequest.Method,
        _ template: String,
        _ options: RouteOptions = RouteOptions(),
        handler: @escaping Handler
    ) {
        guard let parsed = RouteTemplate(template) else { preconditionFailure("malformed template \(template)") }
        let wrapped = middlewares.reversed().reduce(handler) { next, middleware in
            { request in try await middleware(request, next) }
        }
        let index = resources.firstIndex { $0.template == parsed } ?? insert(parsed)
        precondition(resources[index].routes[method] == nil, "two routes for \(method) \(template)")
        resources[index].routes[method] = Route(template: parsed, options: options, handler: wrapped)
    }

    /// Every route, as method and template, HEAD left out; in the order in which they are tried.
    package var routes: [(method: HTTPRequest.Method, template: String)] {
        resources.flatMap { resource in
            resource.routes.keys.sorted { $0.rawValue < $1.rawValue }.map { ($0, resource.template.text) }
        }
    }

    private mutating func insert(_ template: RouteTemplate) -> Int {
        let index = resources.firstIndex { template.isMorePrecise(than: $0.template) } ?? resources.endIndex
        resources.insert(Resource(template: template), at: index)
        return index
    }

    func match(_ method: HTTPRequest.Method, _ segments: [String]) -> Match {
        var allowed: Set<HTTPRequest.Method> = []
        for resource in resources {
            guard let parameters = resource.template.match(segments) else { continue }
            if let route = resource.routes[method] ?? (method == .head ? resource.routes[.get] : nil) {
                return .route(route, parameters: parameters)
            }
            allowed.formUnion(resource.routes.keys)
            if resource.routes[.get] != nil { allowed.insert(.head) }
        }
        return allowed.isEmpty ? .notFound : .methodNotAllowed(Array(allowed))
    }
}

extension EdgeRouter.Route {
    func bodyLimitBytes(for method: HTTPRequest.Method) -> Int {
        if let limit = options.bodyLimitBytes { return limit }
        return switch method {
        case .get, .head, .delete, .options: 0
        default: 1 << 20
        }
    }
}
