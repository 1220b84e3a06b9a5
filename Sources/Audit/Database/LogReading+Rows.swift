import EventLog
import Merkle
import Postgres

/// A row of `ledger.checkpoints`.
struct CheckpointRow: Sendable {
    var size: Int64
    var root: MerkleHash?
    var note: String

    /// The attestation of the row's columns; the root is the empty one if the row has none.
    var attestation: Attestation {
        Attestation(size: size, root: root ?? .empty, source: .stored)
    }

    /// The fault of the row itself, or the size of the checkpoint it names as its predecessor.
    func judged(keys: [NoteVerifierKey]) -> (fault: LogFault?, predecessor: Int64?) {
        let checkpoint: Checkpoint
        do {
            let signed = try SignedNote(note.utf8)
            checkpoint = try Checkpoint(text: signed.text)
            if !keys.isEmpty { _ = try Checkpoint(signed, signedBy: keys) }
        } catch .malformed, .malformedKey {
            return (LogFault(.checkpoint, at: size, "the stored checkpoint is not a signed note of a checkpoint"), nil)
        } catch {
            return (LogFault(.signature, at: size, "the stored checkpoint is not signed by the key"), nil)
        }
        guard checkpoint.size == size, checkpoint.root == root else {
            let fault = LogFault(.checkpoint, at: size, "the stored checkpoint's row and note state different things")
            return (fault, nil)
        }
        return (nil, checkpoint.predecessor)
    }
}

extension RowMerge where Row == IdempotencyRow {
    static func idempotency(on connection: borrowing PostgresTransaction) async throws -> Self {
        try await .open(
            "audited_keys",
            "SELECT key, request, position, events FROM ledger.idempotency ORDER BY position",
            on: connection,
            position: { $0.position },
            decode: { row in
                IdempotencyRow(
                    key: try row.uuid(0),
                    request: try row.bytes(1),
                    position: try row.int64(2),
                    events: Int(try row.int32(3))
                )
            }
        )
    }
}

extension RowMerge where Row == ReferenceRow {
    static func references(on connection: borrowing PostgresTransaction) async throws -> Self {
        try await .open(
            "audited_references",
            "SELECT tenant, key, stream, position FROM ledger.reference_keys ORDER BY position",
            on: connection,
            position: { $0.position },
            decode: { row in
                ReferenceRow(
                    tenant: try row.text(0),
                    key: try row.text(1),
                    stream: try row.text(2),
                    position: try row.int64(3)
                )
            }
        )
    }
}

extension RowMerge where Row == StreamRow {
    static func streams(on connection: borrowing PostgresTransaction) async throws -> Self {
        try await .open(
            "audited_streams",
            "SELECT tenant, stream, first_position FROM ledger.streams ORDER BY first_position",
            on: connection,
            position: { $0.position },
            decode: { row in
                StreamRow(tenant: try row.text(0), stream: try row.text(1), position: try row.int64(2))
            }
        )
    }
}

extension RowMerge where Row == StoredTile {
    /// Ordered by the number of leaves the tree has when the tile is full, and then by level.
    static func tiles(on connection: borrowing PostgresTransaction) async throws -> Self {
        try await .open(
            "audited_tiles",
            """
            SELECT level, index, root, hashes FROM ledger.tiles
            ORDER BY (index + 1)::numeric * 256::numeric ^ (level + 1), level
            """,
            on: connection,
            position: { $0.id.end },
            decode: { row in
                StoredTile(
                    id: TileID(level: Int(try row.int16(0)), index: try row.int64(1)),
                    root: MerkleHash(bytes: try row.bytes(2)),
                    hashes: [MerkleHash](concatenated: try row.bytes(3)).flatMap {
                        $0.count == TileID.width ? $0 : nil
                    }
                )
            }
        )
    }
}

extension RowMerge where Row == CheckpointRow {
    static func checkpoints(on connection: borrowing PostgresTransaction) async throws -> Self {
        try await .open(
            "audited_checkpoints",
            "SELECT size, root, note FROM ledger.checkpoints ORDER BY size",
            on: connection,
            position: { $0.size },
            decode: { row in
                CheckpointRow(
                    size: try row.int64(0),
                    root: MerkleHash(bytes: try row.bytes(1)),
                    note: try row.text(2)
                )
            }
        )
    }
}

extension TileID {
    /// The position of the last event below the full tile; `Int64.max` if it is beyond every log.
    var end: Int64 {
        guard (0..<TileID.levels - 1).contains(level), index >= 0, index < Int64.max >> Int64(8 * (level + 1)) else {
            return .max
        }
        return (index + 1) << Int64(TileID.height * (level + 1))
    }
}
