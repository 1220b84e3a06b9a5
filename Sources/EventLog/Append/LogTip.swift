import Canonical
import Merkle
import Postgres

/// The end of the log.
struct LogTip: Sendable, Equatable {
    var position: Int64
    var recordedAt: Timestamp
    /// The right edge of the Merkle tree over the record lines.
    var edge: TileFiller
}

extension LogTip {
    /// Two tips are equal only if their trees are equal: a log with the same last position but another tree is another
    /// log.
    static func == (left: LogTip, right: LogTip) -> Bool {
        left.position == right.position && left.recordedAt == right.recordedAt
            && left.edge.frontier == right.edge.frontier
    }
}

/// The tiles and leaves do not give the frontier that the head holds: one of them was changed.
struct TreeMismatch: Error {}

extension LogTip {
    /// The largest number of leaves read to advance a known edge to the head. Beyond that, reading the whole edge is
    /// cheaper.
    private static let catchUpLimit: Int64 = 2048

    /// The tip, with the head row locked until the transaction ends: no other session can append meanwhile, and any
    /// append that was running has ended.
    ///
    /// - Parameter known: A tip seen before, which makes this cheaper.
    /// - Returns: The tip, and whether the log is shown to continue from `known`.
    /// - Throws: `TreeMismatch`, `PostgresError`.
    static func locked(
        in transaction: borrowing PostgresTransaction,
        known: LogTip?
    ) async throws -> (tip: LogTip, continuesKnown: Bool) {
        let head = try await transaction.query("SELECT position, recorded_at, frontier FROM ledger.head FOR UPDATE")
            .single()
        let position = try head.int64(0)
        let recordedAt = try head.timestamp(1)
        let frontier = try head.bytes(2)
        // A log of the same length may still be another one than the known one: after a failover, or after a restore
        // from a backup.
        if let caughtUp = try await Self.caughtUp(known, to: position, in: transaction),
            caughtUp.frontier.bytes == frontier
        {
            return (LogTip(position: position, recordedAt: recordedAt, edge: caughtUp), true)
        }
        guard let frontier = MerkleFrontier(size: position, bytes: frontier) else { throw TreeMismatch() }
        let edge = try await Self.edge(frontier, in: transaction)
        return (LogTip(position: position, recordedAt: recordedAt, edge: edge), false)
    }

    /// The known edge, advanced by the leaves appended since; nil when there are more than `catchUpLimit` of them or
    /// the log is shorter.
    private static func caughtUp(
        _ known: LogTip?,
        to position: Int64,
        in transaction: borrowing PostgresTransaction
    ) async throws -> TileFiller? {
        guard let known, known.position <= position, position - known.position <= catchUpLimit else { return nil }
        var edge = known.edge
        guard known.position < position else { return edge }
        let rows = try await transaction.query(
            "SELECT leaf FROM ledger.events WHERE position > $1 ORDER BY position",
            [.int64(known.position)]
        )
        var filled: [FullTile] = []
        for row in rows { edge.append(try hash(row), filling: &filled) }
        return edge
    }

    /// Reads the unfilled tile of every level.
    private static func edge(
        _ frontier: MerkleFrontier,
        in transaction: borrowing PostgresTransaction
    ) async throws -> TileFiller {
        var partial: [[MerkleHash]] = []
        while TileID.count(level: partial.count, size: frontier.size) > 0, partial.count < TileID.levels {
            let level = partial.count
            let range = TileFiller.partialRange(level: level, size: frontier.size)
            let rows: PostgresRows
            if level == 0 {
                rows = try await transaction.query(
                    "SELECT leaf FROM ledger.events WHERE position > $1 ORDER BY position",
                    [.int64(range.lowerBound)]
                )
            } else {
                rows = try await transaction.query(
                    "SELECT root FROM ledger.tiles WHERE level = $1 AND index >= $2 ORDER BY index",
                    [.int16(Int16(level - 1)), .int64(range.lowerBound)]
                )
            }
            var hashes: [MerkleHash] = []
            for row in rows { hashes.append(try hash(row)) }
            partial.append(hashes)
        }
        guard let edge = TileFiller(frontier: frontier, partial: partial) else { throw TreeMismatch() }
        return edge
    }

    private static func hash(_ row: PostgresRow) throws -> MerkleHash {
        guard let hash = MerkleHash(bytes: try row.bytes(0)) else { throw TreeMismatch() }
        return hash
    }
}
