import DaybookTestKit
import Merkle
import Testing

@Suite("Inclusion and consistency proofs")
struct ProofTests {
    private static let known = TreeTiles(KnownTree.leaves.map { MerkleHash(leaf: $0) })

    @Test(
        "The published inclusion proofs of the known tree",
        arguments: [
            (0, 1, []),
            (
                0, 8,
                [
                    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
                ]
            ),
            (
                5, 8,
                [
                    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                ]
            ),
            (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
            (
                1, 5,
                [
                    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                ]
            ),
        ] as [(Int, Int, [String])]
    )
    func publishedInclusion(index: Int, size: Int, hashes: [String]) async throws {
        let proof = try await Self.known.inclusionProof(index: Int64(index), size: Int64(size))
        #expect(proof.hashes.map(\.hexadecimal) == hashes)
        let leaf = MerkleHash(leaf: KnownTree.leaves[index])
        #expect(proof.root(leaf: leaf)?.hexadecimal == KnownTree.roots[size])
    }

    @Test(
        "The published consistency proofs of the known tree",
        arguments: [
            (1, 1, []),
            (
                1, 8,
                [
                    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
                ]
            ),
            (
                6, 8,
                [
                    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                ]
            ),
            (
                2, 5,
                [
                    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                ]
            ),
        ] as [(Int, Int, [String])]
    )
    func publishedConsistency(first: Int, second: Int, hashes: [String]) async throws {
        let proof = try await Self.known.consistencyProof(from: Int64(first), to: Int64(second))
        #expect(proof.hashes.map(\.hexadecimal) == hashes)
        let firstRoot = try #require(MerkleHash(bytes: KnownTree.bytes(KnownTree.roots[first])))
        let secondRoot = try #require(MerkleHash(bytes: KnownTree.bytes(KnownTree.roots[second])))
        #expect(proof.verifies(firstRoot: firstRoot, secondRoot: secondRoot))
    }

    @Test(
        "Every proof of every tree of up to 70 leaves equals that of the recursion, and is valid",
        arguments: [false, true]
    )
    func everySmallProof(haveRoots: Bool) async throws {
        let tree = ReferenceTree.numbered(70)
        let tiles = TreeTiles(tree.leaves, haveRoots: haveRoots)
        let roots = (0...70).map { tree.root($0) }
        for size in 0...70 {
            let leaves = tree.leaves[..<size]
            for index in 0..<size {
                let proof = try await tiles.inclusionProof(index: Int64(index), size: Int64(size))
                #expect(proof.hashes == ReferenceTree.inclusion(index, leaves))
                #expect(proof.verifies(leaf: tree.leaves[index], root: roots[size]))
            }
            for first in 0...size {
                let proof = try await tiles.consistencyProof(from: Int64(first), to: Int64(size))
                #expect(proof.hashes == (first == 0 ? [] : ReferenceTree.consistency(first, leaves)))
                #expect(proof.verifies(firstRoot: roots[first], secondRoot: roots[size]))
            }
        }
    }

    @Test(
        "Some proofs of every tree of up to 300 leaves equal those of the recursion, and are valid",
        arguments: [false, true]
    )
    func someProofsOfEverySize(haveRoots: Bool) async throws {
        var random = SeededGenerator.forTest()
        let tree = ReferenceTree.numbered(300)
        let tiles = TreeTiles(tree.leaves, haveRoots: haveRoots)
        for size in 71...300 {
            let (leaves, root) = (tree.leaves[..<size], tree.root(size))
            for _ in 0..<3 {
                let index = Int.random(in: 0..<size, using: &random)
                let inclusion = try await tiles.inclusionProof(index: Int64(index), size: Int64(size))
                #expect(inclusion.hashes == ReferenceTree.inclusion(index, leaves))
                #expect(inclusion.verifies(leaf: leaves[index], root: root))
                let consistency = try await tiles.consistencyProof(from: Int64(index + 1), to: Int64(size))
                #expect(consistency.hashes == ReferenceTree.consistency(index + 1, leaves))
                #expect(consistency.verifies(firstRoot: tree.root(index + 1), secondRoot: root))
            }
        }
    }

    @Test(
        "Proofs around full tiles are right and valid",
        arguments: [255, 256, 257, 300, 511, 512, 513],
        [false, true]
    )
    func proofsAroundTiles(size: Int, haveRoots: Bool) async throws {
        let tree = ReferenceTree.numbered(size)
        let tiles = TreeTiles(tree.leaves, haveRoots: haveRoots)
        let root = tree.root(size)
        for place in Set([0, 1, 2, 127, 128, 254, 255, 256, 257, 299, 510, 511, 512, size - 1]) where place < size {
            let inclusion = try await tiles.inclusionProof(index: Int64(place), size: Int64(size))
            #expect(inclusion.hashes == ReferenceTree.inclusion(place, tree.leaves[...]))
            #expect(inclusion.verifies(leaf: tree.leaves[place], root: root))
            let consistency = try await tiles.consistencyProof(from: Int64(place + 1), to: Int64(size))
            #expect(consistency.hashes == ReferenceTree.consistency(place + 1, tree.leaves[...]))
            #expect(consistency.verifies(firstRoot: tree.root(place + 1), secondRoot: root))
        }
    }

    @Test("Proofs of trees of any size are valid, and read at most two tiles per level")
    func largeTrees() async throws {
        var random = SeededGenerator.forTest()
        let tiles = UniformTiles()
        for _ in 0..<200 {
            let size = Int64.random(in: 1...(.max >> Int64.random(in: 0...62, using: &random)), using: &random)
            let index = Int64.random(in: 0..<size, using: &random)
            let root = UniformTiles.root(size: size)
            let inclusion = try await tiles.inclusionProof(index: index, size: size)
            #expect(inclusion.verifies(leaf: UniformTiles.leaf, root: root), "\(index) in \(size)")
            let consistency = try await tiles.consistencyProof(from: index, to: size)
            let first = UniformTiles.root(size: index)
            #expect(consistency.verifies(firstRoot: first, secondRoot: root), "\(index) to \(size)")
            #expect(try await tiles.frontier(size: size).root == root)
        }
        let tree = ReferenceTree.numbered(70_000)
        let counting = TreeTiles(tree.leaves)
        _ = try await counting.inclusionProof(index: 33_333, size: 70_000)
        let reads = counting.takeReads()
        #expect(Set(reads).count == reads.count)
        for level in 0..<3 { #expect(reads.filter { $0.level == level }.count <= 2) }
        _ = try await counting.consistencyProof(from: 33_333, to: 70_000)
        for level in 0..<3 { #expect(counting.takeReads().filter { $0.level == level }.count <= 2) }
        #expect(try await counting.frontier(size: 70_000).root == ReferenceTree.root(tree.leaves[...]))
    }

    @Test("A proof with any change is invalid")
    func forged() async throws {
        let tree = ReferenceTree.numbered(300)
        let tiles = TreeTiles(tree.leaves)
        let other = MerkleHash(leaf: Array("other".utf8))
        for (index, size) in [(0, 300), (299, 300), (137, 300), (255, 256), (6, 7), (0, 2)] {
            let root = tree.root(size)
            let leaf = tree.leaves[index]
            let proof = try await tiles.inclusionProof(index: Int64(index), size: Int64(size))
            for forgery in forgeries(proof.hashes, other) {
                #expect(
                    !InclusionProof(index: proof.index, size: proof.size, hashes: forgery)
                        .verifies(leaf: leaf, root: root)
                )
            }
            #expect(!proof.verifies(leaf: other, root: root))
            #expect(!proof.verifies(leaf: leaf, root: other))
            for elsewhere in [-1, index + 1, size, size + 7] where elsewhere != index {
                #expect(
                    !InclusionProof(index: Int64(elsewhere), size: proof.size, hashes: proof.hashes)
                        .verifies(leaf: leaf, root: root)
                )
            }
            #expect(!InclusionProof(index: proof.index, size: 0, hashes: proof.hashes).verifies(leaf: leaf, root: root))
        }
        for (first, second) in [(1, 300), (128, 300), (137, 300), (299, 300), (256, 300), (6, 7), (4, 8)] {
            let roots = (tree.root(first), tree.root(second))
            let proof = try await tiles.consistencyProof(from: Int64(first), to: Int64(second))
            func holds(_ first: Int64, _ second: Int64, _ hashes: [MerkleHash]) -> Bool {
                ConsistencyProof(first: first, second: second, hashes: hashes)
                    .verifies(firstRoot: roots.0, secondRoot: roots.1)
            }
            #expect(holds(proof.first, proof.second, proof.hashes))
            for forgery in forgeries(proof.hashes, other) { #expect(!holds(proof.first, proof.second, forgery)) }
            #expect(!holds(proof.second, proof.first, proof.hashes))
            #expect(!holds(0, proof.second, proof.hashes))
            #expect(!holds(0, proof.second, []))
            #expect(!holds(-1, proof.second, proof.hashes))
            #expect(!holds(proof.first, proof.first, []))
            #expect(!proof.verifies(firstRoot: other, secondRoot: roots.1))
            #expect(!proof.verifies(firstRoot: roots.0, secondRoot: other))
        }
        #expect(ConsistencyProof(first: 0, second: 5, hashes: []).verifies(firstRoot: .empty, secondRoot: other))
        #expect(!ConsistencyProof(first: 0, second: 5, hashes: []).verifies(firstRoot: other, secondRoot: other))
        #expect(!ConsistencyProof(first: 0, second: 0, hashes: []).verifies(firstRoot: other, secondRoot: other))
        #expect(!InclusionProof(index: 0, size: 0, hashes: []).verifies(leaf: .empty, root: .empty))
    }

    @Test("Missing data is reported, not invented")
    func missing() async throws {
        let tiles = TreeTiles(ReferenceTree.numbered(300).leaves)
        await #expect(throws: TreeReadError.incompleteTile(TileID(level: 0, index: 1))) {
            try await tiles.inclusionProof(index: 299, size: 400)
        }
        for (index, size) in [(-1, 5), (5, 5), (0, 0)] {
            await #expect(throws: TreeReadError.outOfRange) {
                try await tiles.inclusionProof(index: Int64(index), size: Int64(size))
            }
        }
        await #expect(throws: TreeReadError.outOfRange) { try await tiles.consistencyProof(from: 6, to: 5) }
        await #expect(throws: TreeReadError.outOfRange) { try await tiles.consistencyProof(from: -1, to: 5) }
        await #expect(throws: TreeReadError.outOfRange) { try await tiles.frontier(size: -1) }
    }

    /// Proofs that differ from `hashes` by one step.
    private func forgeries(_ hashes: [MerkleHash], _ other: MerkleHash) -> [[MerkleHash]] {
        var forgeries = [hashes + [other], [other] + hashes, hashes + [.empty]]
        for place in hashes.indices {
            var forgery = hashes
            forgery[place] = other
            forgeries.append(forgery)
            forgery.remove(at: place)
            forgeries.append(forgery)
        }
        if hashes.count > 1 { forgeries.append(hashes.reversed()) }
        return forgeries
    }
}
