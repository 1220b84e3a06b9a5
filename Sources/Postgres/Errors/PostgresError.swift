/// A failure of the database, of the connection to it, or of a value that does not fit.
///
/// The server's message and detail are dropped on purpose: both may quote bound values. What remains is the SQLSTATE,
/// its name from our own table, and the identifiers of the schema objects involved.
package struct PostgresError: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable {
        /// The server refused the statement; see `sqlState`. The transaction, if any, has failed.
        case server
        /// No connection could be made; see `connectFailure`.
        case connectionFailed
        /// The connection broke. Statements outside a transaction may or may not have taken effect; an open transaction
        /// has not.
        case connectionLost
        /// It is unknown whether the transaction committed. Look it up before reporting a result.
        case outcomeUnknown
        /// The answer to COMMIT was ROLLBACK, because a statement of the transaction had failed.
        case transactionRolledBack
        /// The task was cancelled, and the statement with it.
        case cancelled
        /// The statement exceeded the connection's statement timeout.
        case timeout
        /// No connection became free within the pool's acquire timeout.
        case acquireTimeout
        /// The pool's queue of waiters is full.
        case poolExhausted
        /// The pool has been shut down.
        case poolShutdown
        /// Another caller has a transaction, stream or COPY open on the connection.
        case connectionBusy
        /// The connection string or an option is invalid.
        case invalidConfiguration
        /// Descriptors or threads ran out.
        case resourcesExhausted
        /// The server sent an unexpected message, or the statement started a protocol it must not use.
        case protocolViolation
        /// A text, JSON or statement contains U+0000.
        case textContainsNUL
        /// More parameters or bytes than the protocol allows.
        case parameterTooLarge
        /// A value outside the range of PostgreSQL, or of our type for it.
        case valueOutOfRange
        /// The column's type is not one the requested value can be read from.
        case typeMismatch
        /// The field's bytes do not fit its type.
        case malformedValue
        /// The field is NULL.
        case unexpectedNull
        /// The row has no such column.
        case noSuchColumn
        /// More or fewer rows than expected.
        case unexpectedRowCount
    }

    /// Why no connection could be made.
    package enum ConnectFailure: String, Sendable, Hashable {
        case refused, timedOut, unresolvedHost, authentication, noSuchDatabaseOrRole, notAccepting, tooManyConnections
        case wrongSessionAttributes, other
        /// The login role is not a member of the role its sessions should use.
        case roleNotGranted

        /// True when a retry without a change of configuration is pointless.
        package var isPermanent: Bool {
            self == .authentication || self == .noSuchDatabaseOrRole || self == .roleNotGranted
        }
    }

    package var code: Code
    /// The five characters of the server's SQLSTATE, if the server answered.
    package var sqlState: String?
    /// The server's severity, untranslated: ERROR, FATAL, PANIC.
    package var severity: String?
    package var connectFailure: ConnectFailure?
    /// The role the sessions should use, if setting it failed.
    package var role: String?
    package var schema: String?
    package var table: String?
    package var column: String?
    package var dataType: String?
    package var constraint: String?
    /// The server function that raised the error, such as `_bt_check_unique`.
    package var serverFunction: String?
    /// The position of the error in the statement, in characters from 1.
    package var statementPosition: Int?
    /// The result column that could not be read.
    package var resultColumn: String?
    /// The type of the result column.
    package var typeOID: UInt32?

    package init(
        _ code: Code,
        sqlState: String? = nil,
        connectFailure: ConnectFailure? = nil,
        resultColumn: String? = nil
    ) {
        self.code = code
        self.sqlState = sqlState
        self.connectFailure = connectFailure
        self.resultColumn = resultColumn
    }

    /// The same failure as a failure to connect, if the server refused `role`.
    func refusing(role: String?) -> PostgresError {
        guard let role, code == .server else { return self }
        let failure: ConnectFailure
        switch sqlState {
        case SQLState.insufficientPrivilege: failure = .roleNotGranted
        case SQLState.invalidParameterValue: failure = .noSuchDatabaseOrRole
        default: return self
        }
        var error = PostgresError(.connectionFailed, sqlState: sqlState, connectFailure: failure)
        error.role = role
        return error
    }

    /// True when the same transaction may succeed if run again: serialisation failure or deadlock.
    package var isRetryable: Bool { sqlState == SQLState.serializationFailure || sqlState == SQLState.deadlockDetected }

    /// The name of the SQLSTATE's condition, from our own table.
    package var condition: String? { sqlState.map(SQLState.condition(of:)) }
}

extension PostgresError: CustomStringConvertible {
    package var description: String {
        let parts: [(String, String?)] = [
            ("sqlstate", sqlState.map { "\($0) \(SQLState.condition(of: $0))" }), ("severity", severity),
            ("cause", connectFailure?.rawValue), ("role", role), ("schema", schema), ("table", table),
            ("column", column),
            ("type", dataType), ("constraint", constraint), ("in", serverFunction),
            ("position", statementPosition.map(String.init)), ("field", resultColumn),
            ("oid", typeOID.map { String($0) }),
        ]
        let facts = parts.compactMap { name, value in value.map { "\(name): \($0)" } }.joined(separator: ", ")
        return facts.isEmpty ? "postgres \(code.rawValue)" : "postgres \(code.rawValue) (\(facts))"
    }
}
