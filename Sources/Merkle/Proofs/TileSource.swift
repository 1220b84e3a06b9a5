/// A source of the tiles of a tree.
package protocol TileSource: Sendable {
    /// Reads tiles as they are in the tree of `size` leaves.
    ///
    /// - Returns: For every id at least its first `id.width(size:)` hashes, in order; fewer or none if they are
    ///   missing.
    /// - Throws: The errors of reading.
    func tiles(_ ids: [TileID], size: Int64) async throws -> [TileID: Tile]
}

/// Why a root or proof could not be computed.
package enum TreeReadError: Error, Hashable {
    /// No such tree, or no such leaf in it.
    case outOfRange
    /// The source does not have all hashes of this tile.
    case incompleteTile(TileID)
}

extension TileSource {
    /// The frontier of the tree of `size` leaves.
    ///
    /// - Throws: `TreeReadError`, and the errors of the source.
    package func frontier(size: Int64) async throws -> MerkleFrontier {
        guard size >= 0 else { throw TreeReadError.outOfRange }
        let subtrees = Subtree.covering(0, size)
        let hashes = try await roots(subtrees.map { [$0] }, size: size)
        guard let frontier = MerkleFrontier(size: size, hashes: hashes) else { throw TreeReadError.outOfRange }
        return frontier
    }

    /// The proof that the leaf at `index` is in the tree of `size` leaves. Reads at most two tiles of each level.
    ///
    /// - Parameters:
    ///   - index: 0..<size.
    ///   - size: At most the size of the tree the source has.
    /// - Throws: `TreeReadError`, and the errors of the source.
    package func inclusionProof(index: Int64, size: Int64) async throws -> InclusionProof {
        guard index >= 0, index < size else { throw TreeReadError.outOfRange }
        let hashes = try await roots(ProofPath.inclusion(index: index, size: size), size: size)
        return InclusionProof(index: index, size: size, hashes: hashes)
    }

    /// The proof that the tree of `second` leaves begins with the tree of `first` leaves. Reads at most two tiles of
    /// each level.
    ///
    /// - Parameters:
    ///   - first: 0...second.
    ///   - second: At most the size of the tree the source has.
    /// - Throws: `TreeReadError`, and the errors of the source.
    package func consistencyProof(from first: Int64, to second: Int64) async throws -> ConsistencyProof {
        guard first >= 0, first <= second else { throw TreeReadError.outOfRange }
        let hashes = try await roots(ProofPath.consistency(from: first, to: second), size: second)
        return ConsistencyProof(first: first, second: second, hashes: hashes)
    }

    /// The roots over runs of complete subtrees, each run from left to right.
    private func roots(_ runs: [[Subtree]], size: Int64) async throws -> [MerkleHash] {
        var ids: [TileID] = []
        for run in runs { for subtree in run where !ids.contains(subtree.tile) { ids.append(subtree.tile) } }
        let tiles = ids.isEmpty ? [:] : try await tiles(ids, size: size)
        return try runs.map { run in
            var root: MerkleHash?
            for subtree in run.reversed() {
                guard let hash = tiles[subtree.tile]?.root(over: subtree.hashes) else {
                    throw TreeReadError.incompleteTile(subtree.tile)
                }
                root = root.map { MerkleHash(left: hash, right: $0) } ?? hash
            }
            return root ?? .empty
        }
    }
}
