/// The proof that a leaf is in a tree (RFC 6962, section 2.1.1).
package struct InclusionProof: Sendable, Hashable {
    /// From 0.
    package var index: Int64
    /// How many leaves the tree has.
    package var size: Int64
    /// The nodes beside the path from the leaf to the root, from the leaf upwards.
    package var hashes: [MerkleHash]

    package init(index: Int64, size: Int64, hashes: [MerkleHash]) {
        self.index = index
        self.size = size
        self.hashes = hashes
    }

    /// The root of the tree that has this leaf at this index; nil when the proof is malformed.
    package func root(leaf: MerkleHash) -> MerkleHash? {
        guard index >= 0, index < size else { return nil }
        var (node, last) = (index, size - 1)
        var root = leaf
        for hash in hashes {
            guard last > 0 else { return nil }
            if node & 1 == 1 || node == last {
                root = MerkleHash(left: hash, right: root)
                // The last node of a level without a sibling moves up some levels unchanged.
                let levels = Int64(node.trailingZeroBitCount)
                node >>= levels
                last >>= levels
            } else {
                root = MerkleHash(left: root, right: hash)
            }
            node >>= 1
            last >>= 1
        }
        return last == 0 ? root : nil
    }

    /// True when the tree with this root has this leaf at this index.
    package func verifies(leaf: MerkleHash, root: MerkleHash) -> Bool { self.root(leaf: leaf) == root }
}
