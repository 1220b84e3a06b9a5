import Postgres

extension TestDatabase.Template {
    /// A database with every migration applied.
    package static let ledger = TestDatabase.Template("ledger", onCopy: copied) { url in
        // Read where the tests were built from: the migrations are files, not resources of this library.
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let migrator = try PostgresMigrator(directory: "/\(root)/schema/migrations")
        let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        do {
            try await migrator.migrate(connection)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    /// The rights to a database are not copied with it.
    private static func copied(_ name: String) -> String { "GRANT CREATE ON DATABASE \(name) TO daybook_service" }
}
