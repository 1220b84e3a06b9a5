import Synchronization

/// Reports to waiters in this process how far something has come: the log, or a projection. Signals coalesce: a slow
/// waiter is woken once for several of them.
package final class PositionSignal: Sendable {
    private struct State {
        var position: Int64 = 0
        var pokes = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Announces that everything up to `position` is done: durable in the log, or applied to a read model.
    package func reached(_ position: Int64) {
        let waiters = state.withLock { state in
            state.position = max(state.position, position)
            defer { state.waiters.removeAll() }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Forgets the announced position and wakes all waiters: the log is in another epoch.
    package func reset() {
        state.withLock { $0.position = 0 }
        poke()
    }

    /// Wakes all waiters, for instance because another process may have appended.
    package func poke() {
        let waiters = state.withLock { state in
            state.pokes += 1
            defer { state.waiters.removeAll() }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The number of calls of `poke()`. Read it before checking for new events; `wait` then misses no `poke()` made
    /// during the check.
    package var pokes: Int { state.withLock(\.pokes) }

    /// The highest position announced.
    package var position: Int64 { state.withLock(\.position) }

    /// Returns when a position above `position` has been announced, on `poke()`, or when the task is cancelled.
    ///
    /// - Parameter pokes: Returns at once if there has been a `poke()` since `pokes` was read.
    package func wait(beyond position: Int64, since pokes: Int? = nil) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.position > position || pokes.map({ $0 != state.pokes }) == true || Task.isCancelled {
                        return true
                    }
                    state.waiters[id] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}
