/// What a loop waits for before its next step.
package enum LoopPause: Sendable, Equatable {
    case none
    case time(Duration)
    /// An append beyond a position or the given time, whichever comes first; then `gathering` for the rest of the
    /// events that belong together.
    case append(beyond: Int64, orAfter: Duration? = nil, gathering: Duration)
    /// There is no next step.
    case end
}

/// Decides what a loop does next. A value without I/O or clock.
struct LoopState: Sendable {
    enum Event: Sendable, Equatable {
        case began(LoopPause)
        /// A step has succeeded.
        case stepped(LoopPause)
        /// A step has failed; finally if the loop was cancelled, or its database is closed.
        case failed(isFinal: Bool)
        case paused
        case cancelled
    }

    enum Action: Sendable, Equatable {
        case step
        case pause(LoopPause)
        case stop
    }

    /// The delay after the first failure, doubled with each further one up to the longest.
    let retry: ClosedRange<Duration>
    private var failures = 0

    init(retry: ClosedRange<Duration>) {
        self.retry = retry
    }

    mutating func handle(_ event: Event) -> Action {
        switch event {
        case .began(let pause): return Self.next(pause)
        case .stepped(let pause):
            failures = 0
            return Self.next(pause)
        case .failed(isFinal: true), .cancelled: return .stop
        case .failed(isFinal: false):
            let delay = min(retry.upperBound, retry.lowerBound * (1 << min(failures, 16)))
            failures += 1
            return .pause(.time(delay))
        case .paused: return .step
        }
    }

    private static func next(_ pause: LoopPause) -> Action {
        switch pause {
        case .none: .step
        case .end: .stop
        case .time, .append: .pause(pause)
        }
    }
}
