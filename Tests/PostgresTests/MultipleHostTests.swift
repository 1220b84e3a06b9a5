import DaybookTestKit
import Postgres
import PostgresCluster
import Testing

@Suite struct MultipleHostTests {
    @Test func anUnreachableFirstHostIsSkipped() async throws {
        let socket = try await TestDatabase.server().socketDirectory
        let strings = [
            "host=/tmp/dbk-nowhere,\(socket) user=daybook dbname=postgres target_session_attrs=read-write",
            "host=127.0.0.1,\(socket) port=1,5432 user=daybook dbname=postgres",
            "postgresql://daybook@127.0.0.1:1,\(socket.replacing("/", with: "%2F"))/postgres"
                + "?target_session_attrs=read-write",
        ]
        for string in strings {
            let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: string))
            #expect(try await connection.query("SELECT 1").single().int32(0) == 1)
        }
    }

    @Test func aReadOnlyServerIsNotTakenForAPrimary() async throws {
        try await withTestDatabase { url in
            try await TestDatabase.psql(
                """
                DO $$BEGIN
                EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
                END$$
                """,
                at: url
            )
            let wanting = PostgresConfiguration(connectionString: url + "&target_session_attrs=read-write")
            let error = await failure { try await PostgresConnection.connect(wanting) }
            #expect(error?.connectFailure == .wrongSessionAttributes)
            _ = try await PostgresConnection.connect(
                PostgresConfiguration(connectionString: url + "&target_session_attrs=any")
            )
        }
    }
}
