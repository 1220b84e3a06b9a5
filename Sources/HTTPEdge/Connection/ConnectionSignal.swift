import Synchronization

/// What the event loop tells the task that serves its connection, out of the order of the wire.
final class ConnectionSignal: Sendable {
    /// Yields once when the work in progress should stop: its deadline passed, or nobody is there to read its stream.
    let stops: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let verdict = Mutex<Refusal?>(nil)

    init() {
        (stops, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The refusal that answered in place of the route.
    var expired: Refusal? { verdict.withLock { $0 } }

    func expire(_ refusal: Refusal) {
        verdict.withLock { $0 = refusal }
        continuation.yield()
    }

    func stop() { continuation.yield() }
}
