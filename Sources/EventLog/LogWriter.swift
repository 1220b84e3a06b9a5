import Canonical
import Logging
import Postgres

/// The sequencer's connection: writes batches, and finds out what became of a batch whose commit was not answered.
actor LogWriter {
    private let configuration: PostgresConfiguration
    private let clock: any WallClock
    private let logger: Logger
    private let pause: any Clock<Duration> = ContinuousClock()
    private static let attemptsWhenClosing = 5
    private var connection: PostgresConnection?
    private var backOff = BackOff()

    init(configuration: PostgresConfiguration, clock: any WallClock, logger: Logger) {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
    }

    /// Appends the items as one batch.
    ///
    /// While the database cannot be reached the batch waits, because its senders wait; `untilClosed` ends that. A
    /// batch whose commit was not answered is looked up under the head lock before anything else is tried.
    func append(
        _ items: [AppendItem],
        untilClosed isClosed: @Sendable () async -> Bool
    ) async -> Result<[AppendResult], AppendError> {
        var isInDoubt = false
        while true {
            do {
                let connection = try await connected()
                if isInDoubt, let results = try await lookUp(items, on: connection) {
                    logger.notice(
                        "a batch of unknown outcome was found committed",
                        metadata: ["items": "\(items.count)"]
                    )
                    return .success(results)
                }
                isInDoubt = false
                let parameters = AppendStatement.parameters(items, now: clock.now())
                do {
                    let rows = try await connection.transaction { transaction in
                        try await transaction.query(AppendStatement.sql, parameters)
                    }
                    return .success(try AppendStatement.results(rows, count: items.count))
                } catch let error as PostgresError where error.leavesOutcomeOpen {
                    isInDoubt = true
                    throw error
                }
            } catch let error as PostgresError where error.isWorthRetrying {
                await disconnect()
                logger.warning("the log writer lost its database", metadata: ["code": "\(error.code)"])
                // While the ledger runs its senders wait and decide themselves how long; a ledger that is closing
                // does not wait for a database that stays away.
                if await isClosed(), backOff.attempts >= Self.attemptsWhenClosing {
                    return .failure(AppendError(isInDoubt ? .outcomeUnknown : .refused, sqlState: error.sqlState))
                }
                try? await pause.sleep(for: backOff.next())
            } catch let error as PostgresError {
                await disconnect()
                logger.error(
                    "the database refused a batch",
                    metadata: ["code": "\(error.code)", "sqlstate": "\(error.sqlState ?? "-")"]
                )
                return .failure(AppendError(.refused, sqlState: error.sqlState))
            } catch let error as AppendError {
                return .failure(error)
            } catch {
                logger.error("a batch failed", metadata: ["error": "\(type(of: error))"])
                return .failure(AppendError(.outcomeUnknown))
            }
        }
    }

    func close() async {
        await disconnect()
    }

    private func connected() async throws -> PostgresConnection {
        if let connection { return connection }
        let connection = try await PostgresConnection.connect(configuration)
        self.connection = connection
        backOff.reset()
        return connection
    }

    private func disconnect() async {
        await connection?.close()
        connection = nil
    }

    /// What became of a batch, judged under the head lock: the backend that may still be committing it holds the
    /// lock until it is done, so after the wait the answer is final.
    ///
    /// - Returns: Nil when nothing of the batch is in the log, so that it can be appended again.
    private func lookUp(_ items: [AppendItem], on connection: PostgresConnection) async throws -> [AppendResult]? {
        let ids = items.map { $0.events.first?.id }
        let rows = try await connection.transaction { transaction in
            _ = try await transaction.query("SELECT position FROM ledger.head FOR UPDATE", [])
            // Streams are named so that the search uses their index.
            return try await transaction.query(
                """
                SELECT e.id, e.position FROM unnest($1::text[], $2::text[], $3::uuid[]) AS i (tenant, stream, id)
                JOIN ledger.events e ON e.tenant = i.tenant AND e.stream = i.stream AND e.id = i.id
                """,
                [.textArray(items.map(\.tenant)), .textArray(items.map(\.stream)), .uuidArray(ids)]
            )
        }
        var positions: [UUID128: Int64] = [:]
        for row in rows { positions[try row.uuid(0)] = try row.int64(1) }
        guard !positions.isEmpty else { return nil }
        // A batch commits whole: an item that is not there was judged a repeat or a conflict, which appending it
        // again finds out without doing anything twice.
        var results: [AppendResult] = []
        for (item, id) in zip(items, ids) {
            if let id, let position = positions[id] {
                results.append(
                    .appended(AppendedRange(stream: item.stream, firstPosition: position, count: item.events.count))
                )
            } else {
                let parameters = AppendStatement.parameters([item], now: clock.now())
                let rows = try await connection.transaction { transaction in
                    try await transaction.query(AppendStatement.sql, parameters)
                }
                results.append(contentsOf: try AppendStatement.results(rows, count: 1))
            }
        }
        return results
    }
}

extension PostgresError {
    /// True when the transaction may have been committed. A connection lost before COMMIT leaves nothing behind.
    var leavesOutcomeOpen: Bool { code == .outcomeUnknown }

    /// True when the same batch may succeed later.
    var isWorthRetrying: Bool {
        switch code {
        case .outcomeUnknown, .connectionLost, .timeout, .resourcesExhausted: return true
        case .connectionFailed: return connectFailure?.isPermanent != true
        default: break
        }
        guard let sqlState else { return false }
        // Serialisation failure and deadlock; shutting down or starting up; out of resources; a read-only standby.
        return ["40", "57P", "53", "08"].contains { sqlState.hasPrefix($0) } || sqlState == "25006"
    }
}
