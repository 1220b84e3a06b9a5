package import Postgres

/// The schema this build works with: the files under `schema/migrations`, built in so that the binary needs no
/// files beside it.
package enum LedgerSchema {
    package static let migrations: [PostgresMigration] = [
        migration(1, "event_log", PackageResources.m0001_event_log_sql),
        migration(2, "tenancy", PackageResources.m0002_tenancy_sql),
        migration(3, "projections", PackageResources.m0003_projections_sql),
        migration(4, "evidence", PackageResources.m0004_evidence_sql),
        migration(5, "roles", PackageResources.m0005_roles_sql),
        migration(6, "small_appends", PackageResources.m0006_small_appends_sql),
        migration(7, "console_sessions", PackageResources.m0007_console_sessions_sql),
        migration(8, "key_holders", PackageResources.m0008_key_holders_sql),
        migration(9, "replays", PackageResources.m0009_replays_sql),
    ]

    /// The SQLSTATE of a migration whose login may not make the roles, or does not own the database.
    package static let missingRights = "DB002"

    /// Brings a database to this build's schema.
    ///
    /// - Returns: What was applied.
    /// - Throws: `PostgresMigrationError` when the database is newer, or was changed by hand; `PostgresError`.
    package static func migrate(_ configuration: PostgresConfiguration) async throws -> [PostgresMigration] {
        try await withConnection(configuration) { connection in
            try await PostgresMigrator(migrations: migrations).migrate(connection)
        }
    }

    /// How the database stands to this build's schema.
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

    private static func migration(_ number: Int, _ name: String, _ bytes: [UInt8]) -> PostgresMigration {
        PostgresMigration(number: number, name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
