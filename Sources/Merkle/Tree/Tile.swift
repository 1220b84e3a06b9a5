/// The hashes of a tile, from its first; fewer than 256 while it is partial.
package struct Tile: Sendable {
    /// The hashes, then the roots over each two of them, over each four, and so on, as far as they are computed.
    private var levels: [[MerkleHash]]

    package init(_ hashes: [MerkleHash]) {
        levels = [hashes]
    }

    package var hashes: [MerkleHash] { levels[0] }

    /// The same tile with the roots of all complete subtrees within it, which takes twice the memory: a proof then
    /// computes none of them.
    package func withRoots() -> Tile {
        var tile = Tile(hashes)
        var below = hashes
        while tile.levels.count < TileID.height, below.count >= 2 {
            below = (0..<below.count / 2).map { MerkleHash(left: below[2 * $0], right: below[2 * $0 + 1]) }
            tile.levels.append(below)
        }
        return tile
    }

    /// The root over a complete subtree's hashes; nil when some of them are missing.
    func root(over range: Range<Int>) -> MerkleHash? {
        guard range.upperBound <= hashes.count else { return nil }
        let height = range.count.trailingZeroBitCount
        return height < levels.count ? levels[height][range.lowerBound >> height] : Subtree.root(hashes[range])
    }
}
