internal import CLibPQ

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// One libpq session. Confined to its connection's thread; every call may block that thread.
///
/// Not `Sendable`: the connection actor owns it, and the actor runs on the thread.
final class PostgresSession {
    private let connection: OpaquePointer
    private let notices: NoticeCollector
    private let canceller: StatementCanceller
    /// How long to wait for the server in the current exchange.
    private var answerTimeout: Duration?
    private let statementTimeout: Duration?
    private var startedAt = ContinuousClock.now
    private(set) var isBroken = false

    /// Connects, trying the hosts in order.
    ///
    /// - Throws: `PostgresError` with `.connectionFailed`.
    init(
        _ parameters: ConnectionParameters,
        canceller: StatementCanceller,
        _ configuration: PostgresConfiguration
    ) throws(PostgresError) {
        let opened = parameters.withArrays { PQconnectdbParams($0, $1, 0) }
        guard let opened else { throw PostgresError(.resourcesExhausted) }
        guard PQstatus(opened) == CONNECTION_OK else {
            let cause = Diagnostics.connectFailure(String(cString: PQerrorMessage(opened)))
            PQfinish(opened)
            throw PostgresError(.connectionFailed, connectFailure: cause)
        }
        let notices = NoticeCollector()
        notices.attach(to: opened)
        // Sending never blocks inside libpq, where neither cancellation nor a time limit could reach.
        PQsetnonblocking(opened, 1)
        self.connection = opened
        self.notices = notices
        self.canceller = canceller
        self.answerTimeout = configuration.answerTimeout
        self.statementTimeout = configuration.statementTimeout
        canceller.open(CancelHandle(opened), socket: PQsocket(opened))
    }

    deinit {
        canceller.close()
        PQfinish(connection)
    }

    var socket: Int32 { PQsocket(connection) }
    var transactionStatus: PGTransactionStatusType { PQtransactionStatus(connection) }
    var isIdle: Bool { !isBroken && transactionStatus == PQTRANS_IDLE }
    var backendProcess: Int32 { PQbackendPID(connection) }

    func parameter(_ name: String) -> String? {
        PQparameterStatus(connection, name).map { String(cString: $0) }
    }

    /// The notices of the statement that is running or finished last.
    var currentNotices: [ServerNotice] { notices.all }

    /// Marks the session as unusable.
    func breakOff() {
        isBroken = true
    }

    // MARK: Exchanges

    /// Sends a statement, collects every answer and leaves the session ready for the next.
    ///
    /// - Parameters:
    ///   - operation: lets cancellation reach the statement; nil for a statement that must not be cancelled.
    ///   - limit: how long to wait for the server, if not as configured.
    /// - Throws: the first error of the answers.
    @discardableResult
    func exchange(
        _ operation: StatementCanceller.Operation?,
        limit: Duration? = nil,
        _ send: (OpaquePointer) -> Int32
    ) throws(PostgresError) -> [PostgresResult] {
        let configured = answerTimeout
        defer { answerTimeout = configured }
        if let limit { answerTimeout = limit }
        try start(operation, send)
        return try collect(operation)
    }

    /// Collects the remaining answers of what `start` began, and ends it.
    ///
    /// - Throws: the first error of the answers.
    @discardableResult
    func collect(_ operation: StatementCanceller.Operation?) throws(PostgresError) -> [PostgresResult] {
        var results: [PostgresResult] = []
        var failure: PostgresError?
        do {
            while !isBroken, let result = try nextResult() {
                do {
                    try check(result, operation)
                    results.append(result)
                } catch {
                    failure = error.code == .connectionLost ? (failure ?? error).asConnectionLoss : failure ?? error
                }
            }
        } catch {
            // The server's error before the connection broke is more useful than the connection loss.
            failure = failure.map { $0.asConnectionLoss } ?? error
        }
        finish(operation)
        if let failure { throw failure }
        try checkReplication()
        return results
    }

    /// After a cancelled wait for the synchronous standby, the server still confirms the commit, with nothing but a
    /// warning (`SyncRepWaitForLSN` in PostgreSQL's `syncrep.c`). A failover may then lose the commit. This concerns
    /// every statement that is its own transaction.
    ///
    /// - Throws: `PostgresError` with `.outcomeUnknown`.
    func checkReplication() throws(PostgresError) {
        guard let notice = notices.all.first(where: { $0.function == "SyncRepWaitForLSN" }) else { return }
        throw PostgresError(.outcomeUnknown, sqlState: notice.sqlState)
    }

    /// Sends a statement. Its answers are then read one by one with `nextResult` until it returns nil, followed by
    /// `finish`.
    func start(
        _ operation: StatementCanceller.Operation?,
        _ send: (OpaquePointer) -> Int32
    ) throws(PostgresError) {
        guard !isBroken else { throw PostgresError(.connectionLost) }
        if let operation, canceller.isRequested(operation) { throw PostgresError(.cancelled) }
        notices.clear()
        startedAt = .now
        guard send(connection) == 1 else { throw lost() }
        try flush()
        if let operation { canceller.arm(operation) }
    }

    /// The next answer of the current statement, or nil after the last.
    func nextResult() throws(PostgresError) -> PostgresResult? {
        try awaitAnswer()
        guard let pointer = PQgetResult(connection) else {
            if PQstatus(connection) == CONNECTION_BAD { throw lost() }
            return nil
        }
        return PostgresResult(pointer)
    }

