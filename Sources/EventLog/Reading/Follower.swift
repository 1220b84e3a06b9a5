/// Follows the log in order from a position, without missing or repeating an event.
package struct Follower: Sendable {
    private let reader: EventReader
    private let signal: PositionSignal
    private let batch: Int
    private let pollEvery: Duration
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - signal: Wakes the follower when this process appends, or is notified that another one has appended.
    ///   - pollEvery: The longest wait for the signal. Polling finds every event; the signal only makes it fast.
    package init(
        reader: EventReader,
        signal: PositionSignal,
        batch: Int = 500,
        pollEvery: Duration = .seconds(2),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.reader = reader
        self.signal = signal
        self.batch = batch
        self.pollEvery = pollEvery
        self.clock = clock
    }

    /// The next events after `position`: at least one. Waits for them.
    ///
    /// - Throws: `GapInLog` when a position is missing, `CancellationError`, `PostgresError`.
    package func next(after position: Int64) async throws -> [RecordedEvent] {
        let events = try await next(after: position) { position, mayHaveMore -> [RecordedEvent]? in
            guard mayHaveMore else { return nil }
            let events = try await reader.run(after: position, limit: batch)
            return events.isEmpty ? nil : events
        }
        try Self.check(events, follow: position)
        return events
    }

    /// The result of `read` after `position`. Waits until there is one.
    ///
    /// - Parameter read: Need not look at the log at first if the log ends at `position` as far as this process knows.
    /// - Throws: The errors of `read`; `CancellationError`.
    package func next<Found>(
        after position: Int64,
        _ read: (_ position: Int64, _ mayHaveMore: Bool) async throws -> Found?
    ) async throws -> Found {
        var isFirst = true
        while true {
            try Task.checkCancellation()
            let pokes = signal.pokes
            // Above `position` after a failover that lost the newest events. An announced position that is not new must
            // not wake the follower.
            let announced = signal.position
            let mayHaveMore = !isFirst || position == 0 || announced != position
            if let found = try await read(position, mayHaveMore) { return found }
            isFirst = false
            await pause(beyond: max(position, announced), since: pokes)
        }
    }

    /// Asserts that `events` are the ones right after `position`.
    package static func check(_ events: [RecordedEvent], follow position: Int64) throws(GapInLog) {
        // Accessed by index: copying an event out of the array would retain and release a dozen strings.
        for offset in events.indices {
            let expected = position + Int64(offset) + 1
            let found = events[offset].position
            guard found == expected else { throw GapInLog(expected: expected, found: found) }
        }
    }

    private func pause(beyond position: Int64, since pokes: Int) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await signal.wait(beyond: position, since: pokes) }
            group.addTask { try? await clock.sleep(for: pollEvery) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// A position that must be in the log is missing. Nothing after it is trusted.
package struct GapInLog: Error, Hashable {
    package let expected: Int64
    package let found: Int64
}
