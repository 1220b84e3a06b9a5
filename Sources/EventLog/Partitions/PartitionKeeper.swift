package import Logging
package import Postgres

/// Adds partitions for future positions before appends need them. Several processes may do so at once.
package struct PartitionKeeper: Sendable {
    /// The number of positions in one partition. A multiple of 256, so that no tile of the tree spans two partitions.
    package static let standardSpan: Int64 = 1 << 20

    private let pool: PostgresPool
    private let appended: PositionSignal
    private let span: Int64
    private let ahead: Int64
    private let logger: Logger
    private let clock: any Clock<Duration> = ContinuousClock()
    /// The longest wait for the signal, which does not report every append of other processes.
    private static let pollEvery = Duration.seconds(60)

    /// - Parameters:
    ///   - appended: Reports how far the log has come.
    ///   - span: Positions in a partition; a multiple of 256.
    ///   - ahead: The number of whole partitions to have beyond the end of the log.
    package init(
        pool: PostgresPool,
        appended: PositionSignal,
        span: Int64 = standardSpan,
        ahead: Int = 2,
        logger: Logger
    ) {
        self.pool = pool
        self.appended = appended
        self.span = span
        self.ahead = Int64(ahead)
        self.logger = logger
    }

    /// Runs until cancelled. A failure has no effect at first: there are partitions in advance, and the log's writer
    /// adds one if it must.
    package func run() async {
        var backOff = BackOff()
        while !Task.isCancelled {
            do {
                let last = try await keep()
                backOff.reset()
                await pause(untilBeyond: last - ahead * span)
            } catch {
                if Task.isCancelled || (error as? PostgresError)?.code == .poolShutdown { return }
                logger.warning("no partition was made ahead", metadata: ["error": "\(type(of: error))"])
                try? await clock.sleep(for: backOff.next())
            }
        }
    }

    /// Adds the missing partitions.
    ///
    /// - Returns: The last position that has a partition.
    /// - Throws: `PostgresError`.
    @discardableResult
    package func keep() async throws -> Int64 {
        let row = try await pool.query(
            "SELECT h.position, (SELECT coalesce(max(p.last), 0) FROM ledger.partitions p) FROM ledger.head h"
        ).single()
        let wanted = try row.int64(0) + ahead * span
        var last = try row.int64(1)
        while last < wanted {
            last = try await Self.add(span: span, until: wanted, pool)
            logger.info("a partition was made", metadata: ["last": "\(last)"])
        }
        return last
    }

    private static func add(span: Int64, until wanted: Int64, _ pool: PostgresPool) async throws -> Int64 {
        try await pool.query("SELECT ledger.add_partition($1, $2)", [.int64(span), .int64(wanted)]).single().int64(0)
    }

    private func pause(untilBeyond position: Int64) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [appended] in
                while appended.position <= position, !Task.isCancelled { await appended.wait(beyond: position) }
            }
            group.addTask { try? await clock.sleep(for: Self.pollEvery) }
            await group.next()
            group.cancelAll()
        }
    }
}
