/// How to reach a server, and the settings of every session.
package struct PostgresConfiguration: Sendable {
    /// A libpq URI or keyword/value string, which may name several hosts and `target_session_attrs`.
    package var connectionString: String
    /// Shown in `pg_stat_activity`.
    package var applicationName: String
    /// The time limit for the attempt at each host; libpq uses whole seconds and at least 2. `connect_timeout` in the
    /// connection string overrides it.
    package var connectTimeoutSeconds: Int
    /// The server cancels a statement that runs longer; nil keeps the server's setting, zero turns the limit off. A
    /// commit is exempt: the server stops the clock before it begins one (`finish_xact_command` in PostgreSQL's
    /// `postgres.c`).
    package var statementTimeout: Duration?
    /// How long to wait for the server's answer before the connection is considered lost; nil waits as long as the
    /// network reports the peer as alive. During COMMIT this makes the outcome unknown.
    package var answerTimeout: Duration?
    /// The number of prepared statements kept per connection; the least recently used one is dropped first.
    package var preparedStatementLimit: Int
    /// The role of every session from its beginning; the login role must be a member of it. Nil for the login role
    /// itself.
    package var role: String?
    /// True for sessions whose transactions may not write: the server refuses a statement that does.
    package var isReadOnly: Bool

    package init(
        connectionString: String,
        applicationName: String = "daybook",
        connectTimeoutSeconds: Int = 10,
        statementTimeout: Duration? = nil,
        answerTimeout: Duration? = nil,
        preparedStatementLimit: Int = 256,
        role: String? = nil,
        isReadOnly: Bool = false
    ) {
        self.connectionString = connectionString
        self.applicationName = applicationName
        self.connectTimeoutSeconds = connectTimeoutSeconds
        self.statementTimeout = statementTimeout
        self.answerTimeout = answerTimeout
        self.preparedStatementLimit = max(1, preparedStatementLimit)
        self.role = role
        self.isReadOnly = isReadOnly
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomReflectable {
    /// Omits the connection string, which may contain a password.
    package var description: String { "PostgresConfiguration(\(applicationName))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
