package import EventLog
package import Logging
import Metrics
package import Postgres

/// Keeps one live read model up to date. Several processes may run the same one: the checkpoint lets one of them
/// write each step.
package struct ProjectionRunner: Sendable {
    let projection: any Projection
    let pool: PostgresPool
    let reader: EventReader
    let follower: Follower
    /// Told after each step, for readers who wait for a position.
    let progress: PositionSignal
    let logger: Logger
    let clock: any Clock<Duration>

    package init(
        projection: any Projection,
        pool: PostgresPool,
        reader: EventReader,
        appended: PositionSignal,
        progress: PositionSignal,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.projection = projection
        self.pool = pool
        self.reader = reader
        self.follower = Follower(reader: reader, signal: appended, clock: clock)
        self.progress = progress
        self.logger = logger
        self.clock = clock
    }

    /// Follows the log until cancelled. An event that cannot be applied halts this projection, with its position
    /// and the reason in the checkpoint; a restart tries again.
    package func run() async throws {
        try await ProjectionStore(projection: projection, pool: pool).install()
        var isAfterFault = false
        while !Task.isCancelled {
            do {
                if isAfterFault { try await clock.sleep(for: .seconds(1)) }
                try await step()
                isAfterFault = false
            } catch is CancellationError {
                return
            } catch let error as PostgresError {
                if error.code == .cancelled { return }
                logger.warning(
                    "a projection lost its database and goes on when it is back",
                    metadata: ["projection": "\(projection.name)", "code": "\(error.code)"]
                )
                isAfterFault = true
            } catch {
                try await halt(error)
                return
            }
        }
    }

    /// Applies the next events. Waits for them.
    func step() async throws {
        let store = ProjectionStore(projection: projection, pool: pool)
        let position = try await store.position(isLive: true)
        progress.reached(position)
        let events = try await follower.next(after: position)
        try await store.advance(events, from: position, isLive: true)
        Gauge(label: "daybook_projection_position", dimensions: [("projection", projection.name)])
            .record(events.last?.position ?? position)
    }

    private func halt(_ error: any Error) async throws {
        let position = try await ProjectionStore(projection: projection, pool: pool).position(isLive: true)
        // The type of an error is safe to show; its text could quote data.
        let reason = String(reflecting: type(of: error))
        logger.critical(
            "a projection has halted; the others go on",
            metadata: ["projection": "\(projection.name)", "after": "\(position)", "reason": "\(reason)"]
        )
        _ = try await pool.query(
            """
            UPDATE projection.checkpoints SET fault = $2, fault_position = $3, updated_at = now()
            WHERE name = $1 AND is_live
            """,
            [.text(projection.name), .text(reason), .int64(position + 1)]
        )
    }
}
