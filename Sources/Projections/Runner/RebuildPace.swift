import EventLog

/// How fast a rebuild may go. While nobody appends, it takes what the machine has; while somebody does, it rests three times
/// as long as it works, so that appends, which share processors and disk with it, lose little.
struct RebuildPace {
    private static let restFactor = 3
    private static let longestRest = Duration.seconds(2)

    private let reader: EventReader
    private let clock: any Clock<Duration>
    private var head: Int64?
    private let stopwatch = ContinuousClock()
    private var began: ContinuousClock.Instant

    init(reader: EventReader, clock: any Clock<Duration>) {
        self.reader = reader
        self.clock = clock
        began = stopwatch.now
    }

    /// Called after each run: rests when the log has grown since the run before.
    mutating func giveWay() async throws {
        let now = try await reader.head()
        if let head, now > head {
            try await clock.sleep(for: min(began.duration(to: stopwatch.now) * Self.restFactor, Self.longestRest))
        }
        head = now
        began = stopwatch.now
    }
}
