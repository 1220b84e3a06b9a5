import Merkle
import Synchronization

/// The tiles read last, in memory: the hashes of a tile only grow in an epoch of the log. At most 1,024 of 8 KiB.
final class KeptTiles: TileSource {
    private let source: LogTiles
    private let kept: Mutex<RecentValues<TileID, [MerkleHash]>>

    init(_ source: LogTiles, limit: Int = 1024) {
        self.source = source
        kept = Mutex(RecentValues(limit: limit))
    }

    var count: Int { kept.withLock(\.count) }

    func tiles(_ ids: [TileID], size: Int64) async throws -> [TileID: [MerkleHash]] {
        var found: [TileID: [MerkleHash]] = kept.withLock { kept in
            var found: [TileID: [MerkleHash]] = [:]
            for id in ids {
                if let hashes = kept[id], hashes.count >= id.width(size: size) { found[id] = hashes }
            }
            return found
        }
        let missing = ids.filter { found[$0] == nil }
        guard !missing.isEmpty else { return found }
        let read = try await source.tiles(missing, size: size)
        keep(read)
        found.merge(read) { $1 }
        return found
    }

    func keep(_ tiles: [TileID: [MerkleHash]]) {
        kept.withLock { kept in
            for (id, hashes) in tiles { kept[id] = hashes }
        }
    }

    /// Forgets all tiles: the log is in another epoch.
    func clear() { kept.withLock { $0.clear() } }
}
