/// A complete subtree: the 2^height leaves from index * 2^height on.
struct Subtree: Hashable {
    var height: Int
    var index: Int64

    /// The tile with the hashes from which this subtree's root is computed, at most 128 of them.
    var tile: TileID {
        let level = height / TileID.height
        return TileID(level: level, index: index >> Int64(TileID.height * (level + 1) - height))
    }

    /// The range of those hashes in the tile.
    var hashes: Range<Int> {
        let count = 1 << (height % TileID.height)
        let first = Int(index & Int64(TileID.width / count - 1)) * count
        return first..<first + count
    }

    /// The largest complete subtrees that make up the leaves `start..<end`, from left to right.
    static func covering(_ start: Int64, _ end: Int64) -> [Subtree] {
        var subtrees: [Subtree] = []
        var start = start
        while start < end {
            let fitting = Int64.bitWidth - 1 - (end - start).leadingZeroBitCount
            let height = start == 0 ? fitting : min(fitting, start.trailingZeroBitCount)
            subtrees.append(Subtree(height: height, index: start >> Int64(height)))
            start += 1 << Int64(height)
        }
        return subtrees
    }

    /// The root over a power of two of hashes.
    static func root(_ hashes: ArraySlice<MerkleHash>) -> MerkleHash {
        var level = Array(hashes)
        while level.count > 1 {
            for pair in 0..<level.count / 2 {
                level[pair] = MerkleHash(left: level[2 * pair], right: level[2 * pair + 1])
            }
            level.removeLast(level.count / 2)
        }
        return level[0]
    }
}

/// The nodes of a proof in its order, each as the run of complete subtrees whose root it is.
enum ProofPath {
    /// PATH(index, D[size]) of RFC 6962, section 2.1.1, from the leaf upwards.
    static func inclusion(index: Int64, size: Int64) -> [[Subtree]] {
        var (start, end) = (0 as Int64, size)
        var path: [[Subtree]] = []
        while end - start > 1 {
            let middle = start + split(end - start)
            if index < middle {
                path.append(Subtree.covering(middle, end))
                end = middle
            } else {
                path.append(Subtree.covering(start, middle))
                start = middle
            }
        }
        return path.reversed()
    }

    /// PROOF(first, D[second]) of RFC 6962, section 2.1.2; empty for trees that need no proof.
    static func consistency(from first: Int64, to second: Int64) -> [[Subtree]] {
        guard first > 0, first < second else { return [] }
        var (start, end) = (0 as Int64, second)
        var path: [[Subtree]] = []
        while first < end {
            let middle = start + split(end - start)
            if first <= middle {
                path.append(Subtree.covering(middle, end))
                end = middle
            } else {
                path.append(Subtree.covering(start, middle))
                start = middle
            }
        }
        // The verifier knows the first tree's root; any other subtree's root must be part of the proof.
        if start > 0 { path.append(Subtree.covering(start, end)) }
        return path.reversed()
    }

    /// The largest power of two below `count`, which is at least 2.
    private static func split(_ count: Int64) -> Int64 {
        1 << Int64(Int64.bitWidth - 1 - (count - 1).leadingZeroBitCount)
    }
}
