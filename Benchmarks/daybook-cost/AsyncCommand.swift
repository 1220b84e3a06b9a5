import ArgumentParser
import Dispatch
import Synchronization

/// A command that waits for its task on the main thread.
///
/// An asynchronous `main` ends that thread in a call that crashes valgrind 3.19 (`rt_sigsuspend` with a constant mask).
protocol AsyncCommand: ParsableCommand, Sendable {
    func work() async throws
}

extension AsyncCommand {
    func run() throws {
        let outcome = Outcome()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await work() } catch { outcome.error.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        if let error = outcome.error.withLock({ $0 }) { throw error }
    }
}

private final class Outcome: Sendable {
    let error = Mutex<(any Error)?>(nil)
}
