import NIOCore
import Synchronization

/// The parts of a connection, read one at a time.
///
/// `@unchecked Sendable`: the iterator is only used between `claim` and `release`, and a mutex admits one caller at a
/// time.
final class InboundParts: @unchecked Sendable {
    private var iterator: NIOAsyncChannelInboundStream<ConnectionPart>.AsyncIterator
    private let isTaken = Mutex(false)

    init(_ inbound: NIOAsyncChannelInboundStream<ConnectionPart>) {
        iterator = inbound.makeAsyncIterator()
    }

    /// Two tasks read the same body.
    struct ConcurrentReadError: Error {}

    func next() async throws -> ConnectionPart? {
        guard claim() else { throw ConcurrentReadError() }
        defer { release() }
        return try await iterator.next()
    }

    private func claim() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    private func release() { isTaken.withLock { $0 = false } }
}
