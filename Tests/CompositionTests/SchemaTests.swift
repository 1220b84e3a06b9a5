import Composition
import DaybookTestKit
import Foundation
import Postgres
import PostgresCluster
import Testing

/// The built-in schema, the files it comes from, and the dump for readers are the same.
@Suite struct SchemaTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    private static let dump = root.appending(path: "schema/current.sql")

    @Test func everyMigrationFileIsBuiltIn() throws {
        let directory = Self.root.appending(path: "schema/migrations")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(files.count == LedgerSchema.migrations.count)
        for (file, migration) in zip(files, LedgerSchema.migrations) {
            let digits = String(migration.number)
            let number = String(repeating: "0", count: 4 - digits.count) + digits
            #expect(file == "\(number)_\(migration.name)")
            let sql = try String(contentsOf: directory.appending(path: "\(file)/up.sql"), encoding: .utf8)
            #expect(migration.sql == sql)
        }
    }

    /// `make schema` rewrites the dump.
    @Test func theDumpMatches() async throws {
        try await withTestDatabase { url in
            _ = try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url))
            let server = try await TestDatabase.server()
            let dumped = try await ChildProgram.run(
                server.installation.binaryDirectory + "/pg_dump",
                ["--schema-only", "--no-owner", "--no-privileges", "--exclude-schema=read_*", "--dbname", url]
            )
            try #require(dumped.succeeded, "\(dumped.standardError)")
            let text = Self.withoutPreamble(dumped.standardOutput)
            if ProcessInfo.processInfo.environment["DAYBOOK_WRITE_SCHEMA"] == "1" {
                try text.write(to: Self.dump, atomically: true, encoding: .utf8)
            }
            #expect(try String(contentsOf: Self.dump, encoding: .utf8) == text)
        }
    }

    @Test func everyTableFunctionAndTriggerIsCommented() async throws {
        try await withTestDatabase { url in
            _ = try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url))
            let silent = try await TestDatabase.psql(
                """
                SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname IN ('ledger', 'access', 'projection') AND c.relkind = 'r'
                  AND obj_description(c.oid, 'pg_class') IS NULL
                UNION ALL
                SELECT n.nspname || '.' || p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
                WHERE n.nspname IN ('ledger', 'access', 'projection') AND obj_description(p.oid, 'pg_proc') IS NULL
                UNION ALL
                SELECT t.tgname FROM pg_trigger t
                WHERE NOT t.tgisinternal AND obj_description(t.oid, 'pg_trigger') IS NULL
                """,
                at: url
            )
            #expect(silent.trimmingCharacters(in: .whitespacesAndNewlines) == "")
        }
    }

    /// The dump without comments and session settings, which differ between minor releases of pg_dump.
    private static func withoutPreamble(_ dump: String) -> String {
        let kept = dump.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !line.hasPrefix("--") && !line.hasPrefix("SET ") && !line.hasPrefix("SELECT pg_catalog.set_config")
                && !line.hasPrefix("\\")
        }
        var lines: [Substring] = []
        for line in kept where !(line.isEmpty && (lines.last?.isEmpty ?? true)) { lines.append(line) }
        return lines.joined(separator: "\n")
    }
}
