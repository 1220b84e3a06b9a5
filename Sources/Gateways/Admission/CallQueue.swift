/// Who may call and who waits. Pure; bounded in both.
package struct CallQueue: Sendable, Hashable {
    package struct Settings: Sendable, Hashable {
        /// How many calls may be under way at once; at least 1.
        package var concurrent: Int
        /// How many more may wait.
        package var waiting: Int
        /// For how long each of them may.
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
    /// In the order they came.
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

    /// One call has ended.
    ///
    /// - Returns: Who takes its place.
    package mutating func leave() -> UInt64? {
        guard !waiting.isEmpty else {
            running -= 1
            return nil
        }
        return waiting.removeFirst()
    }

    /// Somebody waits no longer.
    ///
    /// - Returns: False where they had stopped waiting before: they were let through.
    package mutating func abandon(_ id: UInt64) -> Bool {
        guard let index = waiting.firstIndex(of: id) else { return false }
        waiting.remove(at: index)
        return true
    }
}
