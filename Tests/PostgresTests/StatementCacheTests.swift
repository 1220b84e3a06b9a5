import DaybookTestKit
import Testing

@testable import Postgres

struct StatementCacheTests {
    private func buffer(_ values: PostgresValue...) throws -> EncodedParameters { try EncodedParameters(values) }

    @Test func removesTheLeastRecentlyUsed() throws {
        var cache = StatementCache(limit: 2)
        let none = try buffer()
        for sql in ["a", "b"] {
            cache.insert(StatementCache.Statement(name: cache.makeName(), parameterTypes: []), for: sql)
        }
        #expect(cache.find("a", parameters: none)?.name == "s1")
        cache.insert(StatementCache.Statement(name: cache.makeName(), parameterTypes: []), for: "c")
        #expect(cache.find("b", parameters: none) == nil)
        #expect(cache.find("a", parameters: none)?.name == "s1")
        #expect(cache.find("c", parameters: none)?.name == "s3")
        #expect(cache.discarded == ["s2"])
        #expect(cache.count == 2)
    }

    @Test func fitsByTypeAndNullFitsAll() throws {
        var cache = StatementCache(limit: 2)
        cache.insert(StatementCache.Statement(name: "s1", parameterTypes: [20]), for: "a")
        #expect(cache.find("a", parameters: try buffer(.null))?.name == "s1")
        #expect(cache.find("a", parameters: try buffer(.int64(1)))?.name == "s1")
        #expect(cache.find("a", parameters: try buffer(.text("1"))) == nil)
        #expect(cache.discarded == ["s1"])
    }

    @Test func aStatementIsPreparedOnceAndTheServerHoldsNoMoreThanTheLimit() async throws {
        try await withObservedConnection({ $0.preparedStatementLimit = 5 }) { connection, _ in
            for round in 0..<3 {
                for number in 0..<12 {
                    let n = try await connection.query("SELECT \(number) + $1::int4", [.int32(1)]).single().int32(0)
                    #expect(n == Int32(number + 1), "round \(round)")
                }
            }
            let held = try await connection.query("SELECT count(*) FROM pg_prepared_statements").single().int64(0)
            #expect(held <= 6)
            for _ in 0..<5 { _ = try await connection.query("SELECT $1::int8 AS again", [.int64(1)]) }
            let again = try await connection.query(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%AS again' AND name LIKE 's%'"
            ).single().int64(0)
            #expect(again == 1)
        }
    }

    @Test func valuesOfAnotherTypeAreDistinguished() async throws {
        try await withConnection { connection in
            // The server treats an untyped NULL as text here.
            let values: [(PostgresValue, String?)] = [
                (.null, nil), (.int64(7), "7"), (.text("x"), "x"), (.bool(true), "true"), (.null, nil),
            ]
            for (value, text) in values {
                let row = try await connection.query("SELECT $1::text", [value]).single()
                #expect(try row.textOrNull(0) == text)
            }
        }
    }

    @Test func aChangedTableIsNoticed() async throws {
        try await withObservedConnection { connection, observer in
            try await observer.script("CREATE TABLE t AS SELECT 1 AS a")
            #expect(try await connection.query("SELECT * FROM t").columnNames == ["a"])
            try await observer.script("ALTER TABLE t ADD COLUMN b int4 DEFAULT 2")
            #expect(try await connection.query("SELECT * FROM t").columnNames == ["a", "b"])
            try await observer.script("ALTER TABLE t ADD COLUMN c int4 DEFAULT 3")
            var streamed = 0
            try await connection.stream("SELECT * FROM t") { row in streamed = Int(try row.int32("c")) }
            #expect(streamed == 3)
            // Inside a transaction the first attempt fails and the next one works.
            try await observer.script("ALTER TABLE t ADD COLUMN d int4")
            let error = await failure {
                try await connection.transaction { transaction in try await transaction.query("SELECT * FROM t") }
            }
            #expect(error?.sqlState == "0A000")
            let rows = try await connection.transaction { transaction in try await transaction.query("SELECT * FROM t")
            }
            #expect(rows.columnNames.count == 4)
        }
    }

    @Test func forgottenStatementsArePreparedAgain() async throws {
        try await withConnection { connection in
            #expect(try await connection.query("SELECT 1").single().int32(0) == 1)
            try await connection.script("DEALLOCATE ALL")
            #expect(try await connection.query("SELECT 1").single().int32(0) == 1)
        }
    }
}
