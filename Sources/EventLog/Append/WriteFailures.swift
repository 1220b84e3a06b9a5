package import Postgres

extension PostgresError {
    /// True when a draft failed because a key was already held or a stream was at another version: the draft was a
    /// guess. The server has rolled it back.
    var isWrongGuess: Bool {
        code == .server && (sqlState == "23505" || sqlState == "DB001")
    }

    /// True when the clock of this process is ahead of the clock of the database.
    var isClockAhead: Bool { code == .server && sqlState == "DB002" }

    /// True when the session's commits are not durable.
    var isNotDurable: Bool { code == .server && sqlState == "DB003" }

    /// True when there is no partition for the position of an event.
    var lacksPartition: Bool {
        code == .server && sqlState == SQLState.checkViolation && serverFunction == "ExecFindPartition"
    }

    /// True when a statement that is its own transaction may have been committed.
    var leavesWriteOpen: Bool {
        switch code {
        case .server: severity != "ERROR"
        case .textContainsNUL, .parameterTooLarge, .valueOutOfRange, .connectionFailed, .invalidConfiguration: false
        default: true
        }
    }

    /// True when the same transaction may succeed later: the cause is the state of the database.
    package var isWorthRetrying: Bool {
        switch code {
        case .outcomeUnknown, .connectionLost, .timeout, .resourcesExhausted, .acquireTimeout, .poolExhausted:
            return true
        case .connectionFailed: return connectFailure?.isPermanent != true
        default: break
        }
        guard let sqlState else { return false }
        if lacksPartition { return true }
        // Serialisation failure and deadlock; shutting down or starting up; out of resources; a lost connection; a lock
        // not granted in time; a read-only standby.
        return ["40", "57P", "53", "08"].contains { sqlState.hasPrefix($0) }
            || sqlState == SQLState.lockNotAvailable || sqlState == "25006"
    }

    /// True when a value can never be stored: rows that collide, data exceptions, violated constraints, program limits.
    package var isAboutValues: Bool {
        switch code {
        case .textContainsNUL, .parameterTooLarge, .valueOutOfRange: return true
        case .server where lacksPartition: return false
        case .server:
            return sqlState.map { state in ["21", "22", "23", "54"].contains { state.hasPrefix($0) } } ?? false
        default: return false
        }
    }
}
