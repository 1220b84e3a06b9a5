/// Decides which calls run and which wait. Pure; both numbers are bounded.
package struct CallQueue: Sendable, Hashable {
    package struct Settings: Sendable, Hashable {
        /// The maximum number of concurrent calls; at least 1.
        package var concurrent: Int
        /// The maximum number of waiting calls.
        package var waiting: Int
        /// The maximum wait of each.
        package var waitMicroseconds: Int64

        package init(concurrent: Int = 4, waiting: Int = 32, waitMicroseconds: Int64 = 5_000_000) {
            self.concurrent = max(1, concurrent)
            self.waiting = max(0, waiting)
            self.waitMicroseconds = max(0, waitMicroseconds)
        }
    }

    package enum Entry: Sendable, Hashable {
        case start, wait
        case full
    }

    package let settings: Settings
    package private(set) var running = 0
    /// The waiting calls in order of arrival.
    package private(set) var waiting: [UInt64] = []

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    package mutating func enter(_ id: UInt64) -> Entry {
        if running < settings.concurrent && waiting.isEmpty {
            running += 1
            return .start
        }
        guard waiting.count < settings.waiting else { return .full }
        waiting.append(id)
        return .wait
    }

    /// Ends one call.
    ///
    /// - Returns: The call that takes its place.
    package mutating func leave() -> UInt64? {
        guard !waiting.isEmpty else {
            running -= 1
            return nil
        }
        return waiting.removeFirst()
    }

    /// Removes a waiting call.
    ///
    /// - Returns: False if the call was no longer waiting because it was admitted.
    package mutating func abandon(_ id: UInt64) -> Bool {
        guard let index = waiting.firstIndex(of: id) else { return false }
        waiting.remove(at: index)
        return true
    }
}
