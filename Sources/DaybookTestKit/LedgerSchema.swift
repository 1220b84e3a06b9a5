import Postgres

extension TestDatabase.Template {
    /// A database with every migration applied.
    package static let ledger = TestDatabase.Template("ledger", onCopy: copied) { url in
        // Read from the source directory of the tests: the migrations are files, not resources of this library.
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

    /// The same with what `fill` adds. It must leave no connection open.
    package static func ledger(
        _ name: String,
        fill: @escaping @Sendable (_ url: String) async throws -> Void
    ) -> TestDatabase.Template {
        TestDatabase.Template(name, onCopy: copied) { url in
            try await ledger.prepare(url)
            try await fill(url)
        }
    }

    /// The same with `count` partitions of 256 events and no others.
    package static func smallPartitions(_ count: Int) -> TestDatabase.Template {
        TestDatabase.Template("ledger-\(count)", onCopy: copied) { url in
            try await ledger.prepare(url)
            try await TestDatabase.psql(smallPartitionsSQL(count), at: url)
        }
    }

    /// Replaces the partitions of an empty log with `count` partitions of 256 events. Only a superuser can do this.
    package static func smallPartitionsSQL(_ count: Int) -> String {
        """
        DO $$ DECLARE v_name text; BEGIN
            FOR v_name IN SELECT name FROM ledger.partitions LOOP
                EXECUTE format('ALTER TABLE ledger.events DETACH PARTITION ledger.%I', v_name);
                EXECUTE format('DROP TABLE ledger.%I', v_name);
            END LOOP;
            DELETE FROM ledger.partitions;
            PERFORM ledger.add_partition(256) FROM generate_series(1, \(count));
        END $$
        """
    }

    /// The privileges of a database are not copied with it.
    private static func copied(_ name: String) -> String { "GRANT CREATE ON DATABASE \(name) TO daybook_service" }
}
