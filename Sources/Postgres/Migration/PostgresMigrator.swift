/// Migrates a database's schema to the newest known version, forward only.
package struct PostgresMigrator: Sendable {
    package struct Status: Sendable, Hashable {
        /// In the order of their numbers.
        package let applied: [PostgresAppliedMigration]
        package let pending: [PostgresMigration]
        /// The problem that prevents `migrate` from running.
        package let problem: PostgresMigrationError?
    }

    /// The advisory lock held during a migration. The number is arbitrary but must never change.
    private static let lockKey: Int64 = 0x6461_7962_6f6f_6b31

    package let migrations: [PostgresMigration]

    /// - Throws: `PostgresMigrationError` with `.gapInMigrations`.
    package init(migrations: [PostgresMigration]) throws(PostgresMigrationError) {
        let sorted = migrations.sorted { $0.number < $1.number }
        for (index, migration) in sorted.enumerated() where migration.number != index + 1 {
            throw PostgresMigrationError(.gapInMigrations, number: migration.number)
        }
        self.migrations = sorted
    }

    /// Reads the migrations from a directory with one `NNNN_name/up.sql` each.
    ///
    /// - Throws: `PostgresMigrationError` with `.unreadableDirectory` or `.gapInMigrations`.
    package init(directory: String) throws(PostgresMigrationError) {
        try self.init(migrations: try MigrationDirectory.read(directory))
    }

    /// Applies the missing migrations, each in its own transaction, and waits for any other session that is migrating.
    ///
    /// - Returns: the migrations applied now.
    /// - Throws: `PostgresMigrationError`, and then nothing was changed, except that with `.failed` and
    ///   `.leftTransaction` the migrations before have been applied; `PostgresError` of everything that is not a
    ///   migration.
    @discardableResult
    package func migrate(_ connection: PostgresConnection) async throws -> [PostgresMigration] {
        _ = try await connection.query("SELECT pg_advisory_lock($1)", [.int64(Self.lockKey)])
        let result: [PostgresMigration]
        do {
            result = try await migrateLocked(connection)
        } catch {
            await unlock(connection)
            throw error
        }
        await unlock(connection)
        return result
    }

    private func unlock(_ connection: PostgresConnection) async {
        do {
            _ = try await connection.query("SELECT pg_advisory_unlock($1)", [.int64(Self.lockKey)])
        } catch {
            // The lock ends with the session at the latest. A cancelled task can release it in no other way.
            await connection.close()
        }
    }

    /// The applied and the pending migrations. Changes nothing.
    package func status(_ connection: PostgresConnection) async throws -> Status {
        let applied = try await applied(connection)
        do {
            return Status(applied: applied, pending: try pending(after: applied), problem: nil)
        } catch {
            return Status(applied: applied, pending: [], problem: error)
        }
    }

    private func migrateLocked(_ connection: PostgresConnection) async throws -> [PostgresMigration] {
        let pending = try pending(after: try await applied(connection))
        guard !pending.isEmpty else { return [] }
        try await connection.script(EmbeddedFiles.migrationTable_sql)
        for migration in pending { try await apply(migration, connection) }
        return pending
    }

    private func apply(_ migration: PostgresMigration, _ connection: PostgresConnection) async throws {
        do {
            try await connection.transaction { transaction in
                try await transaction.script(migration.sql)
                try await transaction.execute(
                    "INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)",
                    [.int32(Int32(migration.number)), .text(migration.name), .bytea(migration.checksum)]
                )
            }
        } catch let error as PostgresError where error.sqlState == SQLState.noActiveTransaction {
            throw PostgresMigrationError(.leftTransaction, number: migration.number)
        } catch let error as PostgresError {
            throw PostgresMigrationError(.failed, number: migration.number, cause: error)
        }
    }

    private func applied(_ connection: PostgresConnection) async throws -> [PostgresAppliedMigration] {
        let exists = try await connection.query("SELECT to_regclass('schema_migrations') IS NOT NULL")
        guard try exists.single().bool(0) else { return [] }
        let rows = try await connection.query(
            "SELECT number, name, checksum, applied_at FROM schema_migrations ORDER BY number"
        )
        return try rows.map { row in
            PostgresAppliedMigration(
                number: Int(try row.int32(0)),
                name: try row.text(1),
                checksum: try row.bytes(2),
                appliedAt: try row.timestamp(3)
            )
        }
    }

    private func pending(
        after applied: [PostgresAppliedMigration]
    ) throws(PostgresMigrationError) -> [PostgresMigration] {
        // Checked first, because a newer version may have changed on purpose what looks wrong here.
        if let newest = applied.last, newest.number > migrations.count {
            throw PostgresMigrationError(.newerDatabase, number: newest.number)
        }
        for (index, record) in applied.enumerated() {
            guard record.number == index + 1 else {
                throw PostgresMigrationError(.gapInDatabase, number: record.number)
            }
            let known = migrations[index]
            guard record.name == known.name else { throw PostgresMigrationError(.renamed, number: known.number) }
            guard record.checksum == known.checksum else {
                throw PostgresMigrationError(.changed, number: known.number)
            }
        }
        return Array(migrations.dropFirst(applied.count))
    }
}
