package import Canonical
package import Merkle
package import Postgres

/// A checkpoint as stored in the database.
package struct StoredCheckpoint: Sendable, Hashable {
    package var size: Int64
    package var root: MerkleHash
    /// The signed note.
    package var note: String
    package var signedAt: Timestamp
}

/// A row of the checkpoints or of the head that this ledger cannot have written.
package struct UnreadableEvidence: Error, Hashable {}

/// Reads and writes `ledger.checkpoints` and `ledger.witnesses`.
package struct CheckpointStore: Sendable {
    /// The end of the log and the newest checkpoint at one moment.
    package struct Situation: Sendable {
        package var head: MerkleFrontier
        package var epoch: LogEpoch
        package var newest: StoredCheckpoint?
        /// The kinds of witness that the log has been compared with.
        package var witnesses: [WitnessKind]
    }

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// - Throws: `UnreadableEvidence`, `PostgresError`.
    package func situation() async throws -> Situation {
        // One statement, so that no checkpoint is newer than the head it is compared with.
        let row = try await pool.query(
            """
            SELECT c.size, c.root, c.note, c.signed_at, h.position, h.frontier, h.epoch, h.epoch_began_at,
                   (SELECT coalesce(string_agg(kind, ' '), '') FROM ledger.witnesses)
            FROM ledger.head h
            LEFT JOIN (SELECT * FROM ledger.checkpoints ORDER BY size DESC LIMIT 1) c ON true
            """
        ).single()
        guard let head = MerkleFrontier(size: try row.int64(4), bytes: try row.bytes(5)) else {
            throw UnreadableEvidence()
        }
        return Situation(
            head: head,
            epoch: try LogEpoch(row, at: 6),
            newest: try row.isNull(0) ? nil : try StoredCheckpoint(row),
            witnesses: try row.text(8).split(separator: " ").map { text in
                // A kind of a newer build: this one cannot have such a witness.
                guard let kind = WitnessKind(rawValue: String(text)) else { throw UnreadableEvidence() }
                return kind
            }
        )
    }

    /// From now on, every process that appends needs such a witness. Does nothing if the log is in another epoch by
    /// now: its adoption has decided.
    func list(_ witnesses: [WitnessKind], in epoch: Int64) async throws {
        for kind in witnesses {
            _ = try await pool.execute(
                """
                INSERT INTO ledger.witnesses (kind) SELECT $1 FROM ledger.head WHERE epoch = $2 FOR SHARE
                ON CONFLICT DO NOTHING
                """,
                [.text(kind.rawValue), .int64(epoch)]
            )
        }
    }

    /// The newest checkpoint.
    package func newest() async throws -> StoredCheckpoint? {
        try await first("ORDER BY size DESC LIMIT 1", [])
    }

    /// The first checkpoint that covers the event at `position`. Once it exists it stays the first.
    package func first(covering position: Int64) async throws -> StoredCheckpoint? {
        try await first("WHERE size >= $1 ORDER BY size LIMIT 1", [.int64(position)])
    }

    /// Adds a checkpoint if the newest one is still the one it was compared with.
    ///
    /// - Returns: False when another instance was faster; nothing is added then.
    func add(_ checkpoint: StoredCheckpoint, after newest: Int64?) async throws -> Bool {
        try await pool.withConnection { connection in
            try await connection.transaction { transaction in
                // A session that waited for this lock sees what the other one added.
                _ = try await transaction.query(
                    "SELECT pg_advisory_xact_lock(hashtextextended('ledger.checkpoints', 0))::text"
                )
                let added = try await transaction.execute(
                    """
                    INSERT INTO ledger.checkpoints (size, root, note, signed_at) SELECT $1, $2, $3, $4
                    WHERE (SELECT max(size) FROM ledger.checkpoints) IS NOT DISTINCT FROM $5::int8
                    """,
                    [
                        .int64(checkpoint.size), .bytea(checkpoint.root.bytes), .text(checkpoint.note),
                        .timestamptz(checkpoint.signedAt), .optional(newest, PostgresValue.int64),
                    ]
                )
                return added == 1
            }
        }
    }

    private func first(_ clause: String, _ parameters: [PostgresValue]) async throws -> StoredCheckpoint? {
        let rows = try await pool.query(
            "SELECT size, root, note, signed_at FROM ledger.checkpoints \(clause)",
            parameters
        )
        return try rows.first.map { try StoredCheckpoint($0) }
    }
}

extension StoredCheckpoint {
    /// Reads size, root, note and time of a row.
    ///
    /// - Parameter column: The index of the first of them.
    /// - Throws: `UnreadableEvidence`, `PostgresError`.
    init(_ row: PostgresRow, from column: Int = 0) throws {
        guard let root = MerkleHash(bytes: try row.bytes(column + 1)) else { throw UnreadableEvidence() }
        self.init(
            size: try row.int64(column),
            root: root,
            note: try row.text(column + 2),
            signedAt: try row.timestamp(column + 3)
        )
    }
}
