import EventLog

/// The pace of a rebuild. Without appends it uses the whole machine. During appends it pauses three times as long as
/// it works, because appends share processors and disk with it.
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

    /// Called after each run: pauses when the log has grown since the previous run.
    mutating func giveWay() async throws {
        let now = try await reader.head()
        if let head, now > head {
            try await clock.sleep(for: min(began.duration(to: stopwatch.now) * Self.restFactor, Self.longestRest))
        }
        head = now
        began = stopwatch.now
    }
}
