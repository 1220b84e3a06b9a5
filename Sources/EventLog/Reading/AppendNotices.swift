package import Logging
package import Postgres

/// Notifies other processes of appends, and receives their notices: a NOTIFY without a payload, outside the append
/// transaction, at most one in flight and at most one every ten milliseconds.
package struct AppendNotices: Sendable {
    private static let channel = "daybook_appended"
    /// Held in shared mode by every follower, so that none waits for it.
    private static let followerLock = "daybook follower"

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
    ///
    /// - Parameter isFollower: True for a process that applies the log; others see it in `isFollowed`.
    package func run(asFollower isFollower: Bool = false) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await notify() }
            group.addTask { await listen(asFollower: isFollower) }
        }
    }

    /// Whether any process applies the log now. A follower holds an advisory lock while it is connected.
    ///
    /// - Throws: `PostgresError`.
    package func isFollowed() async throws -> Bool {
        try await pool.query(
            """
            SELECT EXISTS (
                SELECT FROM pg_locks
                WHERE locktype = 'advisory' AND objsubid = 1 AND granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    AND (classid::int8 << 32) | objid::int8 = hashtextextended($1, 0)
            )
            """,
            [.text(Self.followerLock)]
        ).first?.bool(0) ?? false
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

    private func listen(asFollower isFollower: Bool) async {
        var backOff = BackOff()
        while !Task.isCancelled {
            do {
                let connection = try await PostgresConnection.connect(configuration)
                backOff.reset()
                do {
                    if isFollower {
                        _ = try await connection.query(
                            "SELECT pg_advisory_lock_shared(hashtextextended($1, 0))",
                            [.text(Self.followerLock)]
                        )
                    }
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
