internal import CLibPQ

extension PostgresConnection {
    /// Runs one statement and returns all its rows.
    ///
    /// The statement is prepared once per connection and text. Outside a transaction it is its own transaction, and
    /// `.connectionLost` then leaves open whether it was committed: write through `transaction`.
    ///
    /// - Throws: `PostgresError`; `.cancelled` when the task is cancelled, after the server has stopped the statement.
    package func query(_ sql: String, _ parameters: [PostgresValue] = []) async throws -> PostgresRows {
        try await query(sql, parameters, in: nil)
    }

    /// Like `query`, with parameters encoded in advance.
    package func query(_ sql: String, encoded parameters: EncodedParameters) async throws -> PostgresRows {
        try await query(sql, encoded: parameters, in: nil)
    }

    /// Runs one statement and returns the number of affected rows. Otherwise like `query`.
    @discardableResult
    package func execute(_ sql: String, _ parameters: [PostgresValue] = []) async throws -> Int {
        try await query(sql, parameters, in: nil).affectedCount
    }

    /// Runs any number of statements without parameters. The server treats them as one transaction, unless they contain
    /// transaction commands.
    ///
    /// - Throws: `PostgresError` of the first statement that fails; the following ones are not run.
    package func script(_ sql: String) async throws {
        try await script(sql, in: nil)
    }

    func query(
        _ sql: String,
        _ parameters: [PostgresValue],
        in token: TransactionToken?
    ) async throws -> PostgresRows {
        try await query(sql, encoded: EncodedParameters(parameters), in: token)
    }

    func query(
        _ sql: String,
        encoded parameters: EncodedParameters,
        in token: TransactionToken?
    ) async throws -> PostgresRows {
        try await cancellable { connection, operation in
            let session = try connection.admit(token)
            defer { connection.settle() }
            return PostgresRows(result: try connection.run(sql, parameters, session, operation))
        }
    }

    func script(_ sql: String, in token: TransactionToken?) async throws {
        try await cancellable { connection, operation in
            let session = try connection.admit(token)
            guard !sql.utf8.contains(0) else { throw PostgresError(.textContainsNUL) }
            defer { connection.settle() }
            try session.exchange(operation) { PQsendQuery($0, sql) }
            // A script may have dropped or changed anything, even ended its own transaction.
            if token != nil, session.transactionStatus == PQTRANS_IDLE {
                throw PostgresError(.protocolViolation, sqlState: SQLState.noActiveTransaction)
            }
        }
    }

    /// Runs `body` so that cancelling the task cancels the operation's statements.
    func cancellable<R: Sendable>(
        _ body: (isolated PostgresConnection, StatementCanceller.Operation) throws -> R
    ) async throws -> R {
        let operation = canceller.begin()
        return try await withTaskCancellationHandler {
            if Task.isCancelled { throw PostgresError(.cancelled) }
            // Naming the actor keeps this closure on the connection's thread: without a capture it would run on the
            // pool.
            return try body(self, operation)
        } onCancel: {
            canceller.cancel(operation)
        }
    }

    private func run(
        _ sql: String,
        _ parameters: EncodedParameters,
        _ session: PostgresSession,
        _ operation: StatementCanceller.Operation
    ) throws(PostgresError) -> PostgresResult {
        try withStatement(sql, parameters, session, operation) { (statement) throws(PostgresError) in
            let results = try session.exchange(operation) { connection in
                Self.send(statement, parameters, on: connection)
            }
            guard let result = results.last else { throw PostgresError(.protocolViolation) }
            return result
        }
    }

    /// Runs `body` with the prepared statement. If the server no longer accepts the cached statement and the attempt
    /// lost nothing, runs `body` once more with a fresh one.
    func withStatement<R>(
        _ sql: String,
        _ parameters: EncodedParameters,
        _ session: PostgresSession,
        _ operation: StatementCanceller.Operation,
        _ body: (StatementCache.Statement) throws(PostgresError) -> R
    ) throws(PostgresError) -> R {
        guard let cached = statements.find(sql, parameters: parameters) else {
            return try body(try prepare(sql, parameters, session, operation))
        }
        do {
            return try body(cached)
        } catch {
            // "cached plan must not change result type" after a schema change, or the result of a DEALLOCATE ALL.
            guard error.sqlState == SQLState.featureNotSupported || error.sqlState == SQLState.undefinedStatement else {
                throw error
            }
            statements.remove(sql)
            // Inside a transaction the failure has already ended the transaction; the next attempt prepares the
            // statement again.
            guard session.isIdle else { throw error }
            return try body(try prepare(sql, parameters, session, operation))
        }
    }

    private func prepare(
        _ sql: String,
        _ parameters: EncodedParameters,
        _ session: PostgresSession,
        _ operation: StatementCanceller.Operation
    ) throws(PostgresError) -> StatementCache.Statement {
        guard !sql.utf8.contains(0) else { throw PostgresError(.textContainsNUL) }
        try dropDiscarded(session, operation)
        let name = statements.makeName()
        try session.exchange(operation) { connection in
            PQsendPrepare(connection, name, sql, parameters.count, parameters.types)
        }
        // The types the server inferred for NULLs decide whether later values fit this statement.
        let described = try session.exchange(operation) { PQsendDescribePrepared($0, name) }
        guard let description = described.last else { throw PostgresError(.protocolViolation) }
        let types = (0..<PQnparams(description.pointer)).map { PQparamtype(description.pointer, $0) }
        let statement = StatementCache.Statement(name: name, parameterTypes: types)
        statements.insert(statement, for: sql)
        return statement
    }

    /// A failed transaction accepts no DEALLOCATE, so discarded statements are dropped when the next one is prepared.
    private func dropDiscarded(
        _ session: PostgresSession,
        _ operation: StatementCanceller.Operation
    ) throws(PostgresError) {
        guard !statements.discarded.isEmpty, session.transactionStatus != PQTRANS_INERROR else { return }
        for name in statements.discarded {
            let command = "DO $$BEGIN DEALLOCATE \(name); EXCEPTION WHEN invalid_sql_statement_name THEN NULL; END$$"
            try session.exchange(operation) { PQsendQuery($0, command) }
        }
        statements.forgetDiscarded()
    }

    static func send(
        _ statement: StatementCache.Statement,
        _ parameters: EncodedParameters,
        on connection: OpaquePointer
    ) -> Int32 {
        parameters.withPointers { values, lengths, formats in
            PQsendQueryPrepared(connection, statement.name, parameters.count, values, lengths, formats, 1)
        }
    }
}
