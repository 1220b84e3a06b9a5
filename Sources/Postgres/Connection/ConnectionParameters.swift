internal import CLibPQ

/// The keyword/value pairs passed to libpq: defaults, then the connection string's settings, then fixed settings that
/// override both.
struct ConnectionParameters {
    private(set) var pairs: [(keyword: String, value: String)] = []

    /// - Throws: `PostgresError` with `.invalidConfiguration` when the connection string cannot be parsed, and
    ///   `.textContainsNUL` when it or the application name contains U+0000.
    init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        let given = try Self.parse(configuration.connectionString)
        guard !configuration.applicationName.utf8.contains(0) else { throw PostgresError(.textContainsNUL) }
        let defaults = [
            ("connect_timeout", String(max(2, configuration.connectTimeoutSeconds))),
            // A vanished peer is noticed after about a minute, whether the connection is idle or not.
            ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "60000"),
            ("application_name", configuration.applicationName),
        ]
        let fixed = [
            ("client_encoding", "UTF8"),
            ("options", Self.options(given["options"], configuration)),
        ]
        var settings = given
        for (keyword, value) in defaults where settings[keyword] == nil { settings[keyword] = value }
        for (keyword, value) in fixed { settings[keyword] = value }
        pairs = settings.sorted { $0.key < $1.key }.map { (keyword: $0.key, value: $0.value) }
    }

    /// The settings named in the string itself; libpq applies its environment variables and built-in defaults later.
    private static func parse(_ connectionString: String) throws(PostgresError) -> [String: String] {
        guard !connectionString.utf8.contains(0) else { throw PostgresError(.textContainsNUL) }
        // libpq's message is dropped: it quotes the string, which may contain the password.
        var message: UnsafeMutablePointer<CChar>?
        defer { PQfreemem(message) }
        guard let parsed = PQconninfoParse(connectionString, &message) else {
            throw PostgresError(.invalidConfiguration)
        }
        defer { PQconninfoFree(parsed) }
        var settings: [String: String] = [:]
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, value.pointee != 0 {
                settings[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return settings
    }

    /// Startup options take precedence over settings of the role or database.
    private static func options(_ given: String?, _ configuration: PostgresConfiguration) -> String {
        var options = [given, "-c TimeZone=UTC"].compactMap { $0 }
        if let timeout = configuration.statementTimeout {
            options.append("-c statement_timeout=\(timeout.wholeMilliseconds)")
        }
        return options.joined(separator: " ")
    }

    /// Passes the null-terminated arrays that `PQconnectdbParams` expects to `body`.
    func withArrays<R>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?) -> R
    ) -> R {
        // One buffer for all texts, so that the pointers into it stay valid for the call.
        var bytes: [CChar] = []
        func place(_ text: String) -> Int {
            defer { bytes.append(contentsOf: text.utf8CString) }
            return bytes.count
        }
        let offsets = pairs.map { (place($0.keyword), place($0.value)) }
        return bytes.withUnsafeBufferPointer { buffer in
            let start = buffer.baseAddress
            let keywords = offsets.map { start?.advanced(by: $0.0) } + [nil]
            let values = offsets.map { start?.advanced(by: $0.1) } + [nil]
            return keywords.withUnsafeBufferPointer { keywords in
                values.withUnsafeBufferPointer { body(keywords.baseAddress, $0.baseAddress) }
            }
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, so that a small positive duration does not become zero ("no limit").
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
