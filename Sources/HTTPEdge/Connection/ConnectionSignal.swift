import Synchronization

/// Signals from the event loop to the task that serves its connection, outside the order of the wire.
final class ConnectionSignal: Sendable {
    /// Yields once when the current work should stop: its deadline passed, or its stream has no reader.
    let stops: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let verdict = Mutex<GateRefusal?>(nil)

    init() {
        (stops, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The refusal that was sent in place of the route's answer.
    var expired: GateRefusal? { verdict.withLock { $0 } }

    func expire(_ refusal: GateRefusal) {
        verdict.withLock { $0 = refusal }
        continuation.yield()
    }

    func stop() { continuation.yield() }
}
