import Synchronization

/// A source of new identifiers. Injected, so that a run can be repeated from a seed.
package protocol UUIDGenerator: Sendable {
    /// An identifier that was not returned before.
    func next() -> UUID128
}

/// Makes UUIDv7 that increase strictly, also within a millisecond and when the clock is set back (RFC 9562 section 6.2,
/// method 2). Any number of tasks may share one.
package final class UUIDv7Generator: UUIDGenerator {
    private struct State {
        var random: any RandomNumberGenerator & Sendable
        var milliseconds: UInt64 = 0
        var randomA: UInt16 = 0
        var randomB: UInt64 = 0
    }

    private static let largestA: UInt16 = 0x0FFF
    private static let largestB: UInt64 = 0x3FFF_FFFF_FFFF_FFFF

    private let clock: any WallClock
    private let state: Mutex<State>

    package init(
        clock: any WallClock,
        random: some RandomNumberGenerator & Sendable = SystemEntropy()
    ) {
        self.clock = clock
        state = Mutex(State(random: random))
    }

    package func next() -> UUID128 {
        // The clock is read inside the lock. Read before it, a task that waits would have an old time: the order would
        // still be right, but its identifier would differ from its neighbour's only by an increment.
        state.withLock { state in
            let milliseconds = UInt64(max(clock.now().millisecondsSince1970, 0))
            if milliseconds > state.milliseconds {
                state.milliseconds = milliseconds
                Self.refill(&state)
            } else {
                Self.increment(&state)
            }
            return .v7(milliseconds: state.milliseconds, randomA: state.randomA, randomB: state.randomB)
        }
    }

    private static func refill(_ state: inout State) {
        state.randomA = UInt16(truncatingIfNeeded: state.random.next() as UInt64) & largestA
        state.randomB = state.random.next() & largestB
    }

    /// The next identifier within the millisecond: a random step of up to 2^32, so that it cannot be guessed from the
    /// previous one. When the 74 bits are exhausted, the next millisecond is used in advance.
    private static func increment(_ state: inout State) {
        let step = UInt64(UInt32(truncatingIfNeeded: state.random.next() as UInt64)) + 1
        let sum = state.randomB + step
        state.randomB = sum & largestB
        guard sum > largestB else { return }
        guard state.randomA == largestA else {
            state.randomA += 1
            return
        }
        state.milliseconds += 1
        refill(&state)
    }
}
