import BenchReport
import Canonical
import Composition
import EventLog
import Foundation
import Postgres

/// The limits of this machine without Daybook, measured in the same run.
struct Ceilings {
    let server: BenchServer

    /// A single-row INSERT a transaction.
    func singleRowInsert(clients: Int, seconds: Double) async throws -> PgbenchReport {
        try await server.withDatabase("ceiling_insert") { url in
            try await TestPsql(server).run("CREATE TABLE plain (id bigserial PRIMARY KEY, data text NOT NULL)", at: url)
            return try await Pgbench(server: server).run(
                "INSERT INTO plain (data) VALUES (repeat('x', 400));\n",
                at: url,
                clients: clients,
                seconds: seconds
            )
        }
    }

    /// Events per second of the ledger's append calls, prepared beforehand and sent one after the other.
    func appendCalls(batch: Int, seconds: Double) async throws -> Double {
        try await server.withDatabase("ceiling_calls") { url in
            let configuration = PostgresConfiguration(connectionString: url)
            _ = try await LedgerSchema.migrate(configuration)
            // At most a gigabyte of parameters.
            let count = min(400_000 / batch, Int(seconds * 6000))
            var source = BenchItems()
            let batches = (0..<count).map { _ in source.next(batch) }
            let calls = try AppendCalls.parameters(batches, now: SystemClock().now())
            let connection = try await PostgresConnection.connect(configuration)
            try await connection.script(AppendCalls.planning)
            let start = LoadGenerator.now()
            var made = 0
            for call in calls where Double(LoadGenerator.now() - start) < seconds * 1e6 {
                guard try await connection.query(AppendCalls.sql, encoded: call).single().bool(0) else {
                    throw LoadFailure("a ceiling's append was not made")
                }
                made += 1
            }
            let spent = Double(LoadGenerator.now() - start) / 1e6
            await connection.close()
            return Double(made * batch) / spent
        }
    }

    /// Events per second of the simplest function that keeps order, versions and idempotency keys: binary arrays, one
    /// call after the other on one connection. Only the calls are timed, not their preparation.
    func naiveAppend(batch: Int, seconds: Double) async throws -> Double {
        try await server.withDatabase("ceiling_naive") { url in
            var log = try NaiveLog(url)
            return try log.append(batch: batch, seconds: seconds)
        }
    }

    /// The same while the log grows.
    func naiveGrowth(marks: [Int], seconds: Double, repetitions: Int) async throws -> [Double] {
        try await server.withDatabase("ceiling_growth") { url in
            var log = try NaiveLog(url)
            return try marks.map { mark in
                try log.fill(to: mark)
                let rates = try (0..<repetitions).map { _ in try log.append(batch: 500, seconds: seconds) }
                return rates.sorted()[repetitions / 2]
            }
        }
    }

    /// Rows per second of a COPY into a table with the two indexes that every event needs.
    func copy(rows: Int) async throws -> Double {
        try await server.withDatabase("ceiling_copy") { url in
            // The server writes the file and may have no access to the client's directories.
            let file = "/tmp/daybook-bench-\(UUID().uuidString).copy"
            defer { try? FileManager.default.removeItem(atPath: file) }
            let connection = try BarePostgres(url)
            try connection.script(
                """
                CREATE TABLE copied (position bigint PRIMARY KEY, stream text, version bigint, data text,
                    UNIQUE (stream, version));
                COPY (SELECT g::bigint, 'bench/' || g / 5, (g % 5)::bigint, repeat('x', 400) FROM generate_series(1, \(rows)) g)
                    TO '\(file)' WITH (FORMAT binary)
                """
            )
            let start = LoadGenerator.now()
            try connection.script("COPY copied FROM '\(file)' WITH (FORMAT binary)")
            let spent = LoadGenerator.now() - start
            return Double(rows) / (Double(spent) / 1e6)
        }
    }
}
