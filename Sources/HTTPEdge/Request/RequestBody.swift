package import Canonical
package import NIOCore
import Synchronization

/// The body of a request, read once and never beyond its limit.
package final class RequestBody: Sendable {
    private enum State {
        case unread
        case reading
        case finished
        case failed
    }

    /// The limit of the route, in bytes.
    package let limit: Int
    /// The number of bytes in `Content-Length`; nil for a chunked body and if there is none.
    package let announcedBytes: Int?
    private let parts: InboundParts
    private let proceed: (@Sendable () async throws -> Void)?
    private let state: Mutex<(phase: State, count: Int)>

    /// - Parameter proceed: requests the body from a client that waits for `100 Continue`.
    init(_ parts: InboundParts, limit: Int, announced: Int?, proceed: (@Sendable () async throws -> Void)?) {
        self.parts = parts
        self.limit = limit
        announcedBytes = announced
        self.proceed = proceed
        state = Mutex((.unread, 0))
    }

    /// Whether the whole body was read.
    var isFinished: Bool { state.withLock { $0.phase == .finished } }

    /// The number of bytes read so far.
    package var byteCount: Int { state.withLock { $0.count } }

    /// Refuses a body that is announced as too large, before any of it is requested or read.
    ///
    /// - Throws: `body-too-large`.
    package func checkAnnounced(limit: Int = .max) throws(Problem) {
        let limit = min(limit, self.limit)
        if let announcedBytes, announcedBytes > limit { throw .bodyTooLarge(limit: limit) }
    }

    /// The next bytes as they arrived; nil at the end.
    ///
    /// - Throws: `body-too-large` beyond the limit, `body-incomplete` when the client stops, or the gate's refusal.
    package func next() async throws -> ByteBuffer? {
        let before = state.withLock { state in
            let before = state.phase
            if before == .unread { state.phase = .reading }
            return before
        }
        switch before {
        case .finished: return nil
        case .failed: throw Problem.bodyIncomplete
        case .unread:
            try checkAnnounced()
            try await proceed?()
        case .reading: break
        }
        do {
            switch try await parts.next() {
            case .body(let buffer):
                let count = state.withLock { state in
                    state.count += buffer.readableBytes
                    return state.count
                }
                guard count <= limit else { throw Problem.bodyTooLarge(limit: limit) }
                return buffer
            case .end:
                state.withLock { $0.phase = .finished }
                return nil
            case .refused(let refusal, _): throw Problem(refusal)
            case .head, nil: throw Problem.bodyIncomplete
            }
        } catch {
            state.withLock { $0.phase = .failed }
            throw error
        }
    }

    /// The whole body.
    ///
    /// - Parameter limit: the largest number of bytes, if less than the limit of the route.
    /// - Throws: as `next`, and `body-too-large` beyond `limit`.
    package func collect(limit: Int = .max) async throws -> [UInt8] {
        try checkAnnounced(limit: limit)
        var bytes: [UInt8] = []
        while let buffer = try await next() {
            guard bytes.count + buffer.readableBytes <= limit else { throw Problem.bodyTooLarge(limit: limit) }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return bytes
    }

    /// The whole body, as a JSON document.
    ///
    /// - Throws: as `collect`, and `malformed-json`, `json-depth` or `json-duplicate-key` with an offset.
    package func json(limits: JSONLimits = .standard) async throws -> JSONValue {
        let bytes = try await collect(limit: limits.maximumBytes)
        do throws(JSONParseError) {
            return try JSONValue(parsing: bytes, limits: limits)
        } catch {
            throw Problem(error)
        }
    }

    /// The lines of the body, one at a time.
    ///
    /// - Parameter lineLimit: the largest number of bytes of a line.
    package func lines(lineLimit: Int) -> LineReader {
        LineReader(lineLimit: lineLimit) { try await self.next() }
    }
}
