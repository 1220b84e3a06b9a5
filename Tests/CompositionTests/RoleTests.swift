import Composition
import DaybookTestKit
import EventLog
import Postgres
import Testing

/// The permissions of each role, and what no role may do.
struct RoleTests {
    private static let recorded = [
        "events", "events_000000000001", "idempotency", "reference_keys", "tiles", "checkpoints",
    ]

    /// Statements that a role may run, and statements that it may not, each run separately and rolled back.
    private static let allowed: [(DatabaseRole, [String])] = [
        (
            .service,
            [
                "SELECT count(*) FROM ledger.events", "SELECT count(*) FROM ledger.events_000000000001",
                "SELECT position FROM ledger.head FOR UPDATE", "UPDATE ledger.head SET recorded_at = recorded_at",
                "INSERT INTO ledger.checkpoints VALUES (1, sha256(''), 'note', now())",
                "SELECT ledger.add_partition(256)", "SELECT * FROM access.find_key(sha256(''))",
                "INSERT INTO access.tenants VALUES ('acme', now())", "UPDATE access.api_keys SET revoked_at = now()",
                "SELECT id, tenant, scopes, name, created_at, expires_at, revoked_at FROM access.api_keys",
                "SELECT access.open_session(sha256('x'), 'nobody', now(), now(), now() + interval '1 hour')",
                "SELECT * FROM access.find_session(sha256(''), now(), now(), true)",
                "SELECT access.close_session(sha256(''))",
                "DELETE FROM projection.checkpoints", "INSERT INTO projection.processes VALUES ('x', 1)",
                "CREATE SCHEMA read_sample", "SELECT count(*) FROM schema_migrations",
            ]
        ),
        (
            .reader,
            [
                "SELECT count(*) FROM ledger.events", "SELECT count(*) FROM ledger.tiles",
                "SELECT count(*) FROM ledger.partitions", "SELECT count(*) FROM projection.checkpoints",
                "SELECT count(*) FROM read_counted.rows", "SELECT count(*) FROM schema_migrations",
            ]
        ),
        (.archiver, ["SELECT count(*) FROM ledger.events", "SELECT count(*) FROM ledger.tiles"]),
    ]

    private static let refused: [(DatabaseRole, [String])] = [
        (
            .service,
            [
                "UPDATE ledger.head SET singleton = true", "DELETE FROM ledger.head",
                "UPDATE ledger.streams SET first_position = 1", "DELETE FROM ledger.streams",
                "INSERT INTO ledger.events_000000000001 SELECT * FROM ledger.events",
                "INSERT INTO ledger.partitions (first, last, name) VALUES (9, 9, 'x')",
                "UPDATE ledger.partitions SET detached_at = now()",
                "ALTER TABLE ledger.events DISABLE TRIGGER ALL", "ALTER TABLE ledger.events DISABLE TRIGGER USER",
                "ALTER TABLE ledger.events_000000000001 DISABLE TRIGGER USER", "DROP TABLE ledger.events",
                "DROP TRIGGER events_append_only ON ledger.events", "DROP SCHEMA ledger CASCADE",
                "ALTER TABLE ledger.events DETACH PARTITION ledger.events_000000000001",
                "CREATE TABLE ledger.sample (x int)", "CREATE FUNCTION ledger.sample() RETURNS int RETURN 1",
                "CREATE OR REPLACE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
                    + "$$ BEGIN RETURN NULL; END $$",
                "SET session_replication_role = replica", "SELECT ledger.record_archive(1, 'x', '', '')",
                "SELECT ledger.detach_partition(1)", "SELECT ledger.drop_partition(1)",
                "SELECT hash FROM access.api_keys", "SELECT * FROM access.api_keys",
                "SELECT id FROM access.api_keys WHERE hash > ''", "UPDATE access.api_keys SET tenant = 'other'",
                "UPDATE access.api_keys SET hash = sha256('')", "DELETE FROM access.api_keys",
                "DELETE FROM access.tenants", "UPDATE access.tenants SET id = 'x'", "TRUNCATE access.api_keys CASCADE",
                "SELECT key_id FROM access.sessions", "SELECT token_hash FROM access.sessions",
                "DELETE FROM access.sessions", "UPDATE access.sessions SET expires_at = 'infinity'",
                "INSERT INTO access.sessions VALUES (sha256('x'), 'k', now(), now(), now() + interval '1 hour')",
                "DELETE FROM schema_migrations", "CREATE ROLE sample",
            ]
        ),
        (
            .reader,
            [
                "INSERT INTO ledger.checkpoints VALUES (1, sha256(''), 'note', now())",
                "SELECT position FROM ledger.head FOR UPDATE", "UPDATE ledger.head SET position = 0",
                "DELETE FROM projection.checkpoints", "DELETE FROM read_counted.rows",
                "SELECT ledger.add_partition(256)",
                "SELECT count(*) FROM access.tenants", "SELECT id FROM access.api_keys",
                "SELECT * FROM access.find_key(sha256(''))", "CREATE SCHEMA sample",
                "SELECT key_id FROM access.sessions", "SELECT access.close_session(sha256(''))",
                "CREATE TABLE read_counted.x (x int)",
                "CREATE TABLE ledger.sample (x int)",
            ]
        ),
        (
            .archiver,
            [
                "INSERT INTO ledger.checkpoints VALUES (1, sha256(''), 'note', now())",
                "UPDATE ledger.partitions SET archived_at = now()", "DROP TABLE ledger.events_000000000001",
                "ALTER TABLE ledger.events DETACH PARTITION ledger.events_000000000001",
                "SELECT ledger.add_partition(256)", "SELECT id FROM access.api_keys", "CREATE SCHEMA sample",
            ]
        ),
    ]

