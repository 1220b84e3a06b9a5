internal import CLibPQ
internal import Dispatch
import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Passes a task's cancellation to the statement it runs, and to no other.
///
/// A cancel request names a session, not a statement, and reaches the server over another connection. A late request
/// would hit whatever the session runs by then, which may be a COMMIT. So the connection's thread marks the exchange
/// that may be cancelled (`arm`), and does not continue with the next one before a request in flight has been answered
/// (`disarm`): the server signals the session before it closes the cancelling connection, and an idle session ignores
/// the signal.
final class StatementCanceller: Sendable {
    /// How often a request is repeated. The server ignores a request that arrives before its statement.
    private static let repeatAfter: Duration = .milliseconds(100)
    /// How long the statement may continue after a request before the connection is closed.
    private static let waitLimit: Duration = .seconds(10)

    /// One call of the connection's interface, which may need several exchanges with the server.
    typealias Operation = UInt64

    private struct State {
        var handle: CancelHandle?
        var operation: Operation = 0
        var isRequested = false
        var isArmed = false
        var underWay: DispatchSemaphore?
        var firstSent: ContinuousClock.Instant?
        var lastSent: ContinuousClock.Instant?
        /// The open socket, for `abort`; nil once libpq may close it.
        var socket: Int32?
    }

    private let state = Mutex(State())

    /// Sets the session to cancel in.
    func open(_ handle: CancelHandle?, socket: Int32) {
        state.withLock {
            $0.handle = handle
            $0.socket = socket
        }
    }

    func close() {
        state.withLock {
            $0.handle = nil
            $0.socket = nil
        }
    }

    /// Cuts the connection from any thread. A thread that waits on it finds it broken.
    func abort() {
        // Under the lock, so that the descriptor cannot have been closed and reused meanwhile.
        state.withLock { state in
            if let socket = state.socket { _ = shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    func begin() -> Operation {
        state.withLock { state in
            state.operation += 1
            state.isRequested = false
            state.firstSent = nil
            state.lastSent = nil
            return state.operation
        }
    }

    func isRequested(_ operation: Operation) -> Bool {
        state.withLock { $0.operation == operation && $0.isRequested }
    }

    /// Requests the cancellation of `operation`; may be called from any thread and never blocks.
    func cancel(_ operation: Operation) {
        state.withLock { state in
            guard state.operation == operation, !state.isRequested else { return }
            state.isRequested = true
            if state.isArmed { send(&state) }
        }
    }

    /// Marks the statement as being sent to the server: from now on a request has an effect.
    func arm(_ operation: Operation) {
        state.withLock { state in
            guard state.operation == operation else { return }
            state.isArmed = true
            if state.isRequested { send(&state) }
        }
    }

    enum WaitState { case waiting, exhausted }

    /// Called while waiting for an answer: repeats a request that had no effect.
    func tick() -> WaitState {
        state.withLock { state in
            guard state.isArmed, state.isRequested, let first = state.firstSent, let last = state.lastSent else {
                return .waiting
            }
            if first.duration(to: .now) > Self.waitLimit { return .exhausted }
            if state.underWay == nil, last.duration(to: .now) >= Self.repeatAfter { send(&state) }
            return .waiting
        }
    }

    /// Called when the answer is complete. Waits on the connection's thread for a request in flight.
    ///
    /// - Returns: false when the request did not return in time, so that it may still hit a later statement.
    func disarm() -> Bool {
        let underWay = state.withLock { state in
            state.isArmed = false
            return state.underWay
        }
        guard let underWay else { return true }
        defer { underWay.signal() }
        return underWay.wait(timeout: .now() + .seconds(10)) == .success
    }

    private func send(_ state: inout State) {
        guard let handle = state.handle, state.underWay == nil else { return }
        let done = DispatchSemaphore(value: 0)
        let now = ContinuousClock.now
        state.firstSent = state.firstSent ?? now
        state.lastSent = now
        do {
            try DetachedThread.start { [self] in
                handle.cancel()
                self.state.withLock { $0.underWay = nil }
                done.signal()
            }
            state.underWay = done
        } catch {
            // No thread is available now; `tick` tries again until the wait limit.
        }
    }
}

/// The data libpq needs to cancel in a session.
///
/// Unchecked, because the object is never modified and `PQcancel` may be called with it from any thread (PostgreSQL
/// documentation, "Canceling Queries in Progress").
final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init?(_ connection: OpaquePointer) {
        guard let pointer = PQgetCancel(connection) else { return nil }
        self.pointer = pointer
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Blocks until the server has received the request.
    func cancel() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(pointer, &message, Int32(message.count))
    }
}
