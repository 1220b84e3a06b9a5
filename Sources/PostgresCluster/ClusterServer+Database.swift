import Subprocess

extension ClusterServer {
    /// Refuses a server that runs without the settings that keep data safe, for example one that was started by hand.
    ///
    /// - Returns: nil when all settings are right, else why the server cannot be queried at the moment.
    func checkSettings(_ socketDirectory: String) async throws -> String? {
        let required = ServerSettings.required + [("data_checksums", "on")]
        let names = required.map { "'\($0.name)'" }.joined(separator: ",")
        let result = try await psql(
            "SELECT name || '=' || setting FROM pg_settings WHERE name IN (\(names))",
            socketDirectory
        )
        // Exit status 2 of psql: no connection, or the connection broke.
        guard result.status != .exited(2) else { return result.output }
        let answer = try accepted(result)
        let inForce = Set(answer.split(whereSeparator: \.isNewline).map(String.init))
        let wrong = required.map { "\($0.name)=\($0.value)" }.filter { !inForce.contains($0) }
        guard wrong.isEmpty else {
            throw PostgresClusterError(
                .settingsNotInForce,
                "The running server lacks: \(wrong.joined(separator: ", "))",
                hint: "Stop it and start again; it was started by something else."
            )
        }
        return nil
    }

    func createDatabase(_ socketDirectory: String) async throws {
        // The option has been validated: lower-case letters, digits and underscores.
        let name = options.database
        let found = try await query("SELECT 1 FROM pg_database WHERE datname = '\(name)'", socketDirectory)
        if found.isEmpty { _ = try await query("CREATE DATABASE \"\(name)\"", socketDirectory) }
    }

    /// The arguments with which `psql` connects, without the database.
    static func connectionArguments(_ socketDirectory: String) -> [String] {
        [
            "--host=\(socketDirectory)", "--port=\(ServerSettings.port)",
            "--username=\(PrivateCluster.superuserName)",
        ]
    }

    private func query(_ sql: String, _ socketDirectory: String) async throws -> String {
        try accepted(try await psql(sql, socketDirectory))
    }

    private func psql(_ sql: String, _ socketDirectory: String) async throws -> ServerTool.Result {
        try await tool.run(
            installation.psql,
            ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--no-password", "--dbname=postgres"]
                + Self.connectionArguments(socketDirectory) + ["--command=\(sql)"]
        )
    }

    private func accepted(_ result: ServerTool.Result) throws(PostgresClusterError) -> String {
        guard result.succeeded else {
            throw PostgresClusterError(
                .databaseFailed,
                "The PostgreSQL server did not answer a query of its settings",
                hint: "Check \(location.log).",
                output: result.standardError
            )
        }
        return result.standardOutput
    }
}
