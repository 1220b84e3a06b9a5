import Canonical
import DaybookTestKit
import Postgres
import Testing

@Suite struct ConnectionTests {
    @Test func answersAQuery() async throws {
        try await withTestDatabase { url in
            let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
            let row = try await connection.query("SELECT $1::int8 + 1 AS sum, $2", [.int64(41), .text("x")]).single()
            #expect(try row.int64("sum") == 42)
            #expect(try row.text(1) == "x")
            await connection.close()
            #expect(connection.condition == .broken)
        }
    }

    @Test func aReadOnlySessionRefusesToWrite() async throws {
        try await withTestDatabase { url in
            var configuration = PostgresConfiguration(connectionString: url)
            configuration.isReadOnly = true
            let connection = try await PostgresConnection.connect(configuration)
            #expect(try await connection.query("SELECT 1").single().int32(0) == 1)
            let error = await #expect(throws: PostgresError.self) {
                try await connection.script("CREATE TABLE refused (n int8)")
            }
            #expect(error?.sqlState == "25006")
            await connection.close()
        }
    }

    @Test func aTransactionCommitsOrRollsBack() async throws {
        struct Stop: Error {}
        try await withTestDatabase { url in
            try await PostgresPool.withPool(PostgresConfiguration(connectionString: url), options: .patient) { pool in
                try await pool.withConnection { connection in
                    try await connection.script("CREATE TABLE commits (n int8 PRIMARY KEY)")
                }
                try await pool.withTransaction { transaction in
                    let count = try await transaction.execute("INSERT INTO commits VALUES ($1)", [.int64(1)])
                    #expect(count == 1)
                }
                await #expect(throws: Stop.self) {
                    try await pool.withTransaction { transaction in
                        try await transaction.execute("INSERT INTO commits VALUES ($1)", [.int64(2)])
                        throw Stop()
                    }
                }
                let rows = try await pool.withConnection { try await $0.query("SELECT n FROM commits") }
                #expect(try rows.map { try $0.int64(0) } == [1])
            }
        }
    }
}