    @Test func everyRoleMayDoWhatItNeeds() async throws {
        try await Self.withLedger { url in
            for (role, statements) in Self.allowed {
                for sql in statements {
                    await #expect(throws: Never.self, "\(role): \(sql)") { try await Self.attempt(sql, as: role, url) }
                }
            }
        }
    }

    @Test func noRoleMayDoMore() async throws {
        try await Self.withLedger { url in
            for (role, statements) in Self.refused {
                for sql in statements {
                    let error = await #expect(throws: PostgresError.self, "\(role): \(sql)") {
                        try await Self.attempt(sql, as: role, url)
                    }
                    #expect(
                        error?.sqlState == SQLState.insufficientPrivilege,
                        "\(role): \(sql): \(String(describing: error))"
                    )
                }
            }
        }
    }

    @Test(arguments: DatabaseRole.allCases) func recordedEventsCannotBeChanged(role: DatabaseRole) async throws {
        try await Self.withLedger { url in
            for table in Self.recorded {
                let column = ["idempotency": "events", "tiles": "level", "checkpoints": "size"][table] ?? "tenant"
                for sql in [
                    "UPDATE ledger.\(table) SET \(column) = \(column)", "DELETE FROM ledger.\(table)",
                    "TRUNCATE ledger.\(table)", "TRUNCATE ledger.\(table) CASCADE",
                    "INSERT INTO ledger.\(table) SELECT * FROM ledger.\(table) ON CONFLICT DO NOTHING; "
                        + "DELETE FROM ledger.\(table)",
                ] {
                    let error = await #expect(throws: PostgresError.self, "\(sql)") {
                        try await Self.attempt(sql, as: role, url)
                    }
                    #expect(error?.sqlState == SQLState.insufficientPrivilege, "\(sql): \(String(describing: error))")
                }
            }
        }
    }

    @Test func everythingBelongsToTheOwner() async throws {
        try await withTestDatabase(template: .ledger) { url in
            let others = try await TestDatabase.psql(
                """
                SELECT n.nspname || '.' || o.name FROM (
                    SELECT relnamespace AS namespace, relname AS name, relowner AS owner FROM pg_class WHERE relkind <> 'i'
                    UNION ALL SELECT pronamespace, proname, proowner FROM pg_proc
                    UNION ALL SELECT oid, '', nspowner FROM pg_namespace
                ) o JOIN pg_namespace n ON n.oid = o.namespace JOIN pg_roles r ON r.oid = o.owner
                WHERE n.nspname IN ('ledger', 'access', 'projection') AND r.rolname <> 'daybook_owner'
                  AND o.name NOT LIKE '%_pkey'
                """,
                at: url
            )
            #expect(others == "")
            let open =
                "SELECT proname FROM pg_proc p WHERE pronamespace IN ('ledger'::regnamespace, 'access'::regnamespace)"
            let executable = try await TestDatabase.psql(
                open + " AND has_function_privilege('public', p.oid, 'EXECUTE')",
                at: url
            )
            #expect(executable == "")
        }
    }

    @Test func anOrdinaryLoginThatOwnsTheDatabaseMigratesAndServes() async throws {
        try await withTestDatabase { url in
            let login = try await Self.makeLogin("CREATEROLE", at: url)
            try await TestDatabase.psql(
                """
                DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO \(login.name)', current_database()); END $$;
                GRANT CREATE ON SCHEMA public TO \(login.name)
                """,
                at: url
            )
            let configuration = PostgresConfiguration(connectionString: login.url)
            #expect(try await LedgerSchema.migrate(configuration).count == LedgerSchema.migrations.count)
            let ledger = Ledger(configuration: configuration, connections: 2, logger: TestLog.logger)
            let head = try await ledger.run(for: .appending) {
                let result = try await ledger.sequencer.append(.sample("a", keys: [.sample("k")]))
                #expect(result == .appended(AppendedRange(firstPosition: 1, count: 1)))
                return try await ledger.reader.head()
            }
            #expect(head == 1)
            try await Self.removeLogin(login.name, at: url)
        }
    }

    @Test func aLoginWithoutRightsIsRefused() async throws {
        try await withTestDatabase { url in
            let login = try await Self.makeLogin("", at: url)
            try await TestDatabase.psql(
                """
                DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO \(login.name)', current_database()); END $$;
                GRANT CREATE ON SCHEMA public TO \(login.name)
                """,
                at: url
            )
            let error = await #expect(throws: PostgresMigrationError.self) {
                try await LedgerSchema.migrate(PostgresConfiguration(connectionString: login.url))
            }
            #expect(error?.cause?.sqlState == LedgerSchema.missingRights)
            try await Self.removeLogin(login.name, at: url)
        }
    }

    @Test func aLoginThatIsNotAMemberLearnsWhichRoleItNeeds() async throws {
        try await withTestDatabase(template: .ledger) { url in
            let login = try await Self.makeLogin("", at: url)
            let configuration = PostgresConfiguration(connectionString: login.url).acting(as: .service)
            let error = await #expect(throws: PostgresError.self) {
                try await PostgresConnection.connect(configuration)
            }
            #expect(error?.code == .connectionFailed)
            #expect(error?.connectFailure == .roleNotGranted)
            #expect(error?.role == "daybook_service")
            try await TestDatabase.psql("GRANT daybook_service TO \(login.name)", at: url)
            let connection = try await PostgresConnection.connect(configuration)
            #expect(try await connection.query("SELECT current_user").single().text(0) == "daybook_service")
            await connection.close()
            try await Self.removeLogin(login.name, at: url)
        }
    }

    @Test func readModelsOfAnEarlierSchemaAreHandedToTheService() async throws {
        try await withTestDatabase { url in
            let configuration = PostgresConfiguration(connectionString: url)
            let connection = try await PostgresConnection.connect(configuration)
            try await PostgresMigrator(migrations: Array(LedgerSchema.migrations.prefix(4))).migrate(connection)
            try await connection.script(
                """
                CREATE SCHEMA read_counted; CREATE TABLE read_counted.rows (x int); CREATE SCHEMA read_other;
                INSERT INTO projection.checkpoints (name, is_live, version, position) VALUES ('counted', true, 1, 0)
                """
            )
            await connection.close()
            _ = try await LedgerSchema.migrate(configuration)
            try await Self.attempt("ALTER SCHEMA read_counted RENAME TO read_counted_retired", as: .service, url)
            try await Self.attempt("DROP SCHEMA read_counted CASCADE", as: .service, url)
            try await Self.attempt("SELECT * FROM read_counted.rows", as: .reader, url)
            await #expect(throws: PostgresError.self) {
                try await Self.attempt("DROP SCHEMA read_other", as: .service, url)
            }
        }
    }

    @Test func twoDatabasesOfOneServerMigrateConcurrently() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await withTestDatabase { url in
                        try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url)).count
                    }
                }
            }
            for try await count in group { #expect(count == LedgerSchema.migrations.count) }
        }
    }

    /// Runs a statement as a role, and rolls it back.
    private static func attempt(_ sql: String, as role: DatabaseRole, _ url: String) async throws {
        struct Undone: Error {}
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: url).acting(as: role)
        )
        do {
            try await connection.transaction { transaction in
                try await transaction.script(sql)
                throw Undone()
            }
        } catch is Undone {
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
    }

    /// A ledger with data in every table, and a read model made by the service.
    private static func withLedger(_ body: (String) async throws -> Void) async throws {
        try await withTestDatabase(template: .ledger) { url in
            try await TestLog.with(url: url) { log in
                _ = try await log.sequencer.append(.sample("a", keys: [.sample("k")], references: ["x"], count: 256))
                try await log.pool.withConnection { connection in
                    try await connection.script("CREATE SCHEMA read_counted; CREATE TABLE read_counted.rows (x int)")
                    try await connection.script(
                        "INSERT INTO ledger.checkpoints SELECT 256, root, 'note', now() FROM ledger.tiles"
                    )
                }
            }
            try await body(url)
        }
    }

    private static func makeLogin(_ options: String, at url: String) async throws -> (name: String, url: String) {
        let database = try await TestDatabase.psql("SELECT current_database()", at: url)
        let name = "login_\(database)"
        try await TestDatabase.psql("CREATE ROLE \(name) LOGIN \(options)", at: url)
        return (name, url.replacing("user=daybook", with: "user=\(name)"))
    }

    private static func removeLogin(_ name: String, at url: String) async throws {
        try await TestDatabase.psql(
            "REASSIGN OWNED BY \(name) TO CURRENT_USER; DROP OWNED BY \(name); DROP ROLE \(name)",
            at: url
        )
    }
}
