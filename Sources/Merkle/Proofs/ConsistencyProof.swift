/// The proof that a tree begins with another (RFC 6962, section 2.1.2): nothing in the first one was changed.
package struct ConsistencyProof: Sendable, Hashable {
    /// How many leaves the first tree has.
    package var first: Int64
    /// How many leaves the second tree has.
    package var second: Int64
    /// The nodes from which both roots are computed. Empty when the sizes are equal or the first tree is empty.
    package var hashes: [MerkleHash]

    package init(first: Int64, second: Int64, hashes: [MerkleHash]) {
        self.first = first
        self.second = second
        self.hashes = hashes
    }

    /// True when the tree with `secondRoot` begins with the one with `firstRoot`.
    package func verifies(firstRoot: MerkleHash, secondRoot: MerkleHash) -> Bool {
        guard first >= 0, first <= second else { return false }
        if first == second { return hashes.isEmpty && firstRoot == secondRoot && (first > 0 || firstRoot == .empty) }
        if first == 0 { return hashes.isEmpty && firstRoot == .empty }

        var path = hashes[...]
        var (node, last) = (first - 1, second - 1)
        let complete = Int64((~node).trailingZeroBitCount)
        node >>= complete
        last >>= complete
        // If the first tree is a complete subtree of the second, its root is known and not part of the proof.
        guard let start = node == 0 ? firstRoot : path.popFirst() else { return false }
        var roots = (first: start, second: start)
        for hash in path {
            guard last > 0 else { return false }
            if node & 1 == 1 || node == last {
                roots.first = MerkleHash(left: hash, right: roots.first)
                roots.second = MerkleHash(left: hash, right: roots.second)
                let levels = Int64(node.trailingZeroBitCount)
                node >>= levels
                last >>= levels
            } else {
                roots.second = MerkleHash(left: roots.second, right: hash)
            }
            node >>= 1
            last >>= 1
        }
        return last == 0 && roots.first == firstRoot && roots.second == secondRoot
    }
}
