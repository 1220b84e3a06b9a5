import DaybookTestKit
import EventLog
import Merkle
import Postgres
import Testing

extension LogKeys {
    /// Keys of a log named `log.test`.
    static func made() throws -> LogKeys { LogKeys(NoteSigningKey(name: try #require(NoteKeyName("log.test")))) }
}

extension TestLog {
    /// A signer of this log, like one in another process.
    func checkpointer(_ keys: LogKeys, witness: WitnessFile? = nil) -> Checkpointer {
        Checkpointer(pool: pool, keys: keys, witness: witness, clock: clock, logger: Self.logger)
    }

    var evidence: LogEvidence { LogEvidence(pool: pool) }

    /// Appends events without particular meaning.
    func append(_ count: Int, by other: Sequencer? = nil, to stream: String = "s") async throws {
        _ = try await (other ?? sequencer).append(.sample(stream, count: count))
    }

    /// Runs SQL as a superuser with triggers off.
    func tamper(_ sql: String) async throws {
        try await TestDatabase.psql("SET session_replication_role = replica; \(sql)", at: url)
    }

    /// SQL that restores the current state of the log: events, tiles and head, but not the checkpoints.
    func wayBack() async throws -> String {
        let head = try await pool.query("SELECT position, encode(frontier, 'hex') FROM ledger.head").single()
        let (position, frontier) = (try head.int64(0), try head.text(1))
        return """
            DELETE FROM ledger.events WHERE position > \(position);
            DELETE FROM ledger.tiles WHERE (index + 1) * (256::numeric ^ (level + 1)) > \(position);
            DELETE FROM ledger.streams s WHERE NOT EXISTS (SELECT FROM ledger.events e WHERE e.stream = s.stream);
            UPDATE ledger.streams s SET version = (SELECT max(version) FROM ledger.events e WHERE e.stream = s.stream);
            UPDATE ledger.head SET position = \(position), frontier = '\\x\(frontier)';
            """
    }

    /// Every stored checkpoint, verified, the smallest first.
    func checkpoints(_ keys: LogKeys) async throws -> [Checkpoint] {
        try await pool.query("SELECT note FROM ledger.checkpoints ORDER BY size").map { row in
            try Checkpoint(SignedNote(row.text(0).utf8), signedBy: keys.verifiers)
        }
    }
}
