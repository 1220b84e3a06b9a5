import DaybookTestKit

/// The simplest log that keeps order, versions and idempotency keys, for comparison.
struct NaiveLog {
    private let connection: BarePostgres
    private var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
    private var stored = 0
    private let data = Array(BenchPayload.text(number: "0").utf8)

    init(_ url: String) throws {
        connection = try BarePostgres(url)
        try connection.script(Self.naiveSchema)
        try connection.prepare("append", "SELECT naive.append($1::text[], $2::bytea[], $3::uuid[], $4::text[])")
    }

    /// Events per second, without the preparation of parameters.
    mutating func append(batch: Int, seconds: Double) throws -> Double {
        var spent: UInt64 = 0
        let before = stored
        while Double(spent) < seconds * 1e6 { spent += try append(batch) }
        return Double(stored - before) / (Double(spent) / 1e6)
    }

    mutating func fill(to mark: Int) throws {
        while stored < mark { _ = try append(500) }
    }

    /// - Returns: The time of the call in microseconds.
    private mutating func append(_ batch: Int) throws -> UInt64 {
        var arrays = [(25, batch), (17, batch), (2950, batch), (25, batch)].map { BinaryArray(oid: $0, count: $1) }
        for number in stored..<stored + batch {
            arrays[0].add("bench/\(number / 5)".utf8)
            arrays[1].add(sixteen())
            arrays[2].add(sixteen())
            arrays[3].add(data)
        }
        let start = LoadGenerator.now()
        try connection.run("append", arrays.map(\.bytes))
        stored += batch
        return LoadGenerator.now() - start
    }

    private mutating func sixteen() -> [UInt8] {
        withUnsafeBytes(of: (random.next(), random.next())) { Array($0) }
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
