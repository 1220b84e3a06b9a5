import DaybookTestKit
import Foundation
import Testing

/// What `serve` requires of the settings of its database.
@Suite("Durability settings") struct DurabilitySettingTests {
    private static let names = "synchronous_standby_names"

    /// A setting as the database shows it, `DAYBOOK_REPLICATION`, and the code of the refusal.
    static let cases: [(setting: String, value: String, replication: String?, refusal: String?)] = [
        ("fsync", "off", nil, "setting-fsync"), ("fsync", "off", "any", "setting-fsync"),
        ("full_page_writes", "off", nil, "setting-full-page-writes"),
        (names, "*", nil, "setting-standby-names"), (names, "ANY 1 (*)", "named", "setting-standby-names"),
        (names, "", "named", "setting-standby-names"), (names, "s1", "named", nil), (names, "*", "any", nil),
        (names, "", nil, nil),
    ]

    @Test("serve starts only if the settings keep what is acknowledged", arguments: cases)
    func settings(_ setting: String, _ value: String, _ replication: String?, _ refusal: String?) async throws {
        try await Daybook.withDatabase { plain, url in
            _ = try await plain.key()
            // The server itself keeps its settings: other tests use it.
            try await TestDatabase.psql(
                """
                CREATE SCHEMA shown; GRANT USAGE ON SCHEMA shown TO PUBLIC;
                CREATE FUNCTION shown.current_setting(text) RETURNS text LANGUAGE sql STABLE
                RETURN CASE $1 WHEN '\(setting)' THEN '\(value)' ELSE pg_catalog.current_setting($1) END;
                DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path TO shown, pg_catalog, public',
                    current_database()); END $$;
                """,
                at: url
            )
            var daybook = plain
            daybook.environment["DAYBOOK_REPLICATION"] = replication
            guard let refusal else {
                let server = try await daybook.serve()
                #expect(try await server.stop() == 0)
                return
            }
            let file = daybook.directory + "/errors"
            await #expect(throws: (any Error).self, "it started") {
                _ = try await daybook.serve(errorFile: file).stop()
            }
            let errors = try String(contentsOfFile: file, encoding: .utf8)
            #expect(errors.contains("(\(refusal))"), "\(errors)")
        }
    }

    @Test func anotherWordForReplicationIsRefused() async throws {
        try await Daybook.withDatabase { plain, _ in
            var daybook = plain
            daybook.environment["DAYBOOK_REPLICATION"] = "some"
            let result = try await daybook.run("serve", "--listen", "127.0.0.1:0")
            #expect(result.exitCode == 1 && result.standardError.contains("named or any"), "\(result)")
        }
    }
}
