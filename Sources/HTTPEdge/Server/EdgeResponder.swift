import Canonical
import HTTPTypes
import Logging
import NIOCore

/// One request and the channel for its answer.
struct Exchange: Sendable {
    let head: RequestHead
    let id: String
    let peer: String
    let parts: InboundParts
    let outbound: NIOAsyncChannelOutboundWriter<AnswerPart>
    let signal: ConnectionSignal
}

/// Passes a request to its route and sends the answer.
struct EdgeResponder<Principal: EdgePrincipal>: Sendable {
    enum Outcome: Sendable {
        case keep
        case close
    }

    let router: EdgeRouter<Principal>
    let configuration: EdgeConfiguration
    let state: EdgeState
    let logger: Logger
    let log: AccessLog

    /// Answers one request.
    ///
    /// - Throws: when the connection is gone.
    func answer(_ exchange: Exchange) async throws -> Outcome {
        let started = ContinuousClock.now
        var entry = AccessLog.Entry(id: exchange.id, method: exchange.head.method.rawValue)
        var logger = logger
        logger[metadataKey: "request_id"] = .string(exchange.id)
        defer {
            entry.expire(exchange.signal.expired)
            entry.duration = .now - started
            log.record(entry, logger)
        }
        let hasPlace = state.requestBegan()
        defer { if hasPlace { state.requestEnded() } }
        var request: EdgeRequest<Principal>?
        let response: EdgeResponse
        do {
            guard hasPlace else { throw Problem.overloaded }
            let (route, admitted) = try await admit(exchange, started, logger)
            request = admitted
            entry.template = admitted.template
            response = try await route.handler(admitted)
        } catch {
            let problem = Self.problem(error, logger)
            entry.code = problem.code
            response = problem.response(correlation: exchange.id)
        }
        entry.principal = request?.principal?.logIdentifier
        entry.status = response.status.code
        let body = request?.body
        defer { entry.bytesIn = body?.byteCount ?? 0 }
        return try await write(response, exchange, body, &entry)
    }

    /// Whether another request may follow on the connection: only if this one's body was read completely.
    private func keeps(_ exchange: Exchange, _ body: RequestBody?) -> Bool {
        exchange.head.keepsAlive && body?.isFinished == true && !state.isDraining
    }

    /// Answers input that never became a request.
    func refuse(
        _ refusal: GateRefusal,
        id: String,
        _ outbound: NIOAsyncChannelOutboundWriter<AnswerPart>
    ) async throws {
        var entry = AccessLog.Entry(id: id, method: "-")
        entry.status = refusal.status
        entry.code = refusal.rawValue
        log.record(entry, logger)
        try await outbound.write(.whole(Self.bytes(refusal, id: id, date: state.date), closes: true))
    }

    /// The whole answer to a refusal.
    static func bytes(_ refusal: GateRefusal, id: String, date: String) -> ByteBuffer {
        let response = Problem(refusal).response(correlation: id)
        guard case .bytes(let body) = response.body else { return ByteBuffer() }
        var buffer = ResponseEncoding.head(
            status: response.status,
            fields: response.fields,
            framing: .length(body.count),
            closes: true,
            requestID: id,
            date: date
        )
        buffer.writeBytes(body)
        return buffer
    }

    // MARK: Before the route

    private func admit(
        _ exchange: Exchange,
        _ started: ContinuousClock.Instant,
        _ logger: Logger
    ) async throws -> (EdgeRouter<Principal>.Route, EdgeRequest<Principal>) {
        let head = exchange.head
        let target = try RequestTarget(head.target)
        let route: EdgeRouter<Principal>.Route
        let parameters: [String: String]
        switch router.match(head.method, target.segments) {
        case .route(let match, let values): (route, parameters) = (match, values)
        case .notFound: throw Problem.notFound
        case .methodNotAllowed(let allowed): throw Problem.methodNotAllowed(allowed)
        }
        let limit = route.bodyLimitBytes(for: head.method)
        var announced: Int?
        if case .length(let count) = head.framing { announced = count }
        // No route accepts this body. A body that is too large is refused by the route, which may have to record a
        // trace.
        if announced != nil, limit == 0 { throw Problem.bodyTooLarge(limit: limit) }
        let body = RequestBody(
            exchange.parts,
            limit: limit,
            announced: announced,
            proceed: try Self.proceed(exchange)
        )
        // There is nothing to wait for: this reads the end of a request without a body from the wire.
        if head.framing == .none { _ = try await body.next() }
        let span = route.options.span(of: head)
        if span != .bounded {
            try await exchange.outbound.write(.streams(isLive: span == .live))
        }
        let request = EdgeRequest<Principal>(
            id: exchange.id,
            head: head,
            target: target,
            parameters: parameters,
            template: route.template.text,
            peer: peer(exchange),
            deadline: span == .bounded ? started + configuration.requestDeadline : nil,
            body: body,
            logger: logger
        )
        return (route, request)
    }

