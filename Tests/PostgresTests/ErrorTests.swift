import DaybookTestKit
import Foundation
import Postgres
import Testing

@Suite struct ErrorTests {
    private static let secret = "4111111111111111"

    @Test func noErrorRevealsABoundValue() async throws {
        try await withConnection { connection in
            try await connection.script(
                """
                CREATE TABLE cards (pan text CONSTRAINT one_pan PRIMARY KEY, n int8 CHECK (n < 10));
                CREATE FUNCTION tell(text) RETURNS text LANGUAGE plpgsql AS
                $$BEGIN RAISE EXCEPTION 'value %', $1 USING DETAIL = $1, HINT = $1; END$$;
                """
            )
            let secret = Self.secret
            let insert = "INSERT INTO cards VALUES ($1, $2)"
            _ = try await connection.query(insert, [.text(secret), .int64(1)])
            let failures: [(String, String, [PostgresValue])] = [
                ("23505", insert, [.text(secret), .int64(1)]),
                ("23514", insert, [.text("x"), .int64(Int64(secret) ?? 0)]),
                ("22P02", "SELECT $1::text::uuid", [.text(secret)]),
                ("22P02", "SELECT $1", [.json("[\(secret)")]),
                ("P0001", "SELECT tell($1)", [.text(secret)]),
                ("22P02", "SELECT '\(secret)x'::int8", []),
                ("42601", "SELECT '\(secret)' '\(secret)", []),
                ("22003", "SELECT $1::text::int2", [.text(secret)]),
            ]
            for (state, sql, parameters) in failures {
                let error = await failure { try await connection.query(sql, parameters) }
                #expect(error?.sqlState == state)
                guard let error else { continue }
                var dumped = ""
                dump(error, to: &dumped)
                let texts = [
                    String(describing: error), String(reflecting: error), error.localizedDescription, dumped,
                    "\(error as NSError)",
                ]
                for text in texts { #expect(!text.contains(secret), "\(state)") }
            }
        }
    }

    @Test func valuesRowsAndConfigurationDoNotPrintWhatTheyHold() async throws {
        try await withConnection { connection in
            let value = PostgresValue.text(Self.secret)
            let rows = try await connection.query("SELECT $1", [value])
            let configuration = PostgresConfiguration(connectionString: "password=\(Self.secret)")
            let held: [Any] = [value, [value], PostgresValue.textArray([Self.secret]), rows, rows[0], configuration]
            for item in held {
                var dumped = ""
                dump(item, to: &dumped)
                #expect(!dumped.contains(Self.secret))
                #expect(!String(describing: item).contains(Self.secret))
                #expect(!String(reflecting: item).contains(Self.secret))
            }
        }
    }

    @Test func aMalformedConnectionStringDoesNotShowItsPassword() async throws {
        for text in ["host=x password \(Self.secret)", "postgres://u:\(Self.secret)@[::1/db", "\(Self.secret)"] {
            let error = await failure {
                try await PostgresConnection.connect(PostgresConfiguration(connectionString: text))
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error.map { !"\($0)".contains(Self.secret) } == true)
        }
    }

    @Test func theObjectsConcernedAreNamed() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE t (a int8 CONSTRAINT positive CHECK (a > 0), b int8 NOT NULL)")
            let check = await failure { try await connection.query("INSERT INTO t VALUES (0, 1)") }
            #expect(check?.constraint == "positive")
            #expect(check?.table == "t")
            #expect(check?.schema == "public")
            #expect(check?.condition == "check_violation")
            let null = await failure { try await connection.query("INSERT INTO t VALUES (1, NULL)") }
            #expect(null?.column == "b")
            let syntax = await failure { try await connection.query("SELECT 1 FROM nowhere") }
            #expect(syntax?.statementPosition == 15)
            #expect(syntax.map { "\($0)" }?.contains("42P01 undefined_table") == true)
        }
    }

    @Test func connectionErrorsNameTheReason() async throws {
        try await withTestDatabase { url in
            func cause(_ connectionString: String) async -> PostgresError.ConnectFailure? {
                await failure {
                    try await PostgresConnection.connect(PostgresConfiguration(connectionString: connectionString))
                }?.connectFailure
            }
            #expect(await cause("host=/tmp/dbk-nowhere") == .refused)
            #expect(await cause("host=127.0.0.1 port=1") == .refused)
            #expect(await cause(url.replacing("user=daybook", with: "user=nobody_at_all")) == .noSuchDatabaseOrRole)
            #expect(await cause("host=no-such-host.invalid") == .unresolvedHost)
        }
    }
}
