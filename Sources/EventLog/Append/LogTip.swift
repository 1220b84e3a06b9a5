import Canonical
import Merkle
import Postgres

/// Where the log ends.
struct LogTip: Sendable, Equatable {
    var position: Int64
    var recordedAt: Timestamp
    /// The right edge of the Merkle tree over the record lines.
    var edge: TileFiller
}

extension LogTip {
    /// A log that ends at the same position but has another tree is another log.
    static func == (left: LogTip, right: LogTip) -> Bool {
        left.position == right.position && left.recordedAt == right.recordedAt
            && left.edge.frontier == right.edge.frontier
    }
}

/// The tiles and leaves do not give the frontier the head holds: somebody has changed one of them.
struct TreeMismatch: Error {}

extension LogTip {
    /// How many leaves are read to bring a known edge up to the head, before reading the edge anew is cheaper.
    private static let catchUpLimit: Int64 = 2048

    /// The tip, with the head locked until the transaction ends: nobody else appends meanwhile, and whoever was
    /// appending has ended.
    ///
    /// - Parameter known: A tip seen before, which makes it cheaper.
    /// - Throws: `TreeMismatch`, `PostgresError`.
    init(lockedIn transaction: borrowing PostgresTransaction, known: LogTip?) async throws {
        let head = try await transaction.query("SELECT position, recorded_at, frontier FROM ledger.head FOR UPDATE")
            .single()
        position = try head.int64(0)
        recordedAt = try head.timestamp(1)
        if let known, known.position <= position, position - known.position <= Self.catchUpLimit {
            edge = known.edge
            let rows = try await transaction.query(
                "SELECT leaf FROM ledger.events WHERE position > $1 ORDER BY position",
                [.int64(known.position)]
            )
            var filled: [FullTile] = []
            for row in rows { edge.append(try Self.hash(row), filling: &filled) }
        } else {
            guard let frontier = MerkleFrontier(size: position, bytes: try head.bytes(2)) else { throw TreeMismatch() }
            edge = try await Self.edge(frontier, in: transaction)
        }
        guard edge.frontier.size == position, edge.frontier.bytes == (try head.bytes(2)) else { throw TreeMismatch() }
    }

    /// Reads the tile to be filled of every level.
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
