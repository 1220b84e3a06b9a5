package import Canonical

/// Whether a gateway that failed of late may be called. Pure: time comes in, nothing is awaited.
///
/// Closed, calls pass. After `failuresToOpen` failures in a row it opens, and refuses every call for `openMicroseconds`. Then
/// one call may try; while it is under way all others are refused. What it brings home closes or opens the breaker.
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
        /// One call is trying, and nobody else may.
        case probing
    }

    package enum Admission: Sendable, Hashable {
        case pass
        /// It passes, and what becomes of it decides.
        case probe
        /// With the time from which on it makes sense to ask again, where that is known.
        case refused(until: Timestamp?)
    }

    /// What a call tells of the gateway's health.
    package enum Result: Sendable, Hashable {
        case success, failure
        /// It tells nothing: it never got as far.
        case neutral
    }

    package let settings: Settings
    package private(set) var state: State = .closed(failures: 0)

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Asks for a call to be let through now.
    package mutating func admit(at now: Timestamp) -> Admission {
        switch state {
        case .closed: return .pass
        case .probing: return .refused(until: nil)
        case .open(let since):
            let until = since.adding(microseconds: settings.openMicroseconds)
            // A clock that was set back would keep it open for as long as it was set back.
            guard now >= until || now < since else { return .refused(until: until) }
            state = .probing
            return .probe
        }
    }

    /// Takes in what became of a call that was admitted.
    package mutating func record(_ result: Result, of admission: Admission, at now: Timestamp) {
        switch (admission, result) {
        case (.refused, _): break
        case (.probe, .success): state = .closed(failures: 0)
        case (.probe, .failure): state = .open(since: now)
        // The place of the one that may try is free again, at once.
        case (.probe, .neutral):
            state = .open(since: now.adding(microseconds: -settings.openMicroseconds))
        case (.pass, .neutral): break
        // A call that was let through before it opened says nothing about now.
        case (.pass, .success): if case .closed = state { state = .closed(failures: 0) }
        case (.pass, .failure):
            guard case .closed(let failures) = state else { break }
            state = failures + 1 >= settings.failuresToOpen ? .open(since: now) : .closed(failures: failures + 1)
        }
    }
}
