/// How much a transaction sees of concurrent ones.
package enum PostgresIsolation: String, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
}

/// An open transaction, passed to the body of `transaction` and gone when that returns.
package struct PostgresTransaction: ~Copyable {
    let connection: PostgresConnection
    let token: PostgresConnection.TransactionToken

    /// Never inlined: specialising `transaction` with the initialiser in it crashes the optimiser of Swift 6.3.1
    /// ("Cannot initialize a nonCopyable type with a guaranteed value").
    @inline(never)
    init(connection: PostgresConnection, token: PostgresConnection.TransactionToken) {
        self.connection = connection
        self.token = token
    }

    /// Runs one statement and returns all its rows. See `PostgresConnection.query`.
    package nonisolated(nonsending) func query(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws -> PostgresRows {
        try await connection.query(sql, parameters, in: token)
    }

    /// Like `query`, with parameters encoded in advance.
    package nonisolated(nonsending) func query(
        _ sql: String,
        encoded parameters: EncodedParameters
    ) async throws -> PostgresRows {
        try await connection.query(sql, encoded: parameters, in: token)
    }

    /// Runs one statement and returns the number of affected rows.
    @discardableResult
    package nonisolated(nonsending) func execute(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws -> Int {
        try await connection.query(sql, parameters, in: token).affectedCount
    }

    /// Runs any number of statements without parameters; they must not end the transaction.
    package nonisolated(nonsending) func script(_ sql: String) async throws {
        try await connection.script(sql, in: token)
    }

    /// Passes the rows of a statement to `body` one by one. See `PostgresConnection.stream`.
    package nonisolated(nonsending) func stream(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        _ body: nonisolated(nonsending) (PostgresRow) async throws -> Void
    ) async throws {
        try await connection.stream(sql, parameters, in: token, body)
    }

    /// Runs a `COPY ... FROM STDIN`. See `PostgresConnection.copyIn`.
    @discardableResult
    package nonisolated(nonsending) func copyIn(
        _ sql: String,
        _ body: nonisolated(nonsending) (inout PostgresCopyWriter) async throws -> Void
    ) async throws -> Int {
        try await connection.copyIn(sql, in: token, body)
    }

    /// Runs a `COPY ... TO STDOUT`. See `PostgresConnection.copyOut`.
    @discardableResult
    package nonisolated(nonsending) func copyOut(
        _ sql: String,
        _ body: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws -> Int {
        try await connection.copyOut(sql, in: token, body)
    }
}

extension PostgresConnection {
    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// Cancelling the task cancels the statements of `body`, but never the COMMIT.
    ///
    /// - Parameter settings: `SET LOCAL` statements, sent together with BEGIN.
    /// - Throws: the errors of `body`; `PostgresError` with `.outcomeUnknown` when the answer to COMMIT did not arrive
    ///   or was not the plain confirmation of a durable commit; `.transactionRolledBack` when `body` swallowed the
    ///   error of a failed statement; `.server` when the COMMIT itself was refused, as by a deferred constraint.
    @discardableResult
    package nonisolated(nonsending) func transaction<R>(
        isolation: PostgresIsolation = .readCommitted,
        readOnly: Bool = false,
        settings: String = "",
        _ body: nonisolated(nonsending) (borrowing PostgresTransaction) async throws -> R
    ) async throws -> R {
        let token = try await beginTransaction(isolation, readOnly: readOnly, settings: settings)
        let result: R
        do {
            result = try await body(PostgresTransaction(connection: self, token: token))
        } catch {
            await rollBack(token)
            throw error
        }
        try await commit(token)
        return result
    }
}
