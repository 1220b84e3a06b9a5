package import Logging
package import Postgres

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
        pollEvery: Duration = .milliseconds(500),
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
        let events = try await next(after: position) { position in
            let events = try await reader.run(after: position, limit: batch)
            return events.isEmpty ? nil : events
        }
        try Self.check(events, follow: position)
        return events
    }

    /// The result of `read` after `position`. Waits until there is one.
    ///
    /// - Throws: The errors of `read`; `CancellationError`.
    package func next<Found>(
        after position: Int64,
        _ read: (_ position: Int64) async throws -> Found?
    ) async throws -> Found {
        while true {
            try Task.checkCancellation()
            let pokes = signal.pokes
            // Above `position` after a failover that lost the newest events. An announced position that is not new must
            // not wake the follower.
            let announced = signal.position
            if let found = try await read(position) { return found }
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

/// Notifies other processes of appends, and receives their notices: a NOTIFY without a payload, outside the append
/// transaction, at most one in flight and at most one every ten milliseconds.
package struct AppendNotices: Sendable {
    private static let channel = "daybook_appended"

    private let configuration: PostgresConfiguration
    private let pool: PostgresPool
    private let signal: PositionSignal
    private let logger: Logger
    private let clock: any Clock<Duration> = ContinuousClock()

    package init(configuration: PostgresConfiguration, pool: PostgresPool, signal: PositionSignal, logger: Logger) {
        self.configuration = configuration
        self.pool = pool
        self.signal = signal
        self.logger = logger
    }

    /// Runs until cancelled. A lost connection costs only speed, because followers poll.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await notify() }
            group.addTask { await listen() }
        }
    }

    private func notify() async {
        var reported: Int64 = signal.position
        while !Task.isCancelled {
            await signal.wait(beyond: reported)
            let position = signal.position
            guard position > reported, !Task.isCancelled else { continue }
            reported = position
            do {
                _ = try await pool.query("SELECT pg_notify($1, '')", [.text(Self.channel)])
            } catch {
                logger.debug("a notice was not sent", metadata: ["error": "\(type(of: error))"])
            }
            // One notice covers everything before it, and each costs a transaction.
            try? await clock.sleep(for: .milliseconds(10))
        }
    }

    private func listen() async {
        var backOff = BackOff()
        while !Task.isCancelled {
            do {
                let connection = try await PostgresConnection.connect(configuration)
                backOff.reset()
                do {
                    let notices = try await connection.listen(to: [Self.channel])
                    // Covers what was appended while this process was not listening.
                    signal.poke()
                    for try await _ in notices { signal.poke() }
                } catch {
                    await connection.close()
                    throw error
                }
                await connection.close()
            } catch {
                logger.debug("not listening", metadata: ["error": "\(type(of: error))"])
            }
            do { try await clock.sleep(for: backOff.next()) } catch { return }
        }
    }
}
