import Synchronization

/// A clock whose sleeps last until the test ends them.
final class HeldClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
        var next = 0
        var cancelled: Set<Int> = []
    }

    /// How long the sleeps were meant to last, in the order in which they began.
    let sleeps: AsyncStream<Duration>
    private let began: AsyncStream<Duration>.Continuation
    private let state = Mutex(State())

    init() { (sleeps, began) = AsyncStream.makeStream() }

    var now: Instant { Instant() }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.cancelled.contains(number) else { return true }
                    state.sleepers[number] = continuation
                    return false
                }
                if isOver { continuation.resume(throwing: CancellationError()) }
                began.yield(deadline.offset)
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.resume(throwing: CancellationError())
        }
    }

    /// Ends every sleep that has begun.
    func wake() {
        let sleepers = state.withLock { state in
            defer { state.sleepers = [:] }
            return state.sleepers
        }
        for sleeper in sleepers.values { sleeper.resume() }
    }
}
