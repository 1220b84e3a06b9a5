#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

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
        #if canImport(Darwin)
        var thread: pthread_t?
        let result = pthread_create(
            &thread,
            nil,
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
            nil,
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
        #if canImport(Darwin)
        if let thread { pthread_detach(thread) }
        #else
        pthread_detach(thread)
        #endif
    }

    static var currentIdentity: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
