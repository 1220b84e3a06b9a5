import Canonical
import Synchronization

/// The state that all connections of a server share.
final class EdgeState: Sendable {
    private struct Counts {
        var connections = 0
        var requests = 0
        var isDraining = false
        var date = (second: Int64.min, text: "")
    }

    private let clock: any WallClock
    private let maximumConnections: Int
    private let maximumRequests: Int
    private let counts = Mutex(Counts())

    init(_ configuration: EdgeConfiguration) {
        clock = configuration.clock
        maximumConnections = configuration.maximumConnections
        maximumRequests = configuration.maximumRequestsInFlight
    }

    var isDraining: Bool { counts.withLock { $0.isDraining } }

    func drain() { counts.withLock { $0.isDraining = true } }

    /// Counts an opened connection; every call is followed by one of `connectionClosed`.
    ///
    /// - Returns: whether the number is within the limit.
    func connectionOpened() -> Bool {
        counts.withLock { counts in
            counts.connections += 1
            return counts.connections <= maximumConnections
        }
    }

    func connectionClosed() { counts.withLock { $0.connections -= 1 } }

    /// Reserves one of the places for requests; `requestEnded` follows only if it returns true.
    func requestBegan() -> Bool {
        counts.withLock { counts in
            guard counts.requests < maximumRequests else { return false }
            counts.requests += 1
            return true
        }
    }

    func requestEnded() { counts.withLock { $0.requests -= 1 } }

    /// The value of the `Date` field, computed once a second.
    var date: String {
        let now = clock.now()
        let second = now.microsecondsSince1970 / 1_000_000
        return counts.withLock { counts in
            if counts.date.second != second { counts.date = (second, HTTPDate.text(now)) }
            return counts.date.text
        }
    }
}
