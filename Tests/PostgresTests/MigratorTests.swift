import DaybookTestKit
import Foundation
import Postgres
import Testing

struct MigratorTests {
    private static let steps = [
        PostgresMigration(number: 1, name: "base", sql: "CREATE TABLE base (n int8); INSERT INTO base VALUES (1);"),
        PostgresMigration(number: 2, name: "more", sql: "ALTER TABLE base ADD COLUMN t text;"),
        PostgresMigration(number: 3, name: "third", sql: "CREATE TABLE third ();"),
    ]

    private func migrationFailure(_ body: () async throws -> Void) async -> PostgresMigrationError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? PostgresMigrationError
        }
    }

    @Test func appliesMissingMigrationsOnce() async throws {
        try await withConnection { connection in
            let first = try PostgresMigrator(migrations: Array(Self.steps.prefix(2)))
            #expect(try await first.status(connection).pending.map(\.number) == [1, 2])
            #expect(try await first.migrate(connection).map(\.number) == [1, 2])
            #expect(try await first.migrate(connection) == [])
            let all = try PostgresMigrator(migrations: Self.steps)
            #expect(try await all.migrate(connection).map(\.number) == [3])
            let status = try await all.status(connection)
            #expect(status.applied.map(\.name) == ["base", "more", "third"])
            #expect(status.applied.map(\.checksum) == Self.steps.map(\.checksum))
            #expect(status.pending.isEmpty)
            #expect(status.problem == nil)
            // The same digest, computed by the server.
            let digest = try await connection.query("SELECT sha256(convert_to($1, 'UTF8'))", [.text(Self.steps[0].sql)])
            #expect(try digest.single().bytes(0) == Self.steps[0].checksum)
        }
    }

    @Test func refusesADatabaseThatDoesNotFit() async throws {
        try await withConnection { connection in
            let all = try PostgresMigrator(migrations: Self.steps)
            try await all.migrate(connection)
            func code(_ migrations: [PostgresMigration]) async throws -> PostgresMigrationError.Code? {
                let migrator = try PostgresMigrator(migrations: migrations)
                let error = await migrationFailure { try await migrator.migrate(connection) }
                #expect(try await migrator.status(connection).problem == error)
                return error?.code
            }
            #expect(try await code(Array(Self.steps.prefix(2))) == .newerDatabase)
            #expect(try await code([]) == .newerDatabase)
            var renamed = Self.steps
            renamed[1] = PostgresMigration(number: 2, name: "other", sql: renamed[1].sql)
            #expect(try await code(renamed) == .renamed)
            var changed = Self.steps
            changed[0] = PostgresMigration(number: 1, name: "base", sql: changed[0].sql + " ")
            #expect(try await code(changed) == .changed)
            try await connection.script("DELETE FROM schema_migrations WHERE number = 2")
            #expect(try await code(Self.steps) == .gapInDatabase)
            #expect(connection.condition == .ready)
        }
    }

    @Test func refusesGapsAndRepeats() throws {
        for numbers in [[1, 3], [2], [1, 1], [0, 1], [-1]] {
            #expect(throws: PostgresMigrationError.self) {
                try PostgresMigrator(
                    migrations: numbers.map { PostgresMigration(number: $0, name: "x", sql: "") }
                )
            }
        }
    }

    @Test func aFailedStepIsRolledBackAndTheEarlierOnesStay() async throws {
        try await withConnection { connection in
            let broken = PostgresMigration(number: 3, name: "third", sql: "CREATE TABLE third (); SELECT 1/0;")
            let migrator = try PostgresMigrator(migrations: Array(Self.steps.prefix(2)) + [broken])
            let error = await migrationFailure { try await migrator.migrate(connection) }
            #expect(error?.code == .failed)
            #expect(error?.number == 3)
            #expect(error?.cause?.sqlState == "22012")
            let row = try await connection.query("SELECT to_regclass('third') IS NULL").single()
            #expect(try row.bool(0))
            #expect(try await PostgresMigrator(migrations: Self.steps).migrate(connection).map(\.number) == [3])
        }
    }

    @Test func aStepMayNotEndItsTransaction() async throws {
        try await withConnection { connection in
            let step = PostgresMigration(number: 1, name: "sly", sql: "CREATE TABLE a (); COMMIT; CREATE TABLE b ();")
            let migrator = try PostgresMigrator(migrations: [step])
            let error = await migrationFailure { try await migrator.migrate(connection) }
            #expect(error?.code == .leftTransaction)
            #expect(try await migrator.status(connection).applied.isEmpty)
        }
    }

    @Test func severalMigratorsTakeTurns() async throws {
        try await withTestDatabase { url in
            let migrator = try PostgresMigrator(migrations: Self.steps)
            let applied = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        let connection = try await PostgresConnection.connect(
                            PostgresConfiguration(connectionString: url)
                        )
                        return try await migrator.migrate(connection).count
                    }
                }
                var applied: [Int] = []
                for try await count in group { applied.append(count) }
                return applied
            }
            #expect(applied.sorted() == [0, 0, 0, 0, 3])
        }
    }

    @Test func readsADirectory() async throws {
        try await withTemporaryDirectory { directory in
            func add(_ entry: String, _ sql: String?) throws {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/\(entry)",
                    withIntermediateDirectories: true
                )
                if let sql { try sql.write(toFile: "\(directory)/\(entry)/up.sql", atomically: true, encoding: .utf8) }
            }
            try add("0002_second_step", "SELECT 2;")
            try add("0001_first", "SELECT 1;")
            let migrator = try PostgresMigrator(directory: directory)
            #expect(migrator.migrations.map(\.name) == ["first", "second_step"])
            #expect(migrator.migrations.map(\.sql) == ["SELECT 1;", "SELECT 2;"])
            try add("0003_without_file", nil)
            #expect(throws: PostgresMigrationError.self) { try PostgresMigrator(directory: directory) }
            try add("0003_without_file", "")
            try add("notes", nil)
            #expect(throws: PostgresMigrationError.self) { try PostgresMigrator(directory: directory) }
            #expect(throws: PostgresMigrationError.self) { try PostgresMigrator(directory: "\(directory)/absent") }
        }
    }
}
