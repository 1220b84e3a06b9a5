import Canonical
import Logging
import Merkle
import Postgres

/// The sequencer's connection. Writes batches, and determines the outcome of a batch whose commit was not answered.
actor LogWriter {
    /// The outcome of each item, in order.
    typealias Outcomes = [Result<AppendResult, AppendError>]

    private let configuration: PostgresConfiguration
    private let clock: any WallClock
    private let tail: LogTail
    private let logger: Logger
    private let partitionSpan: Int64
    private let logGuard: LogGuard
    private let pause: any Clock<Duration> = ContinuousClock()
    private static let attemptsWhenClosing = 5
    /// How long the server may take to answer before the connection is dropped.
    private let answerTimeout: Duration
    /// The time this writer first failed to reach its database while the ledger was closing.
    private var closingSince: ContinuousClock.Instant?
    private var connection: PostgresConnection?
    private var backOff = BackOff()
    /// The end of the log, as far as this writer knows.
    private(set) var tip: LogTip?
    /// True when the log is in another epoch than before: what callers decided from their memory is void.
    private var isAnotherLog = false
    /// Versions of streams that items with the expectation `any` append to, such as a tenant's.
    private(set) var remembered: [TenantName: Int64] = [:]
    private static let rememberedLimit = 4096
    /// The draft for which it is unknown whether it was committed.
    private var doubtful: BatchDraft?
    /// How many more batches are judged by what the database holds before a guess is used again.
    private var mistrust = 0
    /// How many batches were judged by what the database holds, the first one included.
    private(set) var decisions = 0

    /// - Parameters:
    ///   - limits: The answer time limit, and the number of positions of a partition that is added when the log reaches
    ///     the end of the last one.
    ///   - logGuard: Asked before every attempt. It learns if the log does not continue from what was appended.
    init(
        configuration: PostgresConfiguration,
        clock: any WallClock,
        limits: Sequencer.Limits,
        tail: LogTail,
        logGuard: LogGuard,
        logger: Logger
    ) {
        var configuration = configuration
        configuration.answerTimeout = limits.answerTimeout
        // A statement time limit of the server must not cut a batch short, nor the set-up of the connection.
        configuration.statementTimeout = .zero
        self.configuration = configuration
        self.clock = clock
        self.tail = tail
        answerTimeout = limits.answerTimeout
        partitionSpan = limits.partitionSpan
        self.logGuard = logGuard
        self.logger = logger
    }

    /// Appends the items as one batch.
    ///
    /// While the database cannot be reached the batch waits, because its senders wait; `untilClosed` ends that. If a
    /// commit was not answered, or not in time, the batch is looked up under the head lock before anything else is
    /// tried. A closing ledger makes at most five more attempts, and starts no attempt after the answer time limit.
    ///
    /// - Parameter draft: The batch as drafted beforehand; used if the log ends at the draft's base.
    func append(
        _ items: [AppendItem],
        draft: BatchDraft? = nil,
        untilClosed isClosed: @Sendable () async -> Bool
    ) async -> Outcomes {
        do {
            return try await appendWhole(items, draft: draft, untilClosed: isClosed)
        } catch {
            guard error.isAboutValues, items.count > 1 else { return items.map { _ in .failure(error.answer) } }
            // The batch is halved until the item whose values cannot be stored is alone, so that it does not make the
            // others fail.
            let middle = items.count / 2
            let first = await append(Array(items[..<middle]), untilClosed: isClosed)
            return await first + append(Array(items[middle...]), untilClosed: isClosed)
        }
    }

    func close() async {
        await disconnect()
    }

    /// The facts for drafting a batch without reading the database; nil when a guess is not to be used.
    ///
    /// - Parameter draft: The batch in flight, assumed to be written as drafted. The next batch must build on its
    ///   versions and keys; otherwise it would guess wrong wherever both touch the same stream.
    func guesses(after draft: BatchDraft? = nil) -> LogFacts? {
        guard mistrust == 0 else { return nil }
        var facts = draft?.added ?? LogFacts()
        facts.remembered = remembered
        return facts
    }

    private struct Failure: Error {
        var answer: AppendError
        /// True when a value cannot be stored; the same batch without it may succeed.
        var isAboutValues = false
    }

    private func appendWhole(
        _ items: [AppendItem],
        draft: BatchDraft?,
        untilClosed isClosed: @Sendable () async -> Bool
    ) async throws(Failure) -> Outcomes {
        var draft = draft
        doubtful = nil
        while true {
            do {
                let connection = try await connected()
                try await requireProven(connection)
                if doubtful == nil, let guess = try current(draft) ?? guessed(items) {
                    draft = nil
                    if try await write(guess, on: connection) {
                        backOff.reset()
                        return finish(guess)
                    }
                }
                let written = try await decide(items, on: connection)
                backOff.reset()
                return finish(written)
            } catch {
                try await recover(from: error, untilClosed: isClosed)
            }
        }
    }

    /// Compares the log with its evidence if that has not been done in its epoch and with this connection.
    private func requireProven(_ connection: PostgresConnection) async throws {
        if case .proven = logGuard.status { return }
        let head = try await LogEvidence.Head(connection)
        if case .contradicted = logGuard.status {
            guard let known = logGuard.epoch, head.epoch.number > known.number else {
                throw AppendError(.logContradicted)
            }
            let found = "the log was adopted and has not been compared yet"
            logGuard.leaveUnproven(ProofObstacle(.notCompared, found), inNewEpoch: true)
        }
        do {
            if try await !logGuard.prove() { logGuard.proveWithoutEvidence(head) }
        } catch let failure as any ProofFailure {
            logger.error("the log cannot be proven", metadata: ["error": "\(failure.obstacle)"])
            throw AppendError(.logUnproven)
        }
        try logGuard.requireProven()
    }

    /// Returns when a retry is worthwhile.
    private func recover(
        from error: any Error,
        untilClosed isClosed: @Sendable () async -> Bool
    ) async throws(Failure) {
        switch error {
        case is EpochMismatch:
            logGuard.leaveUnproven(ProofObstacle(.notCompared, "the log is in another epoch"))
            (tip, isAnotherLog) = (nil, true)
            remembered.removeAll()
            tail.clear()
            return
        case let fault as EvidenceFault:
            logGuard.contradict(fault)
            logger.critical("the log is contradicted; nothing is appended", metadata: ["reason": "\(fault)"])
            throw Failure(answer: AppendError(doubtful != nil ? .outcomeUnknown : .logContradicted))
        case let refusal as AppendError:
            throw Failure(answer: doubtful != nil ? AppendError(.outcomeUnknown) : refusal)
        default: break
        }
        if error is TreeMismatch {
            logger.critical("the Merkle tree does not agree with the head of the log; run `daybook verify`")
            throw Failure(answer: AppendError(doubtful != nil ? .outcomeUnknown : .refused))
        }
        let error = error as? PostgresError ?? PostgresError(.protocolViolation)
        let code =
            error.isClockAhead ? AppendError.Code.clockAhead : error.isNotDurable ? .notDurable : .refused
        let answer = AppendError(doubtful != nil ? .outcomeUnknown : code, sqlState: error.sqlState)
        if error.lacksPartition, await addPartition() { return }
        if error.isAboutValues, doubtful == nil { throw Failure(answer: answer, isAboutValues: true) }
        await disconnect()
        logGuard.connectionLost()
        let metadata: Logger.Metadata = ["code": "\(error.code)", "sqlstate": "\(error.sqlState ?? "-")"]
        guard error.isWorthRetrying || doubtful != nil else {
            logger.error("the database refused a batch", metadata: metadata)
            throw Failure(answer: answer)
        }
        logger.warning("the log writer lost its database", metadata: metadata)
        // While the ledger runs, its senders decide how long they wait. A closing ledger does not wait for a database
        // that stays unreachable.
        if await isClosed() {
            let since = closingSince ?? .now
            closingSince = since
            if backOff.attempts >= Self.attemptsWhenClosing || since.duration(to: .now) >= answerTimeout {
                // Nothing was written, and the items themselves are valid: another server may accept them.
                let code = doubtful != nil ? AppendError.Code.outcomeUnknown : .shuttingDown
                throw Failure(answer: AppendError(code, sqlState: error.sqlState))
            }
        }
        try? await pause.sleep(for: backOff.next())
    }

    /// Adds a partition if none was added in advance.
    private func addPartition() async -> Bool {
        do {
            _ = try await connected().query("SELECT ledger.add_partition($1)", [.int64(partitionSpan)])
            logger.notice("a partition was made when it was needed")
            return true
        } catch {
            logger.error("no partition can be made", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// The draft, if the log ends at its base.
    private func current(_ draft: BatchDraft?) -> BatchDraft? {
        guard let draft, let tip, draft.base == tip else { return nil }
        return draft
    }

    private func guessed(_ items: [AppendItem]) throws(PostgresError) -> BatchDraft? {
        guard let tip, let facts = guesses() else { return nil }
        return try BatchDraft(items, facts: facts, base: tip, now: clock.now())
    }

    /// Writes a guess with one statement that is its own transaction.
    ///
    /// - Returns: False when the guess was wrong; nothing was written then.
    private func write(_ draft: BatchDraft, on connection: PostgresConnection) async throws -> Bool {
        guard let parameters = draft.parameters else { return false }
        doubtful = draft
        do {
            let isWritten = try await connection.query(BatchDraft.sql, encoded: parameters).single().bool(0)
            doubtful = nil
            return isWritten
        } catch let error as PostgresError where !error.leavesWriteOpen {
            doubtful = nil
            guard error.isWrongGuess else { throw error }
            mistrust = 4
            return false
        }
    }

    /// Reads what the log holds about the batch's streams and keys, judges by that, and writes: one transaction under
    /// the head lock.
    private func decide(_ items: [AppendItem], on connection: PostgresConnection) async throws -> BatchDraft {
        decisions += 1
        let known = tip
        let open = doubtful
        let now = clock.now()
        var attempted: BatchDraft?
        var lockedEnd: LogTip?
        let isAnotherLog = isAnotherLog
        do {
            let (draft, end) = try await connection.transaction { transaction in
                let tip = try await LogTip.locked(in: transaction, known: known)
                lockedEnd = tip
                if let open, try await open.isCommitted(in: transaction) { return (open, tip) }
                var facts = try await LogFacts(about: items, in: transaction)
                facts.isAnotherLog = isAnotherLog
                guard let draft = try BatchDraft(items, facts: facts, base: tip, now: now) else {
                    throw PostgresError(.protocolViolation)
                }
                guard let parameters = draft.parameters else { return (draft, tip) }
                attempted = draft
                guard try await transaction.query(BatchDraft.sql, encoded: parameters).single().bool(0) else {
                    throw PostgresError(.protocolViolation)
                }
                return (draft, draft.tip)
            }
            self.isAnotherLog = false
            if attempted == nil, draft.firstID != nil {
                logger.notice("a batch of unknown outcome was found committed", metadata: ["items": "\(items.count)"])
            }
            doubtful = nil
            tip = end
            if mistrust > 0 { mistrust -= 1 }
            return draft
        } catch let error as PostgresError where error.code == .outcomeUnknown {
            // Only a COMMIT leaves the outcome open; anything that was open before has been settled by then.
            doubtful = attempted ?? open
            throw error
        } catch let error as PostgresError where attempted != nil && !error.leavesWriteOpen {
            // The batch in doubt was not in the log, and this attempt was rolled back. But a server that has not yet
            // executed the call in doubt will still execute it as long as the log ends at that call's base, unless its
            // values are invalid.
            if lockedEnd != open?.base || error.isAboutValues { doubtful = nil }
            throw error
        }
    }

    /// Records the new end of the log after a committed draft, and publishes its events.
    private func finish(_ draft: BatchDraft) -> Outcomes {
        if tip.map({ $0.position < draft.tip.position }) ?? true { tip = draft.tip }
        if remembered.count + draft.versions.count > Self.rememberedLimit { remembered.removeAll() }
        remembered.merge(draft.versions) { _, new in new }
        tail.append(draft.events)
        return draft.results
    }

    private func connected() async throws -> PostgresConnection {
        if let connection { return connection }
        let connection = try await PostgresConnection.connect(configuration)
        logGuard.connectionChanged()
        // The server must not keep the head locked for a writer that was cut off in the middle of a transaction;
        // waiting for the commit is not idling, so this setting never cuts a commit short. If a lock is not granted in
        // time, a refusal by the server is better than a time-out here, because the server then knows that it wrote
        // nothing.
        let waitLimit = max(1, (answerTimeout * 2 / 3).wholeMilliseconds)
        try await connection.script(
            """
            SET idle_in_transaction_session_timeout = '10s'; SET lock_timeout = \(waitLimit);
            \(AppendCalls.planning)
            """
        )
        self.connection = connection
        return connection
    }

    private func disconnect() async {
        await connection?.close()
        connection = nil
        // The next connection may lead to another server.
        tail.clear()
    }
}
