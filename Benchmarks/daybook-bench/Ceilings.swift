import Canonical
import DaybookTestKit
import EventLog
import Foundation
import Ledger
import Postgres

/// What the machine gives without Daybook, measured in the same run.
struct Ceilings {
    let server: BenchServer

    /// Rows a second and the mean latency in microseconds of a single-row INSERT by pgbench, prepared.
    func singleRowInsert(connections: Int, seconds: Int) async throws -> (rate: Double, latency: Double) {
        try await server.withDatabase("ceiling_insert") { url in
            try await TestPsql(server).run("CREATE TABLE plain (id bigserial PRIMARY KEY, data text NOT NULL)", at: url)
            return try await withTemporaryDirectory(prefix: "bench") { directory in
                let script = directory + "/insert.sql"
                try writeText("INSERT INTO plain (data) VALUES (repeat('x', 400));\n", to: script)
                let result = try await ChildProgram.run(
                    server.program("pgbench"),
                    [
                        "--no-vacuum", "--protocol=prepared", "--file=\(script)", "--client=\(connections)",
                        "--jobs=1", "--time=\(seconds)", url,
                    ]
                )
                guard result.succeeded else { throw LoadFailure(result.standardError) }
                func figure(_ name: String) -> Double {
                    let line = result.standardOutput.split(separator: "\n").first { $0.hasPrefix(name) }
                    return line?.split(separator: "=").last?.split(separator: " ").first.flatMap { Double($0) } ?? 0
                }
                return (figure("tps"), figure("latency average") * 1000)
            }
        }
    }

    /// Events a second of the ledger's own append calls, worked out beforehand and made one after the other.
    func appendCalls(batch: Int, seconds: Double) async throws -> Double {
        try await server.withDatabase("ceiling_calls") { url in
            let configuration = PostgresConfiguration(connectionString: url)
            _ = try await LedgerSchema.migrate(configuration)
            // A gigabyte of parameters at most.
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

    /// Events a second of the plainest function that keeps an order, versions and idempotency keys: arrays in binary,
    /// one call after the other on one connection. Only the calls are timed, not the making of their parameters.
    func naiveAppend(batch: Int, seconds: Double) async throws -> Double {
        try await server.withDatabase("ceiling_naive") { url in
            var log = try NaiveLog(url)
            return try log.append(batch: batch, seconds: seconds)
        }
    }

    /// The same as the log grows.
    func naiveGrowth(marks: [Int], seconds: Double) async throws -> [Double] {
        try await server.withDatabase("ceiling_growth") { url in
            var log = try NaiveLog(url)
            return try marks.map { mark in
                try log.fill(to: mark)
                return try log.append(batch: 500, seconds: seconds)
            }
        }
    }

    /// Rows a second of a COPY into a table with the two indexes every event needs.
    func copy(rows: Int) async throws -> Double {
        try await server.withDatabase("ceiling_copy") { url in
            // The server writes it, and can reach no directory of ours.
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