    /// The first answer to what `start` began, which shows whether the statement was accepted. If it was not, or the
    /// answer does not have the `wanted` status, the exchange is ended.
    func firstResult(
        _ operation: StatementCanceller.Operation,
        wanted: ExecStatusType? = nil
    ) throws(PostgresError) -> PostgresResult {
        let failure: PostgresError
        do throws(PostgresError) {
            guard let result = try nextResult() else { throw PostgresError(.protocolViolation) }
            if let wanted, result.status == wanted { return result }
            try check(result, operation)
            if wanted == nil { return result }
            failure = PostgresError(.protocolViolation)
        } catch {
            failure = error
        }
        throw abandon(operation, after: failure)
    }

    /// Drops the remaining answers of what `start` began, and ends it.
    ///
    /// - Returns: the failure, as a connection loss if the connection broke.
    func abandon(
        _ operation: StatementCanceller.Operation,
        after failure: PostgresError
    ) -> PostgresError {
        do throws(PostgresError) {
            try collect(operation)
        } catch {
            if error.code == .connectionLost { return failure.asConnectionLoss }
        }
        return failure
    }

    /// True when `nextResult` will not have to wait.
    var hasResult: Bool { PQisBusy(connection) == 0 }

    /// Ends what `start` began, once `nextResult` has returned nil or thrown.
    func finish(_ operation: StatementCanceller.Operation?) {
        if operation != nil, !canceller.disarm() { isBroken = true }
        if PQstatus(connection) == CONNECTION_BAD { isBroken = true }
    }

    /// Throws the error that `result` represents, if any.
    func check(_ result: PostgresResult, _ operation: StatementCanceller.Operation?) throws(PostgresError) {
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE, PGRES_EMPTY_QUERY:
            return
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            // Otherwise the session would wait for data forever.
            isBroken = true
            throw PostgresError(.protocolViolation)
        default:
            var error = Diagnostics.error(result.pointer)
            if PQstatus(connection) == CONNECTION_BAD {
                isBroken = true
                throw error.asConnectionLoss
            }
            if error.sqlState == SQLState.queryCanceled { error.code = whoCancelled(operation) }
            throw error
        }
    }

    /// Determines who cancelled the statement. The server reports the same SQLSTATE for a cancelled task, its statement
    /// timeout, and `pg_cancel_backend`.
    private func whoCancelled(_ operation: StatementCanceller.Operation?) -> PostgresError.Code {
        if let operation, canceller.isRequested(operation) { return .cancelled }
        if let statementTimeout, statementTimeout > .zero, startedAt.duration(to: .now) >= statementTimeout {
            return .timeout
        }
        return .server
    }

    /// Reads what the server sent unrequested. Called when the socket is readable while no statement runs.
    func readUnasked() {
        guard !isBroken else { return }
        if PQconsumeInput(connection) == 0 || PQstatus(connection) == CONNECTION_BAD { isBroken = true }
    }

    /// The next notification that was already received.
    func nextNotification() -> PostgresNotification? {
        guard let notify = PQnotifies(connection) else { return nil }
        defer { PQfreemem(notify) }
        return PostgresNotification(
            channel: String(cString: notify.pointee.relname),
            payload: String(cString: notify.pointee.extra)
        )
    }

    // MARK: COPY

    /// Sends one piece of COPY data and waits until the system has accepted all of it.
    func sendCopyData(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        // libpq's byte counts have 32 bits.
        for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + 1 << 20, bytes.count)])
            while true {
                let sent = PQputCopyData(
                    connection,
                    piece.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(piece.count)
                )
                if sent == 1 { break }
                guard sent == 0 else { throw lost() }
                try flush()
            }
            try flush()
        }
    }

    /// Ends COPY data; with `failing` the server aborts the statement.
    func endCopyData(failing: Bool) throws(PostgresError) {
        while true {
            let sent = PQputCopyEnd(connection, failing ? "abandoned by the client" : nil)
            if sent == 1 { break }
            guard sent == 0 else { throw lost() }
            try flush()
        }
        try flush()
    }

    /// The next pieces of COPY output, together at least `size` bytes unless they are the last; nil at the end.
    func nextCopyData(atLeast size: Int) throws(PostgresError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < size {
            var buffer: UnsafeMutablePointer<CChar>?
            let count = PQgetCopyData(connection, &buffer, 1)
            if count > 0, let buffer {
                bytes.append(contentsOf: UnsafeRawBufferPointer(start: buffer, count: Int(count)))
                PQfreemem(buffer)
            } else if count == 0 {
                try wait(for: POLLIN)
                guard PQconsumeInput(connection) == 1 else { throw lost() }
            } else {
                // -1 is the end and -2 an error; in both cases the result that follows has the details.
                return bytes.isEmpty ? nil : bytes
            }
        }
        return bytes
    }

    // MARK: Waiting

    private func awaitAnswer() throws(PostgresError) {
        while PQisBusy(connection) == 1 {
            try wait(for: POLLIN)
            // A broken connection still has the server's last message queued as a result.
            if PQconsumeInput(connection) == 0 { return }
        }
    }

    private func flush() throws(PostgresError) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                try wait(for: POLLIN | POLLOUT)
                // The server may be unable to read until its own data has been read here.
                guard PQconsumeInput(connection) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    private func wait(for events: Int32) throws(PostgresError) {
        let start = ContinuousClock.now
        var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
        while true {
            // Wakes every 100 ms, because a cancel request can be lost and a peer can fall silent.
            let ready = poll(&descriptor, 1, 100)
            if ready > 0 { return }
            if ready < 0, errno != EINTR { throw lost() }
            if canceller.tick() == .exhausted { throw lost() }
            if let answerTimeout, start.duration(to: .now) > answerTimeout { throw lost() }
        }
    }

    private func lost() -> PostgresError {
        isBroken = true
        return PostgresError(.connectionLost)
    }
}

extension PostgresError {
    /// The same error as a connection loss.
    var asConnectionLoss: PostgresError {
        var error = self
        error.code = .connectionLost
        return error
    }
}
