package import Merkle
package import Postgres

/// The tiles of the log's tree, read from the database.
///
/// Full tiles are stored. A partial tile is composed: on level 0 from the leaves stored with the events, above that
/// from the roots of the tiles below. All of this data only grows, so reads in several statements agree.
package struct LogTiles: TileSource {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    package func tiles(_ ids: [TileID], size: Int64) async throws -> [TileID: Tile] {
        guard !ids.isEmpty else { return [:] }
        // A tile that was partial in a smaller tree may be stored by now, and its events archived.
        var tiles = try await stored(ids)
        for id in ids where tiles[id] == nil {
            let hashes = try await partial(id, width: id.width(size: size))
            if !hashes.isEmpty { tiles[id] = Tile(hashes) }
        }
        return tiles
    }

    private func stored(_ ids: [TileID]) async throws -> [TileID: Tile] {
        let rows = try await pool.query(
            """
            SELECT t.level, t.index, t.hashes FROM unnest($1::int2[], $2::int8[]) AS i (level, index)
            JOIN ledger.tiles t ON t.level = i.level AND t.index = i.index
            """,
            [.int16Array(ids.map { Int16(clamping: $0.level) }), .int64Array(ids.map(\.index))]
        )
        var tiles: [TileID: Tile] = [:]
        for row in rows {
            tiles[TileID(level: Int(try row.int16(0)), index: try row.int64(1))] =
                Tile([MerkleHash](concatenated: try row.bytes(2)) ?? [])
        }
        return tiles
    }

    /// The first hashes of a tile that is not stored, up to the first missing one.
    private func partial(_ id: TileID, width: Int) async throws -> [MerkleHash] {
        guard width > 0 else { return [] }
        let first = id.index * Int64(TileID.width)
        let rows =
            id.level == 0
            ? try await pool.query(
                "SELECT position - 1, leaf FROM ledger.events WHERE position > $1 AND position <= $2 ORDER BY position",
                [.int64(first), .int64(first + Int64(width))]
            )
            : try await pool.query(
                "SELECT index, root FROM ledger.tiles WHERE level = $1 AND index >= $2 AND index < $3 ORDER BY index",
                [.int16(Int16(id.level - 1)), .int64(first), .int64(first + Int64(width))]
            )
        var hashes: [MerkleHash] = []
        for row in rows {
            guard try row.int64(0) == first + Int64(hashes.count), let hash = MerkleHash(bytes: try row.bytes(1)) else {
                break
            }
            hashes.append(hash)
        }
        return hashes
    }
}
