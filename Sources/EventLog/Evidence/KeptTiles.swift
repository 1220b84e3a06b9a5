import Merkle
import Synchronization

/// The tiles read last, in memory with the roots within them: the hashes of a tile only grow in an epoch of the log. At
/// most 1,024 of 16 KiB.
final class KeptTiles: TileSource {
    private let source: LogTiles
    private let kept: Mutex<RecentValues<TileID, Tile>>

    init(_ source: LogTiles, limit: Int = 1024) {
        self.source = source
        kept = Mutex(RecentValues(limit: limit))
    }

    var count: Int { kept.withLock(\.count) }

    func tiles(_ ids: [TileID], size: Int64) async throws -> [TileID: Tile] {
        var found = kept.withLock { kept in
            var found: [TileID: Tile] = [:]
            for id in ids {
                if let tile = kept[id], tile.hashes.count >= id.width(size: size) { found[id] = tile }
            }
            return found
        }
        let missing = ids.filter { found[$0] == nil }
        guard !missing.isEmpty else { return found }
        let read = try await source.tiles(missing, size: size).mapValues { $0.withRoots() }
        keep(read)
        found.merge(read) { $1 }
        return found
    }

    func keep(_ tiles: [TileID: Tile]) {
        kept.withLock { kept in
            for (id, tile) in tiles { kept[id] = tile }
        }
    }

    /// Forgets all tiles: the log is in another epoch.
    func clear() { kept.withLock { $0.clear() } }
}
