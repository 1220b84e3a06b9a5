/// The settings the server is started with. They are on its command line, because that outranks both `postgresql.conf`
/// and `ALTER SYSTEM`, so that editing a file cannot weaken them.
struct ServerSettings {
    /// Settings that must be in force on a server, however it was started: name and value as in `pg_settings`.
    static let required: [(name: String, value: String)] = [
        ("listen_addresses", ""),
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("full_page_writes", "on"),
        // Statement text and parameter values never reach the log. A statement's error is not logged at all (`log`
        // ranks above `error` here): its message may quote a value, and the client receives it anyway. `terse` drops
        // DETAIL, which quotes rows, and the failed query of a crashed session.
        ("log_statement", "none"),
        ("log_min_messages", "log"),
        ("log_min_error_statement", "panic"),
        ("log_parameter_max_length", "0"),
        ("log_parameter_max_length_on_error", "0"),
        ("log_min_duration_statement", "-1"),
        ("log_min_duration_sample", "-1"),
        ("log_transaction_sample_rate", "0"),
        ("log_error_verbosity", "terse"),
        ("log_lock_waits", "off"),
        ("debug_print_parse", "off"),
        ("debug_print_rewritten", "off"),
        ("debug_print_plan", "off"),
    ]

    /// The only port number used: without TCP it only names the socket file.
    static let port = 5432

    static let fixedNames: Set<String> = Set(
        required.map(\.name) + [
            "port", "unix_socket_directories", "unix_socket_permissions", "logging_collector", "log_destination",
            "shared_buffers", "max_connections", "cluster_name", "data_checksums", "config_file", "hba_file",
            "data_directory", "external_pid_file", "ignore_checksum_failure", "zero_damaged_pages",
        ]
    )

    let options: PostgresClusterOptions
    let socketDirectory: String

    /// The arguments for `postgres`, quoted for the shell that `pg_ctl` passes them to.
    var commandLine: String {
        var settings = Self.required
        settings += [
            ("port", String(Self.port)),
            ("unix_socket_directories", socketDirectory),
            ("unix_socket_permissions", "0700"),
            ("logging_collector", "off"),
            ("log_destination", "stderr"),
            ("shared_buffers", "\(options.sharedBuffersMebibytes)MB"),
            ("max_connections", String(options.maximumConnections)),
            ("cluster_name", "daybook"),
            ("TimeZone", "UTC"),
            ("log_timezone", "UTC"),
        ]
        settings += options.settings.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return settings.map { "-c \(Self.shellQuoted("\($0.name)=\($0.value)"))" }.joined(separator: " ")
    }

    private static func shellQuoted(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
