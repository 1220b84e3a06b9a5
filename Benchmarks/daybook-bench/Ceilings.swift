import DaybookTestKit

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

    /// Events a second of the plainest function that keeps an order, versions and idempotency keys: arrays in binary,
    /// one call after the other on one connection. Only the calls are timed, not the making of their parameters.
    func naiveAppend(batch: Int, seconds: Double) async throws -> Double {
        try await server.withDatabase("ceiling_naive") { url in
            let connection = try BarePostgres(url)
            try connection.script(Self.naiveSchema)
            try connection.prepare("append", "SELECT naive.append($1::text[], $2::bytea[], $3::uuid[], $4::text[])")
            var random = SystemRandomNumberGenerator()
            var number: UInt64 = 0
            var spent: UInt64 = 0
            var events = 0
            while Double(spent) < seconds * 1e6 {
                var arrays = [(25, batch), (17, batch), (2950, batch), (25, batch)].map {
                    BinaryArray(oid: $0, count: $1)
                }
                for _ in 0..<batch {
                    arrays[0].add("bench/\(number / 5)".utf8)
                    arrays[1].add((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
                    arrays[2].add((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
                    arrays[3].add(BenchPayload.text(number: String(number)).utf8)
                    number += 1
                }
                let start = LoadGenerator.now()
                try connection.run("append", arrays.map(\.bytes))
                spent += LoadGenerator.now() - start
                events += batch
            }
            return Double(events) / (Double(spent) / 1e6)
        }
    }

    /// Rows a second of a COPY into a table with the two indexes every event needs.
    func copy(rows: Int) async throws -> Double {
        try await server.withDatabase("ceiling_copy") { url in
            let connection = try BarePostgres(url)
            try connection.script(
                """
                CREATE TABLE copied (position bigint PRIMARY KEY, stream text, version bigint, data text,
                    UNIQUE (stream, version));
                COPY (SELECT g, 'bench/' || g / 5, g % 5, repeat('x', 400) FROM generate_series(1, \(rows)) g)
                    TO '/tmp/daybook-bench-copy.bin' WITH (FORMAT binary)
                """
            )
            let start = LoadGenerator.now()
            try connection.script("COPY copied FROM '/tmp/daybook-bench-copy.bin' WITH (FORMAT binary)")
            let spent = LoadGenerator.now() - start
            _ = try await ChildProgram.run("/bin/rm", ["-f", "/tmp/daybook-bench-copy.bin"])
            return Double(rows) / (Double(spent) / 1e6)
        }
    }

    private static let naiveSchema = """
        CREATE SCHEMA naive;
        CREATE TABLE naive.head (singleton boolean PRIMARY KEY DEFAULT true, position bigint NOT NULL);
        INSERT INTO naive.head (position) VALUES (0);
        CREATE TABLE naive.events (position bigint PRIMARY KEY, id uuid NOT NULL, stream text NOT NULL,
            version bigint NOT NULL, type text NOT NULL, recorded_at timestamptz NOT NULL, data text NOT NULL,
            UNIQUE (stream, version));
        CREATE TABLE naive.streams (stream text PRIMARY KEY, version bigint NOT NULL);
        CREATE TABLE naive.idempotency (key bytea PRIMARY KEY, position bigint NOT NULL);
        CREATE FUNCTION naive.append(p_stream text[], p_key bytea[], p_id uuid[], p_data text[]) RETURNS bigint
        LANGUAGE plpgsql AS $$
        DECLARE v_position bigint;
        BEGIN
            SELECT position INTO v_position FROM naive.head FOR UPDATE;
            INSERT INTO naive.idempotency
            SELECT k.key, v_position + k.n FROM unnest(p_key) WITH ORDINALITY AS k (key, n);
            WITH e AS (
                SELECT * FROM unnest(p_stream, p_id, p_data) WITH ORDINALITY AS e (stream, id, data, n)
            ), advanced AS (
                INSERT INTO naive.streams AS s SELECT e.stream, count(*) FROM e GROUP BY e.stream
                ON CONFLICT (stream) DO UPDATE SET version = s.version + excluded.version
                RETURNING s.stream, s.version
            ), counted AS (SELECT e.stream, count(*) AS count FROM e GROUP BY e.stream)
            INSERT INTO naive.events
            SELECT v_position + e.n, e.id, e.stream,
                   a.version - c.count + row_number() OVER (PARTITION BY e.stream ORDER BY e.n),
                   'Measured', now(), e.data
              FROM e JOIN advanced a USING (stream) JOIN counted c USING (stream) ORDER BY e.n;
            UPDATE naive.head SET position = v_position + cardinality(p_id);
            RETURN v_position;
        END $$;
        """
}
