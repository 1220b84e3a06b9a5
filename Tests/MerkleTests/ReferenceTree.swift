import Crypto
import Merkle

/// A literal implementation of RFC 6962, section 2.1: recursive and slow. The reference for the tree.
struct ReferenceTree {
    var leaves: [MerkleHash]

    func root(_ size: Int) -> MerkleHash { Self.root(leaves[..<size]) }

    /// MTH(D[n]).
    static func root(_ leaves: ArraySlice<MerkleHash>) -> MerkleHash {
        guard leaves.count > 1 else { return leaves.first ?? MerkleHash(SHA256.hash(data: [UInt8]())) }
        let split = leaves.startIndex + Self.split(leaves.count)
        return MerkleHash(left: root(leaves[..<split]), right: root(leaves[split...]))
    }

    /// PATH(m, D[n]).
    static func inclusion(_ index: Int, _ leaves: ArraySlice<MerkleHash>) -> [MerkleHash] {
        guard leaves.count > 1 else { return [] }
        let split = Self.split(leaves.count)
        let (left, right) = (leaves.prefix(split), leaves.dropFirst(split))
        return index < split
            ? inclusion(index, left) + [root(right)] : inclusion(index - split, right) + [root(left)]
    }

    /// PROOF(m, D[n]).
    static func consistency(_ first: Int, _ leaves: ArraySlice<MerkleHash>) -> [MerkleHash] {
        subproof(first, leaves, isComplete: true)
    }

    private static func subproof(_ first: Int, _ leaves: ArraySlice<MerkleHash>, isComplete: Bool) -> [MerkleHash] {
        if first == leaves.count { return isComplete ? [] : [root(leaves)] }
        let split = Self.split(leaves.count)
        let (left, right) = (leaves.prefix(split), leaves.dropFirst(split))
        return first <= split
            ? subproof(first, left, isComplete: isComplete) + [root(right)]
            : subproof(first - split, right, isComplete: false) + [root(left)]
    }

    /// The largest power of two below `count`.
    private static func split(_ count: Int) -> Int {
        var split = 1
        while split * 2 < count { split *= 2 }
        return split
    }

    /// Leaves with the bytes "0", "1", "2", ...
    static func numbered(_ count: Int) -> ReferenceTree {
        ReferenceTree(leaves: (0..<count).map { MerkleHash(leaf: Array("\($0)".utf8)) })
    }
}
