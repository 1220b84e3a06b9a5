internal import CLibPQ
import Synchronization

/// One session with the server, on a dedicated thread.
///
/// Statements of several tasks take turns. A transaction, stream or COPY has exclusive use of the connection; other
/// callers get `.connectionBusy` meanwhile. Dropping the last reference closes the connection.
package actor PostgresConnection {
    /// What the connection can be used for next; readable from any thread.
    package enum Condition: Sendable {
        /// Ready for a statement.
        case ready
        /// Inside a transaction, stream or COPY.
        case occupied
        /// Closed or lost.
        case broken
    }

    enum Occupation: Equatable {
        case none
        case streaming
        case copyingIn
        case copyingOut
    }

    typealias TransactionToken = UInt64

    nonisolated let thread: ConnectionThread
    nonisolated let canceller = StatementCanceller()
    private nonisolated let currentCondition = Mutex(Condition.ready)
    private nonisolated let onBreak = Mutex<(@Sendable () -> Void)?>(nil)

    var openSession: PostgresSession?
    var statements: StatementCache
    var occupation = Occupation.none
    var transaction: TransactionToken?
    var lastToken: TransactionToken = 0
    /// The operation of the running stream or COPY.
    var longOperation: StatementCanceller.Operation?
    /// The stream's first answer, checked when the stream began.
    var firstAnswer: PostgresResult?
    /// The result of the stream, while its last rows are still being read.
    var streamEnd: Result<Void, PostgresError>?
    var listeners: [Mailbox] = []
    private var watchedSocket: Int32?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private init(thread: ConnectionThread, configuration: PostgresConfiguration) {
        self.thread = thread
        statements = StatementCache(limit: configuration.preparedStatementLimit)
    }

    deinit {
        // libpq may be closed on this thread, because no other code can be inside it any more.
        thread.stop()
    }

    /// Connects to the first host that answers and has the wanted session attributes.
    ///
    /// A cancelled caller gets its answer at once; the attempt itself ends by the connect timeout.
    ///
    /// - Throws: `PostgresError` with `.connectionFailed`, `.invalidConfiguration`, `.resourcesExhausted`,
    ///   `.textContainsNUL` or `.cancelled`.
    package static nonisolated func connect(
        _ configuration: PostgresConfiguration
    ) async throws -> PostgresConnection {
        let parameters = try ConnectionParameters(configuration)
        let connection = PostgresConnection(thread: try ConnectionThread(), configuration: configuration)
        let attempt = ConnectAttempt()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                guard attempt.start(continuation) else { return }
                connection.thread.run {
                    attempt.finish(
                        Result { try connection.assumeIsolated { try $0.open(parameters, configuration) } }
                    )
                }
            }
        } onCancel: {
            attempt.finish(.failure(PostgresError(.cancelled)))
        }
        return connection
    }

    package nonisolated var condition: Condition { currentCondition.withLock { $0 } }

    /// Ends the session in an orderly way.
    package func close() {
        closeSession()
    }

    /// Like `close`, for callers that cannot wait; runs on the connection's thread.
    nonisolated func closeSoon() {
        thread.run { self.assumeIsolated { $0.closeSession() } }
    }

    /// Checks whether the server still answers, for at most five seconds.
    func isAlive() -> Bool {
        guard let session = try? admit(nil) else { return false }
        defer { settle() }
        do {
            try session.exchange(nil, limit: .seconds(5)) { PQsendQuery($0, "") }
            return session.isIdle
        } catch {
            return false
        }
    }

    /// Cuts the connection at once, from any thread. A running statement fails with `.connectionLost`, a COMMIT with
    /// `.outcomeUnknown`.
    package nonisolated func abort() {
        canceller.abort()
    }

    /// The server process of this session, as in `pg_stat_activity.pid`.
    package var backendProcess: Int32 {
        get throws { try session().backendProcess }
    }

    /// The value of a setting such as `server_version` as the server has reported it; sends no query.
    package func serverParameter(_ name: String) throws -> String? {
        try session().parameter(name)
    }

    /// Calls `action` once, when the connection is found broken, even while it is idle.
    nonisolated func onBreak(_ action: (@Sendable () -> Void)?) {
        onBreak.withLock { $0 = action }
    }

    // MARK: State

    private func open(_ parameters: ConnectionParameters, _ configuration: PostgresConfiguration) throws {
        let session = try PostgresSession(parameters, canceller: canceller, configuration)
        openSession = session
        // An acknowledged write must be durable, whatever the role or database settings say.
        let sql = """
            SELECT CASE WHEN current_setting('synchronous_commit') IN ('off', 'remote_write')
                        THEN set_config('synchronous_commit', 'on', false) END,
                   CASE WHEN $1::text IS NOT NULL THEN set_config('role', $1, false) END,
                   CASE WHEN $2 THEN set_config('default_transaction_read_only', 'on', false) END
            """
        let limit = Duration.seconds(max(2, configuration.connectTimeoutSeconds))
        let settings = try EncodedParameters([
            configuration.role.map(PostgresValue.text) ?? .null, .bool(configuration.isReadOnly),
        ])
        do {
            try session.exchange(nil, limit: limit) { connection in
                settings.withPointers { values, lengths, formats in
                    PQsendQueryParams(connection, sql, settings.count, settings.types, values, lengths, formats, 1)
                }
            }
        } catch {
            throw error.refusing(role: configuration.role)
        }
        settle()
    }

    /// Watches for what the server sends unrequested, above all its closing message. Not during a stream or COPY: data
    /// they have not read yet must stay with the server.
    private func watchSocket() {
        let wanted = openSession.flatMap { occupation == .none ? $0.socket : nil }
        guard wanted != watchedSocket else { return }
        watchedSocket = wanted
        guard let wanted else { return thread.unwatch() }
        thread.watch(socket: wanted) { [weak self] in
            self?.assumeIsolated { $0.socketIsReadable() }
        }
    }

    func session() throws(PostgresError) -> PostgresSession {
        thread.checkIsolated()
        guard let openSession, !openSession.isBroken else { throw PostgresError(.connectionLost) }
        return openSession
    }

    /// Checks that the holder of `token` may run a statement now.
    func admit(_ token: TransactionToken?) throws(PostgresError) -> PostgresSession {
        let session = try session()
        guard occupation == .none, token == transaction else { throw PostgresError(.connectionBusy) }
        return session
    }

    /// Called after everything that may have changed the session's state.
    func settle() {
        if let openSession, openSession.isBroken { closeSession() }
        watchSocket()
        deliverNotifications()
        let condition: Condition =
            if openSession == nil {
                .broken
            } else if occupation == .none, transaction == nil, openSession?.isIdle == true {
                .ready
            } else {
                .occupied
            }
        currentCondition.withLock { $0 = condition }
        if condition == .broken {
            let action = onBreak.withLock { action in
                defer { action = nil }
                return action
            }
            action?()
        }
    }

    func closeSession() {
        guard openSession != nil else { return }
        // The descriptor may be reused as soon as the session is gone.
        thread.unwatch()
        watchedSocket = nil
        openSession = nil
        occupation = .none
        longOperation = nil
        firstAnswer = nil
        streamEnd = nil
        transaction = nil
        for listener in listeners { listener.finish(throwing: PostgresError(.connectionLost)) }
        listeners = []
        settle()
    }

    private func socketIsReadable() {
        openSession?.readUnasked()
        settle()
    }

    /// Makes a connection ready again that was returned in the middle of a statement or transaction, or closes it.
    func reset() {
        if occupation != .none || openSession?.transactionStatus == PQTRANS_ACTIVE {
            // Waiting for the rest of a stream or COPY could take forever.
            closeSession()
        } else if let openSession, !openSession.isIdle {
            transaction = nil
            do {
                try openSession.exchange(nil) { PQsendQuery($0, "ROLLBACK") }
                settle()
            } catch {
                closeSession()
            }
        }
    }
}

/// Answers the caller of a connect attempt exactly once: with the result, or at once on cancellation.
private final class ConnectAttempt: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Void, any Error>)
        case over
    }

    private let state = Mutex(State.new)

    /// False when the attempt was over before it started.
    func start(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
        let isNew = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !isNew { continuation.resume(throwing: PostgresError(.cancelled)) }
        return isNew
    }

    func finish(_ result: Result<Void, any Error>) {
        let waiting: CheckedContinuation<Void, any Error>? = state.withLock { state in
            defer { state = .over }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
        waiting?.resume(with: result)
    }
}
