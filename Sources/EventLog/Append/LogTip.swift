import Canonical
import Merkle
import Postgres

/// The end of the log.
struct LogTip: Sendable, Equatable {
    /// How often the log was adopted after it lost events.
    var epoch: Int64
    var position: Int64
    var recordedAt: Timestamp
    /// The right edge of the Merkle tree over the record lines.
    var edge: TileFiller
}

extension LogTip {
    /// Two tips are equal only if their trees are equal: a log with the same last position but another tree is another
    /// log.
    static func == (left: LogTip, right: LogTip) -> Bool {
        left.epoch == right.epoch && left.position == right.position && left.recordedAt == right.recordedAt
            && left.edge.frontier == right.edge.frontier
    }
}

/// The tiles and leaves do not give the frontier that the head holds: one of them was changed.
struct TreeMismatch: Error {}

/// The log is in a later epoch than the one this process knows: it was adopted.
struct EpochMismatch: Error {}

extension LogTip {
    /// The largest number of leaves read to advance a known edge to the head. Beyond that, reading the whole edge is
    /// cheaper.
    private static let catchUpLimit: Int64 = 2048

    /// The tip, with the head row locked until the transaction ends: no other session can append meanwhile, and any
    /// append that was running has ended.
    ///
    /// - Parameter known: A tip seen before. The log must continue from it.
    /// - Throws: `EvidenceFault` if the log does not continue from `known`; `EpochMismatch`, `TreeMismatch`,
    ///   `PostgresError`.
    static func locked(in transaction: borrowing PostgresTransaction, known: LogTip?) async throws -> LogTip {
        let head = try await transaction.query(
            "SELECT position, recorded_at, frontier, epoch FROM ledger.head FOR UPDATE"
        ).single()
        var tip = LogTip(
            epoch: try head.int64(3),
            position: try head.int64(0),
            recordedAt: try head.timestamp(1),
            edge: TileFiller()
        )
        let frontier = try head.bytes(2)
        if let known {
            guard known.epoch <= tip.epoch else {
                throw EvidenceFault.earlierEpoch(head: tip.epoch, signed: known.epoch, .process)
            }
            guard known.epoch == tip.epoch else { throw EpochMismatch() }
            guard known.position <= tip.position else {
                throw EvidenceFault.shorter(head: tip.position, signed: known.position, .process)
            }
            if let caughtUp = try await Self.caughtUp(known, to: tip.position, in: transaction),
                caughtUp.frontier.bytes == frontier
            {
                tip.edge = caughtUp
                return tip
            }
        }
        guard let frontier = MerkleFrontier(size: tip.position, bytes: frontier) else { throw TreeMismatch() }
        tip.edge = try await Self.edge(frontier, in: transaction)
        if let known, !(try await tip.contains(known, in: transaction)) {
            throw EvidenceFault.changed(signed: known.position, .process)
        }
        return tip
    }

    /// Whether the log up to `known` is the same: the hashes of its unfilled tiles, from which its root is computed,
    /// are where they were.
    private func contains(_ known: LogTip, in transaction: borrowing PostgresTransaction) async throws -> Bool {
        for (level, hashes) in known.edge.partial.enumerated() where !hashes.isEmpty {
            let range = TileFiller.partialRange(level: level, size: known.position)
            // A tile of leaves that is full by now is stored; its events may be archived.
            let rows = try await transaction.query(
                level == 0
                    ? """
                    SELECT substr(hashes, 1, ($2 - $1)::int * 32) FROM ledger.tiles WHERE level = 0 AND index = $1 / 256
                    UNION ALL
                    SELECT string_agg(leaf, ''::bytea ORDER BY position) FROM ledger.events
                    WHERE position > $1 AND position <= $2
                    """
                    : """
                    SELECT string_agg(root, ''::bytea ORDER BY index) FROM ledger.tiles
                    WHERE level = \(level - 1) AND index >= $1 AND index < $2
                    """,
                [.int64(range.lowerBound), .int64(range.upperBound)]
            )
            guard let row = rows.first, !(try row.isNull(0)), try row.bytes(0) == hashes.flatMap(\.bytes) else {
                return false
            }
        }
        return true
    }

    /// The known edge, advanced by the leaves appended since; nil when there are more than `catchUpLimit` of them.
    private static func caughtUp(
        _ known: LogTip,
        to position: Int64,
        in transaction: borrowing PostgresTransaction
    ) async throws -> TileFiller? {
        guard position - known.position <= catchUpLimit else { return nil }
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
