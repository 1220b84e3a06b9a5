extension PostgresPool {
    /// Runs one statement on a borrowed connection and returns all its rows. See `PostgresConnection.query`.
    package nonisolated(nonsending) func query(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws -> PostgresRows {
        try await withConnection { try await $0.query(sql, parameters) }
    }

    /// Runs one statement on a borrowed connection and returns the number of affected rows.
    @discardableResult
    package nonisolated(nonsending) func execute(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws -> Int {
        try await withConnection { try await $0.execute(sql, parameters) }
    }
}
