#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A source of the current time. Injected wherever a time is needed, so that code can run against a manual clock.
package protocol WallClock: Sendable {
    func now() -> Timestamp

    /// The instant of a clock that runs at the same speed and is never set: it shows whether this one was set.
    func steady() -> ContinuousClock.Instant
}

extension WallClock {
    package func steady() -> ContinuousClock.Instant { .now }
}

/// The clock of the machine. It can be set back, so no code may rely on it to increase.
package struct SystemClock: WallClock {
    package init() {}

    package func now() -> Timestamp {
        var time = timespec()
        // Cannot fail: the clock exists on every system and the pointer is valid.
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
