/// The right edge of a tree: the roots of its largest complete subtrees. With it leaves are appended and the root is
/// computed without reading the tree.
package struct MerkleFrontier: Sendable, Hashable {
    /// How many leaves the tree has.
    package private(set) var size: Int64
    /// The roots, the largest subtree first: one for each bit set in `size`.
    package private(set) var hashes: [MerkleHash]

    /// The frontier of the empty tree.
    package init() {
        size = 0
        hashes = []
        hashes.reserveCapacity(64)
    }

    /// - Returns: Nil when `size` is negative or does not have that many complete subtrees.
    package init?(size: Int64, hashes: [MerkleHash]) {
        guard size >= 0, size.nonzeroBitCount == hashes.count else { return nil }
        self.size = size
        self.hashes = hashes
    }

    /// Reads the stored form; nil when it is not that of a tree of this size.
    package init?(size: Int64, bytes: [UInt8]) {
        guard let hashes = [MerkleHash](concatenated: bytes) else { return nil }
        self.init(size: size, hashes: hashes)
    }

    /// The stored form: 32 bytes for each hash, the largest subtree first; nothing for the empty tree.
    package var bytes: [UInt8] { hashes.concatenated }

    /// The tree's root.
    package var root: MerkleHash {
        guard var root = hashes.last else { return .empty }
        for hash in hashes.dropLast().reversed() { root = MerkleHash(left: hash, right: root) }
        return root
    }

    /// Appends a leaf, given by its hash.
    package mutating func append(_ leaf: MerkleHash) {
        append(leaf) { _, _ in }
    }

    /// Appends a leaf, and reports the root of every complete subtree of more than one leaf that it completes.
    ///
    /// - Parameter completed: Called with the subtree's height (it has 2^height leaves) and root, the lowest first.
    @inline(__always)
    mutating func append(_ leaf: MerkleHash, completed: (Int, MerkleHash) -> Void) {
        var node = leaf
        for height in 0..<size.trailingOneBitCount {
            node = MerkleHash(left: hashes.removeLast(), right: node)
            completed(height + 1, node)
        }
        hashes.append(node)
        size += 1
    }
}

extension Int64 {
    fileprivate var trailingOneBitCount: Int { (~self).trailingZeroBitCount }
}
