/// Appends leaves to a tree and returns the tiles they fill.
///
/// It holds the unfilled tile of every level, at most 255 hashes each, so that appending reads nothing. A value: an
/// appender works on a copy and keeps it when the append has been committed.
package struct TileFiller: Sendable, Hashable {
    package private(set) var frontier: MerkleFrontier
    /// The unfilled tile of each level, from level 0; `partial[level].count` is its width.
    package private(set) var partial: [[MerkleHash]]

    /// The filler of the empty tree.
    package init() {
        frontier = MerkleFrontier()
        partial = Array(repeating: [], count: TileID.levels)
    }

    /// - Parameter partial: For each level from 0, the hashes after the last full tile; missing levels have none.
    /// - Returns: Nil when they do not belong to the tree with this frontier.
    package init?(frontier: MerkleFrontier, partial: [[MerkleHash]]) {
        guard partial.count <= TileID.levels else { return nil }
        self.frontier = frontier
        self.partial = partial + Array(repeating: [], count: TileID.levels - partial.count)
        guard Self.frontier(size: frontier.size, partial: self.partial) == frontier else { return nil }
    }

    /// The hashes of a level after its last full tile in a tree of `size` leaves, as the half-open range of their
    /// indices at that level.
    package static func partialRange(level: Int, size: Int64) -> Range<Int64> {
        let count = TileID.count(level: level, size: size)
        return count - count % Int64(TileID.width)..<count
    }

    /// Appends a leaf, given by its hash, and adds the tiles it fills to `filled`, the lowest level first.
    package mutating func append(_ leaf: MerkleHash, filling filled: inout [FullTile]) {
        partial[0].append(leaf)
        var roots: [MerkleHash] = []
        frontier.append(leaf) { height, root in
            if height.isMultiple(of: TileID.height) { roots.append(root) }
        }
        for (level, root) in roots.enumerated() {
            let id = TileID(level: level, index: TileID.count(level: level + 1, size: frontier.size) - 1)
            filled.append(FullTile(id: id, root: root, hashes: partial[level]))
            partial[level].removeAll(keepingCapacity: true)
            if level + 1 < TileID.levels { partial[level + 1].append(root) }
        }
    }

    /// Appends leaves, given by their hashes.
    ///
    /// - Returns: The tiles they fill, each after the tiles whose roots are its hashes.
    package mutating func append(_ leaves: some Sequence<MerkleHash>) -> [FullTile] {
        var filled: [FullTile] = []
        for leaf in leaves { append(leaf, filling: &filled) }
        return filled
    }

    /// The frontier of the tree with these partial tiles.
    private static func frontier(size: Int64, partial: [[MerkleHash]]) -> MerkleFrontier? {
        var hashes: [MerkleHash] = []
        for level in (0..<TileID.levels).reversed() {
            let tile = partial[level]
            guard tile.count == partialRange(level: level, size: size).count else { return nil }
            // The complete subtrees within a tile are those of a small tree over its hashes.
            var within = MerkleFrontier()
            for hash in tile { within.append(hash) }
            hashes += within.hashes
        }
        return MerkleFrontier(size: size, hashes: hashes)
    }
}