    /// Sends `100 Continue` to a client that waits for it. It is sent only when the route reads, so that after a
    /// refusal the client need not send the body.
    private static func proceed(_ exchange: Exchange) throws(Problem) -> (@Sendable () async throws -> Void)? {
        guard exchange.head.isVersion11, let expectation = exchange.head.fields[.expect] else { return nil }
        guard expectation.lowercased() == "100-continue" else { throw .expectationFailed }
        guard exchange.head.framing != .none else { return nil }
        return { [outbound = exchange.outbound] in try await outbound.write(.proceed) }
    }

    /// The client's address. The last address of the list is the one the trusted proxy saw; those before it are
    /// unverified.
    private func peer(_ exchange: Exchange) -> String {
        guard configuration.trustsForwardedFor,
            let last = exchange.head.fields[.forwardedFor]?.split(separator: ",").last?.trimmed,
            let address = try? SocketAddress(ipAddress: last, port: 0).ipAddress
        else { return exchange.peer }
        return address
    }

    private static func problem(_ error: any Error, _ logger: Logger) -> Problem {
        if let problem = error as? Problem { return problem }
        // The deadline or the grace period has passed.
        if error is CancellationError { return Problem(.requestTimeout) }
        // The type only: the text of an unknown error may contain anything.
        logger.error("Unexpected error", metadata: ["error_type": .string(String(reflecting: type(of: error)))])
        return .internal
    }

    // MARK: After the route

    private func write(
        _ response: EdgeResponse,
        _ exchange: Exchange,
        _ body: RequestBody?,
        _ entry: inout AccessLog.Entry
    ) async throws -> Outcome {
        let isHead = exchange.head.method == .head
        let coding = ContentCoding(of: response, to: exchange.head)
        let fields = coding.fields(response.fields)
        let closes: Bool
        func head(_ framing: ResponseEncoding.Framing, closes: Bool) -> ByteBuffer {
            ResponseEncoding.head(
                status: response.status,
                fields: fields,
                framing: framing,
                closes: closes,
                requestID: exchange.id,
                date: state.date
            )
        }
        let hasNoBody = response.status.code == 204 || response.status.code == 304
        switch hasNoBody ? .empty : response.body {
        case .empty:
            closes = !keeps(exchange, body)
            let framing: ResponseEncoding.Framing = hasNoBody ? .none : .length(0)
            try await exchange.outbound.write(.whole(head(framing, closes: closes), closes: closes))
        case .bytes(let plain):
            let bytes = coding.isGzip ? try await GzipStream.compress(whole: plain) : plain
            closes = !keeps(exchange, body)
            var buffer = head(.length(bytes.count), closes: closes)
            if !isHead {
                buffer.writeBytes(bytes)
                entry.bytesOut = bytes.count
            }
            try await exchange.outbound.write(.whole(buffer, closes: closes))
        case .stream(let produce):
            let isChunked = exchange.head.isVersion11
            // A route may answer while it reads, so only at the end is it known whether the whole body was read.
            let mayKeep = isChunked && exchange.head.keepsAlive && !state.isDraining
            let start = head(isChunked ? .chunked : .untilClose, closes: !mayKeep)
            let writer = try EdgeBodyWriter(
                exchange.outbound,
                isChunked: isChunked,
                isSilent: isHead,
                isCompressed: coding.isGzip
            )
            let comments = response.sendsKeepAliveComments && isChunked && !isHead
            try await exchange.outbound.write(.start(start, sendsComments: comments))
            defer { entry.bytesOut = writer.byteCount }
            if !isHead {
                do { try await produce(writer) } catch {
                    entry.code = "stream-broken"
                    throw error
                }
            }
            closes = !mayKeep || !keeps(exchange, body)
            try await writer.finish(closes: closes)
        }
        return closes ? .close : .keep
    }
}
