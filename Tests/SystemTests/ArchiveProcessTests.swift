import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import Merkle
import Postgres
import Testing

/// `daybook archive` as a process that is killed at the worst moments, beside a running server.
struct ArchiveProcessTests {
    /// The moment at which an archiver is killed.
    private struct Moment: Sendable {
        /// The lock that a superuser's transaction holds meanwhile, so that the archiver cannot continue.
        var obstacle: String
        /// The sign that the moment is reached: true in SQL, or a file of the archive directory.
        var sign: Sign

        enum Sign: Sendable {
            case file(suffix: String)
            case row(String)
        }
    }

    private static let detached = """
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'archiver'
            AND wait_event = 'PgSleep'
        """

    private static let moments: [Moment] = [
        // The file is being written.
        Moment(obstacle: "LOCK TABLE ledger.events IN ACCESS EXCLUSIVE MODE", sign: .file(suffix: ".ndjson.partial")),
        // The file has its name, and its index; the database has not recorded it.
        Moment(
            obstacle: "SELECT FROM ledger.partitions WHERE first = 1 FOR UPDATE",
            sign: .file(suffix: ".index")
        ),
        // The database has recorded the file, and the table is still attached.
        Moment(
            obstacle: "SELECT FROM ledger.events LIMIT 1",
            sign: .row("SELECT FROM ledger.partitions WHERE archived_at IS NOT NULL")
        ),
        // The table is detached from the events, and not dropped.
        Moment(obstacle: "SELECT", sign: .row(detached)),
        // One partition is done, and the next one written.
        Moment(
            obstacle: "SELECT FROM ledger.partitions WHERE first = 257 FOR UPDATE",
            sign: .row("SELECT FROM ledger.partitions WHERE dropped_at IS NOT NULL")
        ),
    ]

    @Test func anArchiverThatIsKilledAgainAndAgainLosesNothing() async throws {
        try await withTestDatabase(template: .smallPartitions(4)) { url in
            try await Daybook.with(environment: ["DATABASE_URL": url]) { daybook in
                var archiving = daybook
                archiving.environment["DATABASE_URL"] =
                    url + (url.contains("?") ? "&" : "?") + "application_name=archiver"
                #expect(try await daybook.run("keys", "log").succeeded)
                let client = try await Self.filledServer(daybook)
                let before = try await Self.answers(client.client)
                #expect(try await daybook.run("export", "-o", "before.ndjson").succeeded)

                for (number, moment) in Self.moments.enumerated() {
                    if number == 3 { try await Self.holdUpDrops(url) }
                    try await Self.kill(archiving, at: moment, url)
                    if number == 3 { try await TestDatabase.psql("DROP EVENT TRIGGER hold_up", at: url) }
                    #expect(try await Self.answers(client.client) == before, "killed at \(number)")
                }
                let archived = try await archiving.json("archive", "--keep", "0", "--drop")
                #expect(archived["archived"]?.array?.compactMap { $0["last"]?.int64 }.last == 512)
                let left = "SELECT count(*) FROM ledger.partitions WHERE last <= 512 AND dropped_at IS NULL"
                #expect(try await TestDatabase.psql(left, at: url) == "0")
                #expect(try await TestDatabase.psql("SELECT min(position) FROM ledger.events", at: url) == "513")

                #expect(try await Self.answers(client.client) == before)
                for position in [1, 256, 257, 512] {
                    let proof = try await client.client.get("/v1/events/\(position)/proof")
                    #expect(try Self.verifies(proof), "\(position)")
                }
                #expect(try await daybook.json("verify")["sound"]?.bool == true)
                #expect(try await daybook.run("export", "-o", "after.ndjson").succeeded)
                let contents = try ["before", "after"].map {
                    try Data(contentsOf: URL(filePath: "\(daybook.directory)/\($0).ndjson"))
                }
                #expect(contents[0] == contents[1])
                #expect(try await client.server.stop() == 0)
            }
        }
    }

    /// Starts an archiver, waits for the moment, and kills it and its sessions there.
    private static func kill(_ daybook: Daybook, at moment: Moment, _ url: String) async throws {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        let watcher = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        try await connection.transaction { transaction in
            try await transaction.script(moment.obstacle)
            let archiver = try await daybook.start(["archive", "--keep", "0", "--drop"])
            while try await !hasCome(moment.sign, daybook, watcher) { await Task.yield() }
            try await archiver.kill()
            let sessions = """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'archiver'
                """
            while try await !watcher.query(sessions).isEmpty { await Task.yield() }
        }
        await watcher.close()
        await connection.close()
    }

    private static func hasCome(_ sign: Moment.Sign, _ daybook: Daybook, _ watcher: PostgresConnection) async throws
        -> Bool
    {
        switch sign {
        case .row(let sql): return try await watcher.query(sql).first != nil
        case .file(let suffix):
            let directory = "\(daybook.directory)/.daybook/archive"
            let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            return files.contains { $0.hasSuffix(suffix) }
        }
    }

    /// Makes every drop of a table wait forever.
    private static func holdUpDrops(_ url: String) async throws {
        try await TestDatabase.psql(
            """
            CREATE FUNCTION public.hold_up() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
                LOOP PERFORM pg_sleep(0.01); END LOOP;
            END $$;
            CREATE EVENT TRIGGER hold_up ON ddl_command_start WHEN TAG IN ('DROP TABLE')
                EXECUTE FUNCTION public.hold_up()
            """,
            at: url
        )
    }

    /// A server whose log has filled two partitions and signed them.
    private static func filledServer(_ daybook: Daybook) async throws -> (server: RunningServer, client: APIClient) {
        let server = try await daybook.serve()
        let client = server.client(try await daybook.key())
        var samples = SampleRecords(series: 5, random: SeededGenerator(seed: 5))
        var head: Int64 = 0
        while head < 512 {
            for record in samples.make(20) {
                let answer = try await client.post(record)
                guard answer.status == 201 else { throw TestKitError("\(answer.status): \(answer.text)") }
            }
            head = try await client.get("/v1/log")["position"]?.int64 ?? 0
        }
        // However late it is signed, the third partition is not full.
        try #require(head < 768)
        while true {
            let log = try await client.get("/v1/log")
            if log["checkpoint"]?["size"]?.int64 ?? 0 >= 512 { return (server, client) }
        }
    }

    /// The server's answers about events that are, or will be, archived.
    private static func answers(_ client: APIClient) async throws -> [JSONValue] {
        var answers = try await client.all("/v1/events?limit=1000")
        for position in [1, 100, 256, 257, 512] {
            answers.append(try await client.get("/v1/events/\(position)"))
            answers.append(try await client.get("/v1/events/\(position)/proof"))
        }
        return answers
    }

    /// Whether a proof leads from its line to the root of its checkpoint.
    private static func verifies(_ proof: JSONValue) throws -> Bool {
        let note = try SignedNote(try #require(proof["checkpoint"]?.string).utf8)
        let checkpoint = try Checkpoint(text: note.text)
        let inclusion = InclusionProof(
            index: try #require(proof["leafIndex"]?.int64),
            size: checkpoint.size,
            hashes: (proof["hashes"]?.array ?? []).compactMap { MerkleHash(base64: $0.string ?? "") }
        )
        let leaf = MerkleHash(leaf: Array(try #require(proof["line"]?.string).utf8))
        return inclusion.verifies(leaf: leaf, root: checkpoint.root)
    }
}
