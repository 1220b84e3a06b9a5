/// How to reach a server and what to ask of every session.
package struct PostgresConfiguration: Sendable {
    /// A libpq URI or keyword/value string, which may name several hosts and `target_session_attrs`.
    package var connectionString: String
    /// Shown in `pg_stat_activity`.
    package var applicationName: String
    /// Bounds the attempt at each host; libpq takes whole seconds and at least 2. Yields to `connect_timeout` in the
    /// connection string.
    package var connectTimeoutSeconds: Int
    /// The server cancels a statement that runs longer; nil leaves the server's own setting, zero turns it off.
    /// A commit is exempt: the server stops the clock before it begins one (`finish_xact_command` in PostgreSQL's
    /// `postgres.c`).
    package var statementTimeout: Duration?
    /// How long to wait for the server's answer before the connection is given up for lost; nil waits as long as
    /// the network says the peer is there. During COMMIT this makes the outcome unknown.
    package var answerTimeout: Duration?
    /// Prepared statements kept per connection; the least recently used one goes first.
    package var preparedStatementLimit: Int
    /// The role every session acts as from its beginning; nil for the one that logs in, which must be a member.
    package var role: String?

    package init(
        connectionString: String,
        applicationName: String = "daybook",
        connectTimeoutSeconds: Int = 10,
        statementTimeout: Duration? = nil,
        answerTimeout: Duration? = nil,
        preparedStatementLimit: Int = 256,
        role: String? = nil
    ) {
        self.connectionString = connectionString
        self.applicationName = applicationName
        self.connectTimeoutSeconds = connectTimeoutSeconds
        self.statementTimeout = statementTimeout
        self.answerTimeout = answerTimeout
        self.preparedStatementLimit = max(1, preparedStatementLimit)
        self.role = role
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomReflectable {
    /// Leaves the connection string out, which may hold a password.
    package var description: String { "PostgresConfiguration(\(applicationName))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
