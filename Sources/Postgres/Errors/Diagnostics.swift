internal import CLibPQ

/// Reads those parts of a libpq result that cannot contain a bound value.
enum Diagnostics {
    static func field(_ code: Int32, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, code).map { String(cString: $0) }
    }

    /// The error of a failed result, without message, detail, hint and context.
    static func error(_ result: OpaquePointer) -> PostgresError {
        let state = field(CLIBPQ_DIAG_SQLSTATE, of: result).flatMap(SQLState.validated)
        var error = PostgresError(state == nil ? .protocolViolation : .server, sqlState: state)
        error.severity = field(CLIBPQ_DIAG_SEVERITY, of: result)
        error.schema = field(CLIBPQ_DIAG_SCHEMA, of: result)
        error.table = field(CLIBPQ_DIAG_TABLE, of: result)
        error.column = field(CLIBPQ_DIAG_COLUMN, of: result)
        error.dataType = field(CLIBPQ_DIAG_DATATYPE, of: result)
        error.constraint = field(CLIBPQ_DIAG_CONSTRAINT, of: result)
        error.serverFunction = field(CLIBPQ_DIAG_FUNCTION, of: result)
        error.statementPosition = field(CLIBPQ_DIAG_POSITION, of: result).flatMap { Int($0) }
        return error
    }

    /// Maps libpq's connect message to a known cause. The message itself is dropped: with a malformed URI, a part of
    /// the password can appear where libpq reports the host.
    static func connectFailure(_ message: String) -> PostgresError.ConnectFailure {
        let signs: [(String, PostgresError.ConnectFailure)] = [
            ("authentication failed", .authentication), ("no password supplied", .authentication),
            ("no pg_hba.conf entry", .authentication), ("is not permitted to log in", .authentication),
            ("session is", .wrongSessionAttributes), ("server is in hot standby", .wrongSessionAttributes),
            ("server is not in hot standby", .wrongSessionAttributes),
            ("starting up", .notAccepting), ("shutting down", .notAccepting), ("in recovery mode", .notAccepting),
            ("not yet accepting", .notAccepting),
            ("too many clients", .tooManyConnections), ("remaining connection slots", .tooManyConnections),
            ("timeout expired", .timedOut), ("Connection timed out", .timedOut),
            ("could not translate host name", .unresolvedHost),
            ("Connection refused", .refused), ("No such file or directory", .refused),
            ("does not exist", .noSuchDatabaseOrRole),
        ]
        return signs.first { message.contains($0.0) }?.1 ?? .other
    }
}
