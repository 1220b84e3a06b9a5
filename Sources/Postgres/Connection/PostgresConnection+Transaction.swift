internal import CLibPQ

extension PostgresConnection {
    func beginTransaction(
        _ isolation: PostgresIsolation,
        readOnly: Bool,
        settings: String
    ) async throws -> TransactionToken {
        try await cancellable { connection, operation in
            let session = try connection.admit(nil)
            defer { connection.settle() }
            // Never READ WRITE: a standby refuses that with a special error before anything was tried, and a database
            // that its owner has made read-only would be written to nevertheless.
            let access = readOnly ? " READ ONLY" : ""
            try session.exchange(operation) {
                PQsendQuery($0, "BEGIN ISOLATION LEVEL \(isolation.rawValue)\(access);\(settings)")
            }
            connection.lastToken += 1
            connection.transaction = connection.lastToken
            return connection.lastToken
        }
    }

    /// Commits, even if the task is cancelled.
    func commit(_ token: TransactionToken) throws {
        let session: PostgresSession
        do {
            session = try admit(token)
        } catch {
            // The body left a stream or COPY open: nothing was committed.
            if error.code == .connectionBusy { closeSession() }
            throw error
        }
        defer { settle() }
        transaction = nil
        let results: [PostgresResult]
        do {
            results = try session.exchange(nil) { PQsendQuery($0, "COMMIT") }
        } catch {
            throw CommitOutcome.failure(error)
        }
        try CommitOutcome.check(tag: results.last?.commandTag, notices: session.currentNotices)
    }

    /// Rolls back. A session that cannot do so is closed, which rolls back as well.
    func rollBack(_ token: TransactionToken) {
        guard let openSession, transaction == token else { return }
        defer { settle() }
        transaction = nil
        guard occupation == .none else { return openSession.breakOff() }
        do {
            try openSession.exchange(nil) { PQsendQuery($0, "ROLLBACK") }
        } catch {
            openSession.breakOff()
        }
    }
}

/// Interprets the server's answer to a COMMIT.
enum CommitOutcome {
    /// The error to report for a COMMIT that failed with `error` or was not answered.
    static func failure(_ error: PostgresError) -> PostgresError {
        // An ERROR has aborted the transaction. A session that ends with any other severity may have committed first.
        guard error.code != .server || error.severity != "ERROR" else { return error }
        var unknown = error
        unknown.code = .outcomeUnknown
        return unknown
    }

    /// Accepts only the plain confirmation. A warning may come from a cancelled wait for the standby, see
    /// `PostgresSession.checkReplication`; with any warning, the commit is not the one requested.
    static func check(tag: String?, notices: [ServerNotice]) throws(PostgresError) {
        switch tag {
        case "COMMIT":
            for notice in notices where notice.severity == "WARNING" {
                switch notice.sqlState {
                case SQLState.noActiveTransaction: throw PostgresError(.protocolViolation, sqlState: notice.sqlState)
                default: throw PostgresError(.outcomeUnknown, sqlState: notice.sqlState)
                }
            }
        case "ROLLBACK": throw PostgresError(.transactionRolledBack)
        default: throw PostgresError(.protocolViolation)
        }
    }
}
