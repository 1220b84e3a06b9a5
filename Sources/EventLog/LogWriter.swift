import Canonical
import Logging
import Postgres

/// The sequencer's connection: writes batches, and finds out what became of a batch whose commit was not answered.
actor LogWriter {
    /// What became of each item, in order.
    typealias Outcomes = [Result<AppendResult, AppendError>]

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
    func append(_ items: [AppendItem], untilClosed isClosed: @Sendable () async -> Bool) async -> Outcomes {
        do {
            return try await appendWhole(items, untilClosed: isClosed).map { .success($0) }
        } catch {
            guard error.isAboutValues, items.count > 1 else { return items.map { _ in .failure(error.answer) } }
            // Halved until the item whose values cannot be stored is alone: it must not make the others fail.
            let middle = items.count / 2
            let first = await append(Array(items[..<middle]), untilClosed: isClosed)
            return await first + append(Array(items[middle...]), untilClosed: isClosed)
        }
    }

    func close() async {
        await disconnect()
    }

    private struct Failure: Error {
        var answer: AppendError
        /// True when a value cannot be stored; the same batch without it may succeed.
        var isAboutValues = false
    }

    private func appendWhole(
        _ items: [AppendItem],
        untilClosed isClosed: @Sendable () async -> Bool
    ) async throws(Failure) -> [AppendResult] {
        var isInDoubt = false
        while true {
            do {
                let connection = try await connected()
                if isInDoubt, let results = try await lookUp(items, on: connection) {
                    logger.notice(
                        "a batch of unknown outcome was found committed",
                        metadata: ["items": "\(items.count)"]
                    )
                    backOff.reset()
                    return results
                }
                isInDoubt = false
                let results = try await call(items, on: connection)
                backOff.reset()
                return results
            } catch {
                let error = error as? PostgresError ?? PostgresError(.protocolViolation)
                isInDoubt = isInDoubt || error.leavesOutcomeOpen
                let answer = AppendError(isInDoubt ? .outcomeUnknown : .refused, sqlState: error.sqlState)
                if error.isAboutValues, !isInDoubt { throw Failure(answer: answer, isAboutValues: true) }
                await disconnect()
                let metadata: Logger.Metadata = ["code": "\(error.code)", "sqlstate": "\(error.sqlState ?? "-")"]
                guard error.isWorthRetrying else {
                    logger.error("the database refused a batch", metadata: metadata)
                    throw Failure(answer: answer)
                }
                logger.warning("the log writer lost its database", metadata: metadata)
                // While the ledger runs its senders wait and decide themselves how long; a ledger that is closing
                // does not wait for a database that stays away.
                if await isClosed(), backOff.attempts >= Self.attemptsWhenClosing { throw Failure(answer: answer) }
                try? await pause.sleep(for: backOff.next())
            }
        }
    }

    /// One call of the append function, in a transaction of its own.
    private func call(_ items: [AppendItem], on connection: PostgresConnection) async throws -> [AppendResult] {
        let parameters = AppendStatement.parameters(items, now: clock.now())
        return try await connection.transaction { transaction in
            let rows = try await transaction.query(AppendStatement.sql, parameters)
            return try AppendStatement.results(rows, count: items.count)
        }
    }

    private func connected() async throws -> PostgresConnection {
        if let connection { return connection }
        let connection = try await PostgresConnection.connect(configuration)
        // A writer cut off in the middle of a transaction must not keep the head locked for as long as the server
        // takes it for alive. Waiting for the commit is not idling, so this never cuts a commit short.
        try await connection.script("SET idle_in_transaction_session_timeout = '10s'")
        self.connection = connection
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
                results += try await call([item], on: connection)
            }
        }
        return results
    }
}

extension PostgresError {
    /// True when the transaction may have been committed. A connection lost before COMMIT leaves nothing behind.
    var leavesOutcomeOpen: Bool { code == .outcomeUnknown }

    /// True when the same transaction may succeed later: it is the database's state that stands in the way.
    package var isWorthRetrying: Bool {
        switch code {
        case .outcomeUnknown, .connectionLost, .timeout, .resourcesExhausted, .acquireTimeout, .poolExhausted:
            return true
        case .connectionFailed: return connectFailure?.isPermanent != true
        default: break
        }
        guard let sqlState else { return false }
        // Serialisation failure and deadlock; shutting down or starting up; out of resources; a read-only standby.
        return ["40", "57P", "53", "08"].contains { sqlState.hasPrefix($0) } || sqlState == "25006"
    }

    /// True when a value can never be stored: data exceptions, violated constraints, program limits.
    package var isAboutValues: Bool {
        switch code {
        case .textContainsNUL, .parameterTooLarge, .valueOutOfRange: return true
        case .server: return sqlState.map { state in ["22", "23", "54"].contains { state.hasPrefix($0) } } ?? false
        default: return false
        }
    }
}
