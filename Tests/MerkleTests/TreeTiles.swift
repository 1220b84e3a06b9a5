import Merkle
import Synchronization

/// The tiles of a tree in memory, readable as a tree of any smaller size. It records the tiles that are read.
final class TreeTiles: TileSource {
    private let levels: [[MerkleHash]]
    /// Whether the tiles come with the roots within them.
    private let haveRoots: Bool
    private let reads = Mutex<[TileID]>([])

    init(_ leaves: [MerkleHash], haveRoots: Bool = false) {
        var levels = [leaves]
        while let below = levels.last, below.count >= TileID.width {
            levels.append(
                (0..<below.count / TileID.width).map {
                    ReferenceTree.root(below[$0 * TileID.width..<($0 + 1) * TileID.width])
                }
            )
        }
        self.levels = levels
        self.haveRoots = haveRoots
    }

    /// Every tile read since the last call.
    func takeReads() -> [TileID] {
        reads.withLock { reads in
            defer { reads = [] }
            return reads
        }
    }

    func tiles(_ ids: [TileID], size: Int64) async throws -> [TileID: Tile] {
        reads.withLock { $0 += ids }
        var tiles: [TileID: Tile] = [:]
        for id in ids where id.level < levels.count {
            let hashes = levels[id.level].dropFirst(Int(id.index) * TileID.width).prefix(id.width(size: size))
            tiles[id] = haveRoots ? Tile(Array(hashes)).withRoots() : Tile(Array(hashes))
        }
        return tiles
    }
}

/// A tree of any size with identical leaves, so that all complete subtrees of one height have the same root.
struct UniformTiles: TileSource {
    static let leaf = MerkleHash(leaf: Array("the same".utf8))

    /// The root of a complete subtree of this height.
    static let roots: [MerkleHash] = {
        var roots = [leaf]
        for height in 0..<62 { roots.append(MerkleHash(left: roots[height], right: roots[height])) }
        return roots
    }()

    static func root(size: Int64) -> MerkleHash {
        let parts = (0..<63).filter { size >> Int64($0) & 1 == 1 }.map { roots[$0] }
        guard let first = parts.first else { return .empty }
        return parts.dropFirst().reduce(first) { MerkleHash(left: $1, right: $0) }
    }

    func tiles(_ ids: [TileID], size: Int64) async throws -> [TileID: Tile] {
        var tiles: [TileID: Tile] = [:]
        for id in ids {
            tiles[id] = Tile(Array(repeating: Self.roots[id.level * TileID.height], count: id.width(size: size)))
        }
        return tiles
    }
}
