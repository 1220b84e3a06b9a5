extension ClusterServer {
    /// Refuses a server that runs without the settings that keep data safe, for example one somebody started by hand.
    func checkSettings(_ socketDirectory: String) async throws {
        let required = ServerSettings.required + [("data_checksums", "on")]
        let names = required.map { "'\($0.name)'" }.joined(separator: ",")
        let answer = try await query(
            "SELECT name || '=' || setting FROM pg_settings WHERE name IN (\(names))",
            socketDirectory
        )
        let inForce = Set(answer.split(whereSeparator: \.isNewline).map(String.init))
        let wrong = required.map { "\($0.name)=\($0.value)" }.filter { !inForce.contains($0) }
        guard wrong.isEmpty else {
            throw PostgresClusterError(
                .settingsNotInForce,
                "The running server lacks: \(wrong.joined(separator: ", "))",
                hint: "Stop it and start again; it was started by something else."
            )
        }
    }

    func createDatabase(_ socketDirectory: String) async throws {
        // The option has been validated: lower-case letters, digits and underscores.
        let name = options.database
        let found = try await query("SELECT 1 FROM pg_database WHERE datname = '\(name)'", socketDirectory)
        if found.isEmpty { _ = try await query("CREATE DATABASE \"\(name)\"", socketDirectory) }
    }

    /// The arguments for `psql` to connect, without the database.
    static func connectionArguments(_ socketDirectory: String) -> [String] {
        [
            "--host=\(socketDirectory)", "--port=\(ServerSettings.port)",
            "--username=\(PostgresCluster.superuserName)",
        ]
    }

    private func query(_ sql: String, _ socketDirectory: String) async throws -> String {
        let result = try await tool.run(
            installation.psql,
            ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--no-password", "--dbname=postgres"]
                + Self.connectionArguments(socketDirectory) + ["--command=\(sql)"]
        )
        guard result.succeeded else {
            throw PostgresClusterError(
                .databaseFailed,
                "The PostgreSQL server did not answer a question about itself",
                hint: "Look at \(location.log).",
                output: result.standardError
            )
        }
        return result.standardOutput
    }
}
