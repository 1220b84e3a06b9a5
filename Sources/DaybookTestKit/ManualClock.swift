package import Canonical
import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: WallClock {
    private let instant: Mutex<Timestamp>
    /// It stands still as well, however long a test takes: every move of the clock is a setting.
    private let start = ContinuousClock.now

    /// Starts at 2026-01-01T00:00:00Z by default.
    package init(at start: Timestamp = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)) {
        instant = Mutex(start)
    }

    package func now() -> Timestamp { instant.withLock { $0 } }

    package func steady() -> ContinuousClock.Instant { start }

    /// Sets the clock, also backwards, as happens to real clocks.
    package func set(_ timestamp: Timestamp) {
        instant.withLock { $0 = timestamp }
    }

    /// Moves by a number of microseconds, negative for backwards.
    package func advance(microseconds: Int64) {
        instant.withLock { $0 = Timestamp(microsecondsSince1970: $0.microsecondsSince1970 + microseconds) }
    }

    package func advance(seconds: Int64) { advance(microseconds: seconds * 1_000_000) }
}
