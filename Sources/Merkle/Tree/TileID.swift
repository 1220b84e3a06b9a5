/// The identity of a tile: 256 consecutive hashes at one of every eighth level of the tree, as in C2SP `tlog-tiles`.
///
/// The hashes of a level-0 tile are leaf hashes; those of a level-1 tile are the roots of full level-0 tiles, and so
/// on.
package struct TileID: Sendable, Hashable {
    /// How many hashes a full tile has.
    package static let width = 256
    /// The height of a full tile's root above its hashes.
    package static let height = 8
    /// Levels of a tree of up to 2^63 - 1 leaves.
    package static let levels = 8

    /// 0..<8.
    package var level: Int
    /// From 0, from left to right.
    package var index: Int64

    package init(level: Int, index: Int64) {
        self.level = level
        self.index = index
    }

    /// The number of hashes of a level, in full tiles and in the unfilled one, in a tree of `size` leaves.
    package static func count(level: Int, size: Int64) -> Int64 { size >> Int64(height * level) }

    /// The number of hashes of this tile in a tree of `size` leaves: 0...256.
    package func width(size: Int64) -> Int {
        let before = index.multipliedReportingOverflow(by: Int64(Self.width))
        guard index >= 0, (0..<Self.levels).contains(level), !before.overflow else { return 0 }
        return Int(min(max(Self.count(level: level, size: size) - before.partialValue, 0), Int64(Self.width)))
    }
}

/// A tile with all of its 256 hashes. It never changes.
package struct FullTile: Sendable, Hashable {
    package var id: TileID
    /// The root over the hashes; a hash of the tile one level up.
    package var root: MerkleHash
    package var hashes: [MerkleHash]

    /// The hashes one after another, 8192 bytes.
    package var bytes: [UInt8] { hashes.concatenated }
}
