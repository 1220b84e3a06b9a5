extension PostgresPool {
    /// Runs one statement on a lent connection and gives all its rows. See `PostgresConnection.query`.
    package nonisolated(nonsending) func query(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws -> PostgresRows {
        try await withConnection { try await $0.query(sql, parameters) }
    }

    /// Runs one statement on a lent connection and gives the number of rows it touched.
    @discardableResult
    package nonisolated(nonsending) func execute(
        _ sql: String,
        _ parameters: [PostgresValue] = []
    ) async throws -> Int {
        try await withConnection { try await $0.execute(sql, parameters) }
    }
}
