package import Canonical
package import NIOCore
import Synchronization

/// The body of a request, read once and never beyond its cap.
package final class RequestBody: Sendable {
    private enum State {
        case unread
        case reading
        case finished
        case failed
    }

    /// The cap of the route, in bytes.
    package let limit: Int
    /// How many bytes `Content-Length` announces; nil for a chunked body and where there is none.
    package let announcedBytes: Int?
    private let parts: InboundParts
    private let proceed: (@Sendable () async throws -> Void)?
    private let state: Mutex<(phase: State, count: Int)>

    /// - Parameter proceed: asks the client for the body, where it waits to be asked.
    init(_ parts: InboundParts, limit: Int, announced: Int?, proceed: (@Sendable () async throws -> Void)?) {
        self.parts = parts
        self.limit = limit
        announcedBytes = announced
        self.proceed = proceed
        state = Mutex((.unread, 0))
    }

    /// Whether all of it was read.
    var isFinished: Bool { state.withLock { $0.phase == .finished } }

    /// Bytes read so far.
    package var byteCount: Int { state.withLock { $0.count } }

    /// Refuses a body that is announced to be too large, before any of it is asked for or read.
    ///
    /// - Throws: `body-too-large`.
    package func checkAnnounced(limit: Int = .max) throws(Problem) {
        let limit = min(limit, self.limit)
        if let announcedBytes, announcedBytes > limit { throw .bodyTooLarge(limit: limit) }
    }

    /// The next bytes as they came; nil at the end.
    ///
    /// - Throws: `body-too-large` beyond the cap, `body-incomplete` when the client stops, or what the gate refused.
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

    /// All of it.
    ///
    /// - Parameter limit: the most bytes, where it is less than the cap of the route.
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

    /// All of it, as a JSON document.
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

    /// Its lines, one at a time.
    ///
    /// - Parameter lineLimit: the most bytes of a line.
    package func lines(lineLimit: Int) -> LineReader {
        LineReader(lineLimit: lineLimit) { try await self.next() }
    }
}
