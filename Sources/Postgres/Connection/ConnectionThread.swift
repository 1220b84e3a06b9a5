import Dispatch
import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A dedicated thread that runs one connection's jobs in order.
///
/// libpq blocks, and a blocked thread of Swift's cooperative pool cannot be used by other tasks. So every call into
/// libpq is made here. While there is nothing to run, the thread sleeps: at a semaphore, or in `poll` if it also watches
/// the connection's socket.
final class ConnectionThread: SerialExecutor {
    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    private struct State {
        var work: [Work] = []
        var isStopping = false
        /// The thread has ended and its pipe is closed.
        var isOver = false
        /// The thread has been signalled, or is about to be; once is enough.
        var isSignalled = false
        /// The thread sleeps in `poll`, or is about to. Otherwise it sleeps at the semaphore.
        var isPolling = false
        var watch: Watch?
    }

    private struct Watch {
        let socket: Int32
        let onReadable: @Sendable () -> Void
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let wakeReader: Int32
    private let wakeWriter: Int32
    private let identity = Atomic<UInt>(0)

    /// - Throws: `PostgresError` with `.resourcesExhausted` when no descriptor or thread is available.
    init() throws(PostgresError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw PostgresError(.resourcesExhausted) }
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        do {
            try DetachedThread.start { [self] in run() }
        } catch {
            // The thread closes the pipe. There is no thread, so the pipe is closed here.
            closePipe()
            throw error
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    /// Runs `closure` after the work that is already waiting.
    func run(_ closure: @escaping @Sendable () -> Void) {
        add(.closure(closure))
    }

    /// Ends the thread once its work is done. No work may be added afterwards.
    func stop() {
        signal { $0.isStopping = true }
    }

    /// Calls `onReadable` on this thread whenever `socket` is readable while there is no work.
    func watch(socket: Int32, onReadable: @escaping @Sendable () -> Void) {
        signal { $0.watch = Watch(socket: socket, onReadable: onReadable) }
    }

    func unwatch() {
        state.withLock { $0.watch = nil }
    }

    var isCurrent: Bool { identity.load(ordering: .relaxed) == DetachedThread.currentIdentity }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    func checkIsolated() {
        precondition(isCurrent, "a connection's state was touched from another thread")
    }

    private func add(_ work: Work) {
        signal { $0.work.append(work) }
    }

    /// Changes the state and wakes the thread.
    private func signal(_ change: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            change(&state)
            guard !state.isSignalled, !state.isOver else { return false }
            state.isSignalled = true
            // Inside the lock, so that the byte cannot go to a descriptor that was closed and reused meanwhile.
            if state.isPolling {
                var byte: UInt8 = 1
                // A full pipe also wakes the thread, so a refused write is harmless.
                _ = write(wakeWriter, &byte, 1)
            }
            return true
        }
        // Outside the lock, because the thread needs it as soon as it is awake.
        if isFirst { wake.signal() }
    }

    private func run() {
        identity.store(DetachedThread.currentIdentity, ordering: .relaxed)
        // Each signal is taken from the semaphore once: by the sleep that it ends, or else here.
        var isTaken = false
        while true {
            let (work, isStopping, isSignalled) = state.withLock { state in
                defer {
                    state.work.removeAll(keepingCapacity: true)
                    state.isSignalled = false
                    state.isPolling = false
                }
                return (state.work, state.isStopping, state.isSignalled)
            }
            if isSignalled, !isTaken { wake.wait() }
            isTaken = false
            for item in work {
                switch item {
                case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
                case .closure(let closure): closure()
                }
            }
            guard work.isEmpty else { continue }
            if isStopping { break }
            isTaken = waitForWork()
        }
        state.withLock { state in
            state.isOver = true
            closePipe()
        }
    }

    /// - Returns: True if a signal was taken from the semaphore.
    private func waitForWork() -> Bool {
        let (watch, isSignalled) = state.withLock { state in
            state.isPolling = state.watch != nil
            return (state.watch, state.isSignalled)
        }
        if isSignalled { return false }
        guard let watch else {
            wake.wait()
            return true
        }
        var descriptors = [
            pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watch.socket, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&descriptors, 2, -1) > 0 else { return false }
        if descriptors[0].revents != 0 {
            var sink = [UInt8](repeating: 0, count: 64)
            _ = read(wakeReader, &sink, sink.count)
        }
        if descriptors[1].revents != 0 { watch.onReadable() }
        return false
    }

    private func closePipe() {
        _ = close(wakeReader)
        _ = close(wakeWriter)
    }
}
