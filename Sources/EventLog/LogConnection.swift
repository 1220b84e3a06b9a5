package import Canonical
package import Logging
package import Postgres

/// The log of one database, as this process reads it and appends to it.
package struct LogConnection: Sendable {
    package let pool: PostgresPool
    package let reader: EventReader
    package let sequencer: Sequencer
    /// Whether this process may append, and call gateways.
    package let logGuard = LogGuard()
    /// The log position that this process knows of.
    package let appended: PositionSignal
    package let ids: any UUIDGenerator
    package let clock: any WallClock
    package let logger: Logger
    private let notices: AppendNotices

    /// - Parameters:
    ///   - configuration: The connection to the database, with the role of its sessions.
    ///   - connections: The connections of the pool. The sequencer and the listener each have one more.
    ///   - archiveDirectory: The directory of archived parts of the log; nil without an archive.
    ///   - acquireTimeout: The most time that a read waits for a connection, and so for a database that does not
    ///     respond.
    package init(
        _ configuration: PostgresConfiguration,
        connections: Int,
        archiveDirectory: String?,
        acquireTimeout: Duration,
        limits: Sequencer.Limits,
        clock: any WallClock,
        logger: Logger
    ) {
        self.clock = clock
        self.logger = logger
        ids = UUIDv7Generator(clock: clock)
        appended = PositionSignal()
        pool = PostgresPool(
            configuration,
            options: .init(maximumConnections: connections, acquireTimeout: acquireTimeout),
            logger: logger
        )
        let tail = LogTail()
        reader = EventReader(pool: pool, archiveDirectory: archiveDirectory, tail: tail)
        sequencer = Sequencer(
            configuration: configuration,
            clock: clock,
            signal: appended,
            tail: tail,
            limits: limits,
            logGuard: logGuard,
            logger: logger
        )
        logGuard.onNewEpoch { [appended] in
            tail.clear()
            appended.reset()
        }
        logGuard.onNewConnection { [pool] in pool.renew() }
        notices = AppendNotices(configuration: configuration, pool: pool, signal: appended, logger: logger)
    }

    /// Serves connections and listens for appends of other processes, until cancelled.
    ///
    /// - Parameter isFollower: True when this process applies the log.
    package func run(asFollower isFollower: Bool = false) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await pool.run() }
            group.addTask { await notices.run(asFollower: isFollower) }
        }
    }

    /// Compares the log with its evidence, so that the first append does not wait for that. A failure is repeated, and
    /// reported, by the first append.
    package func prove() async {
        try? await logGuard.establish(from: pool)
    }

    /// Whether any process applies the log now.
    ///
    /// - Throws: `PostgresError`.
    package func isFollowed() async throws -> Bool { try await notices.isFollowed() }

    /// Creates the partitions that the log will need, until cancelled.
    package func keepPartitions() async {
        await PartitionKeeper(pool: pool, appended: appended, logger: logger).run()
    }

    /// Returns when the log may have grown beyond `position`, shortly after it has.
    ///
    /// - Throws: `CancellationError`.
    package func waitForAppend(beyond position: Int64) async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [appended] in await appended.wait(beyond: position) }
            // Other processes may append without notifying this one.
            group.addTask { try? await ContinuousClock().sleep(for: .milliseconds(500)) }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}
