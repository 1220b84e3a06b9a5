package import HTTPTypes

/// The options of a route that differ from the server's defaults.
package struct RouteOptions: Sendable, Hashable {
    /// How long a request may take.
    package enum Span: Sendable, Hashable {
        /// The total deadline of the server.
        case bounded
        /// No time limit as long as the minimum rate is kept: for bulk data in either direction.
        case stream
        /// Like a stream, but endless: stopped when the server drains.
        case live
    }

    /// The largest body in bytes. Nil: none for GET, HEAD, DELETE and OPTIONS, 1 MiB for the others.
    package var bodyLimitBytes: Int?
    package var span: Span
    /// The media types of bodies that an unbounded span applies to; all others are bounded. Nil applies it to every
    /// request.
    package var spanMediaTypes: Set<String>?
    /// The media types of answers, among those the route offers, that are streams; empty if the answer does not decide.
    package var streamedAnswers: Set<String> = []
    /// All media types the route offers, in its order of negotiation.
    package var offeredAnswers: [String] = []

    package init(bodyLimitBytes: Int? = nil, span: Span = .bounded, spanMediaTypes: Set<String>? = nil) {
        self.bodyLimitBytes = bodyLimitBytes
        self.span = span
        self.spanMediaTypes = spanMediaTypes
    }

    /// Options of a route whose answer is a stream for some media types, and bounded otherwise.
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
    /// Runs around a route: it may throw, read the request, or change the answer.
    package typealias Middleware =
        @Sendable (EdgeRequest<Principal>, _ next: Handler) async throws -> EdgeResponse

    struct Route: Sendable {
        let template: RouteTemplate
        let options: RouteOptions
        let handler: Handler
    }

    /// The result of looking up a method and a path.
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
    /// The indices of the resources that a path with this second segment may match, in the order in which they are
    /// tried.
    private var bySecond: [String: [Int]] = [:]
    /// The same for every other path.
    private var withoutSecond: [Int] = []
    private var middlewares: [Middleware] = []

    package init() {}

    /// Adds a middleware around every route added after it; the first one added is the outermost.
    package mutating func use(_ middleware: @escaping Middleware) {
        middlewares.append(middleware)
    }

    /// Adds a route. A GET route also answers HEAD.
    ///
    /// - Parameters:
    ///   - template: such as `/v1/things/{id}`, or `/files/{path...}` for all the rest. A literal segment has
    ///     precedence over a named one.
    /// - Precondition: the template is well-formed and has no route for the method yet. Both would be programming
    ///   errors, found at start-up.
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

    /// Every route as method and template, without HEAD, in the order in which they are tried.
    package var routes: [(method: HTTPRequest.Method, template: String)] {
        resources.flatMap { resource in
            resource.routes.keys.sorted { $0.rawValue < $1.rawValue }.map { ($0, resource.template.text) }
        }
    }

    private mutating func insert(_ template: RouteTemplate) -> Int {
        let index = resources.firstIndex { template.isMorePrecise(than: $0.template) } ?? resources.endIndex
        resources.insert(Resource(template: template), at: index)
        let literals = resources.map(\.template.secondLiteral)
        withoutSecond = resources.indices.filter { literals[$0] == nil }
        for literal in Set(literals.compactMap(\.self)) {
            bySecond[literal] = resources.indices.filter { literals[$0] ?? literal == literal }
        }
        return index
    }

    func match(_ method: HTTPRequest.Method, _ segments: [String]) -> Match {
        var allowed: Set<HTTPRequest.Method> = []
        let named = segments.count > 1 ? bySecond[segments[1]] : nil
        for index in named ?? withoutSecond {
            let resource = resources[index]
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
