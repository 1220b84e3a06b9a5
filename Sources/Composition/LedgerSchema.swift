package import Postgres

/// The schema of this build: the files under `schema/migrations`, embedded so that the binary needs no files beside
/// it.
package enum LedgerSchema {
    ///
    /// `m0001_event_log.sql` is migration 1, `event_log`.
    package static let migrations: [PostgresMigration] = EmbeddedFiles.all.compactMap { file in
        let parts = file.name.split(separator: "_", maxSplits: 1)
        guard parts.count == 2, parts[0].first == "m", let number = Int(parts[0].dropFirst()) else { return nil }
        return PostgresMigration(number: number, name: String(parts[1].prefix { $0 != "." }), sql: file.text)
    }

    /// The SQLSTATE of a migration whose login may not create the roles, or does not own the database.
    package static let missingRights = "DB002"

    /// Migrates a database to this build's schema.
    ///
    /// - Returns: The applied migrations.
    /// - Throws: `PostgresMigrationError` when the database is newer or was changed by hand; `PostgresError`.
    package static func migrate(_ configuration: PostgresConfiguration) async throws -> [PostgresMigration] {
        try await withConnection(configuration) { connection in
            try await PostgresMigrator(migrations: migrations).migrate(connection)
        }
    }

    /// The status of the database relative to this build's schema.
    package static func status(_ configuration: PostgresConfiguration) async throws -> PostgresMigrator.Status {
        try await withConnection(configuration) { connection in
            try await PostgresMigrator(migrations: migrations).status(connection)
        }
    }

    private static func withConnection<Result: Sendable>(
        _ configuration: PostgresConfiguration,
        _ body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await PostgresConnection.connect(configuration)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }
}
