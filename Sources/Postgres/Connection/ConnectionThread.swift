import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A dedicated thread that runs one connection's jobs in order.
///
/// libpq blocks, and a blocked thread of Swift's cooperative pool cannot be used by other tasks. So every call into
/// libpq is made here. While there is nothing to run, the thread sleeps in `poll`, and so can also watch the
/// connection's socket.
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
        /// A byte is in the pipe, or about to be; one is enough to wake the thread.
        var isSignalled = false
        var watch: Watch?
    }

    private struct Watch {
        let socket: Int32
        let onReadable: @Sendable () -> Void
    }

    private let state = Mutex(State())
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
        state.withLock { state in
            state.isStopping = true
            signal(&state)
        }
    }

    /// Calls `onReadable` on this thread whenever `socket` is readable while there is no work.
    func watch(socket: Int32, onReadable: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.watch = Watch(socket: socket, onReadable: onReadable)
            signal(&state)
        }
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
        state.withLock { state in
            state.work.append(work)
            signal(&state)
        }
    }

    /// Called inside the lock, so that the byte cannot go to a descriptor that was closed and reused meanwhile.
    private func signal(_ state: inout State) {
        guard !state.isSignalled, !state.isOver else { return }
        state.isSignalled = true
        var byte: UInt8 = 1
        // A full pipe also wakes the thread, so a refused write is harmless.
        _ = write(wakeWriter, &byte, 1)
    }

    private func run() {
        identity.store(DetachedThread.currentIdentity, ordering: .relaxed)
        while true {
            let (work, isStopping) = state.withLock { state in
                defer {
                    state.work.removeAll(keepingCapacity: true)
                    state.isSignalled = false
                }
                return (state.work, state.isStopping)
            }
            for item in work {
                switch item {
                case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
                case .closure(let closure): closure()
                }
            }
            guard work.isEmpty else { continue }
            if isStopping { break }
            waitForWork()
        }
        state.withLock { state in
            state.isOver = true
            closePipe()
        }
    }

    private func waitForWork() {
        let watch = state.withLock { $0.watch }
        var descriptors = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
        if let watch { descriptors.append(pollfd(fd: watch.socket, events: Int16(POLLIN), revents: 0)) }
        guard poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { return }
        if descriptors[0].revents != 0 {
            var sink = [UInt8](repeating: 0, count: 64)
            _ = read(wakeReader, &sink, sink.count)
        }
        if let watch, descriptors[1].revents != 0 { watch.onReadable() }
    }

    private func closePipe() {
        _ = close(wakeReader)
        _ = close(wakeWriter)
    }
}

/// Threads outside Swift's cooperative pool.
enum DetachedThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread that runs `body` and then ends.
    ///
    /// - Throws: `PostgresError` with `.resourcesExhausted` when the system has no thread left.
    static func start(_ body: @escaping @Sendable () -> Void) throws(PostgresError) {
        let context = Unmanaged.passRetained(Body(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
        var thread: pthread_t?
        let result = pthread_create(
            &thread,
            &attributes,
            { context in
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            context.toOpaque()
        )
        #else
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            &attributes,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            },
            context.toOpaque()
        )
        #endif
        guard result == 0 else {
            context.release()
            throw PostgresError(.resourcesExhausted)
        }
    }

    static var currentIdentity: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
