package import Canonical
import Logging
import Metrics
package import Postgres

/// Watches the clock and the settings of the database. While they differ from what calls need, no gateway is called.
package struct DatabaseWatch: Sendable {
    /// What the database is like.
    package struct Reading: Sendable, Hashable {
        package var settings: DurabilitySettings
        /// The clock of this process minus the clock of the database, in microseconds.
        package var ahead: Int64

        package init(settings: DurabilitySettings, ahead: Int64) {
            self.settings = settings
            self.ahead = ahead
        }
    }

    /// The largest difference of the clocks at which gateways are called.
    package static let mostDifference: Int64 = 2_000_000
    private static let interval = Duration.seconds(10)

    private let pool: PostgresPool
    private let clock: any WallClock
    private let logGuard: LogGuard
    private let standbys: DurabilitySettings.Standbys
    private let logger: Logger

    package init(log: LogConnection, standbys: DurabilitySettings.Standbys) {
        pool = log.pool
        clock = log.clock
        logGuard = log.logGuard
        logger = log.logger
        self.standbys = standbys
    }

    /// Reads them once.
    ///
    /// - Throws: `PostgresError`.
    package static func read(_ pool: PostgresPool, clock: any WallClock) async throws -> Reading {
        let sent = clock.now()
        let row = try await pool.query(
            """
            SELECT clock_timestamp(), current_setting('synchronous_commit'), current_setting('fsync'),
                   current_setting('full_page_writes'), current_setting('synchronous_standby_names')
            """
        ).single()
        let received = clock.now()
        let database = try row.timestamp(0)
        // The answer was made at some time between the two readings; the smallest possible difference counts.
        let (early, late) = (sent.microseconds(since: database), received.microseconds(since: database))
        return Reading(
            settings: DurabilitySettings(
                synchronousCommit: try row.text(1),
                fsync: try row.text(2),
                fullPageWrites: try row.text(3),
                standbyNames: try row.text(4)
            ),
            ahead: early > 0 ? early : min(late, 0)
        )
    }

    /// Reads them, and lets or holds calls.
    ///
    /// - Throws: `PostgresError`.
    @discardableResult
    package func check() async throws -> Reading {
        let reading = try await Self.read(pool, clock: clock)
        Gauge(label: "daybook_clock_difference_seconds").record(Double(reading.ahead) / 1_000_000)
        hold(Self.hold(reading, standbys))
        return reading
    }

    /// Why no gateway may be called; nil if it may.
    package static func hold(_ reading: Reading, _ standbys: DurabilitySettings.Standbys) -> CallHold? {
        if let fault = reading.settings.fault(standbys: standbys) {
            return CallHold(code: fault.rawValue, detail: "\(fault).")
        }
        guard reading.ahead.magnitude <= mostDifference else {
            let seconds = reading.ahead.magnitude / 1_000_000
            return CallHold(
                code: "clock-differs",
                detail: """
                    The clock of this service is \(seconds) seconds \(reading.ahead > 0 ? "ahead of" : "behind") the \
                    clock of the database. Set both by NTP.
                    """
            )
        }
        return nil
    }

    private func hold(_ hold: CallHold?) {
        guard hold?.code != logGuard.hold?.code else { return }
        if let hold {
            logger.error("no gateway is called", metadata: ["code": "\(hold.code)", "reason": "\(hold.detail)"])
        } else if logGuard.hold?.code != CallHold.unchecked.code {
            logger.notice("gateways are called again")
        }
        logGuard.hold = hold
    }

    /// Checks about every ten seconds until cancelled.
    package func run() async {
        while !Task.isCancelled {
            // If the database does not answer, nothing can be recorded, and so nothing is sent.
            _ = try? await check()
            do { try await ContinuousClock().sleep(for: Self.interval) } catch { return }
        }
    }
}
