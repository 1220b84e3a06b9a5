package import Canonical

/// Decides whether a recently failing gateway may be called. Pure: time is passed in, nothing is awaited.
///
/// While it is closed, calls pass. After `failuresToOpen` consecutive failures it opens and refuses every call for
/// `openMicroseconds`. Then one call is admitted as a probe; while it runs all others are refused. Its result closes or
/// opens the breaker.
package struct CircuitBreaker: Sendable, Hashable {
    package struct Settings: Sendable, Hashable {
        /// At least 1.
        package var failuresToOpen: Int
        package var openMicroseconds: Int64

        package init(failuresToOpen: Int = 5, openMicroseconds: Int64 = 30_000_000) {
            self.failuresToOpen = max(1, failuresToOpen)
            self.openMicroseconds = max(0, openMicroseconds)
        }
    }

    package enum State: Sendable, Hashable {
        case closed(failures: Int)
        case open(since: Timestamp)
        /// The probe is running; all other calls are refused.
        case probing
    }

    package enum Admission: Sendable, Hashable {
        case pass
        /// Admitted as the probe; its result decides.
        case probe
        /// With the earliest time for another attempt, if it is known.
        case refused(until: Timestamp?)
    }

    /// The meaning of a call for the gateway's health.
    package enum Result: Sendable, Hashable {
        case success, failure
        /// No meaning: the call did not reach the gateway.
        case neutral
    }

    package let settings: Settings
    package private(set) var state: State = .closed(failures: 0)

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    package mutating func admit(at now: Timestamp) -> Admission {
        switch state {
        case .closed: return .pass
        case .probing: return .refused(until: nil)
        case .open(let since):
            let until = since.adding(microseconds: settings.openMicroseconds)
            // A clock that was set back must not keep the breaker open for the same time.
            guard now >= until || now < since else { return .refused(until: until) }
            state = .probing
            return .probe
        }
    }

    /// Records the result of an admitted call.
    package mutating func record(_ result: Result, of admission: Admission, at now: Timestamp) {
        switch (admission, result) {
        case (.refused, _): break
        case (.probe, .success): state = .closed(failures: 0)
        case (.probe, .failure): state = .open(since: now)
        // The next call may be the probe at once.
        case (.probe, .neutral):
            state = .open(since: now.adding(microseconds: -settings.openMicroseconds))
        case (.pass, .neutral): break
        // A success admitted before the breaker opened does not show the current health.
        case (.pass, .success): if case .closed = state { state = .closed(failures: 0) }
        case (.pass, .failure):
            guard case .closed(let failures) = state else { break }
            state = failures + 1 >= settings.failuresToOpen ? .open(since: now) : .closed(failures: failures + 1)
        }
    }
}
