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
    func checkpointer(
        _ keys: LogKeys,
        witness: WitnessFile? = nil,
        remote: WitnessOptions? = nil
    ) -> Checkpointer {
        Checkpointer(
            pool: pool,
            keys: keys,
            witness: witness,
            remote: remote,
            clock: clock,
            logger: Self.logger
        )
    }

    var evidence: LogEvidence { LogEvidence(pool: pool) }

    /// Appends events without particular meaning.
    func append(_ count: Int, by other: Sequencer? = nil, to stream: String = "s") async throws {
        _ = try await (other ?? sequencer).append(.sample(stream, count: count))
    }

    /// Every stored checkpoint, verified, the smallest first.
    func checkpoints(_ keys: LogKeys) async throws -> [Checkpoint] {
        try await pool.query("SELECT note FROM ledger.checkpoints ORDER BY size").map { row in
            try Checkpoint(SignedNote(row.text(0).utf8), signedBy: keys.verifiers)
        }
    }
}
