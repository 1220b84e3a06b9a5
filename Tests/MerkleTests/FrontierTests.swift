import DaybookTestKit
import Merkle
import Testing

@Suite("The frontier and the tiles it fills")
struct FrontierTests {
    @Test("The roots of the known tree")
    func knownRoots() {
        var frontier = MerkleFrontier()
        for (size, leaf) in KnownTree.leaves.enumerated() {
            #expect(frontier.size == Int64(size))
            #expect(frontier.root.hexadecimal == KnownTree.roots[size])
            frontier.append(MerkleHash(leaf: leaf))
        }
        #expect(frontier.root.hexadecimal == KnownTree.roots[8])
    }

    @Test("At every size the root equals that of the recursion, and the stored form gives the same frontier")
    func everySize() throws {
        let tree = ReferenceTree.numbered(300)
        var frontier = MerkleFrontier()
        for size in 0...300 {
            #expect(frontier.root == tree.root(size))
            #expect(frontier.bytes.count == size.nonzeroBitCount * 32)
            #expect(MerkleFrontier(size: Int64(size), bytes: frontier.bytes) == frontier)
            if size > 0 {
                let largest = 1 << (Int.bitWidth - 1 - size.leadingZeroBitCount)
                #expect(Array(frontier.bytes.prefix(32)) == tree.root(largest).bytes)
            }
            if size < 300 { frontier.append(tree.leaves[size]) }
        }
    }

    @Test("Bytes that are not the stored form of a frontier are refused")
    func malformedFrontier() {
        #expect(MerkleFrontier(size: 3, bytes: [UInt8](repeating: 1, count: 32)) == nil)
        #expect(MerkleFrontier(size: 3, bytes: [UInt8](repeating: 1, count: 63)) == nil)
        #expect(MerkleFrontier(size: 3, bytes: [UInt8](repeating: 1, count: 64)) != nil)
        #expect(MerkleFrontier(size: 0, bytes: [UInt8](repeating: 1, count: 32)) == nil)
        #expect(MerkleFrontier(size: -1, bytes: []) == nil)
    }

    @Test("Tiles hold the leaves, then the roots of the tiles below, each once and in order")
    func tiles() throws {
        let tree = ReferenceTree.numbered(256 * 256 + 256 + 3)
        var filler = TileFiller()
        let tiles = filler.append(tree.leaves)
        let ids = tiles.map(\.id)
        #expect(ids.filter { $0.level == 0 }.map(\.index) == Array(0...256))
        #expect(ids.filter { $0.level != 0 } == [TileID(level: 1, index: 0)])
        #expect(ids.firstIndex(of: TileID(level: 1, index: 0)) == 256)
        for tile in tiles where tile.id.level == 0 {
            let first = Int(tile.id.index) * 256
            #expect(tile.hashes == Array(tree.leaves[first..<first + 256]))
        }
        let upper = try #require(tiles.first { $0.id.level == 1 })
        #expect(upper.hashes == tiles.filter { $0.id.level == 0 }.prefix(256).map(\.root))
        for tile in tiles { #expect(tile.root == ReferenceTree.root(tile.hashes[...])) }
        #expect(filler.partial.map(\.count) == [3, 1, 1, 0, 0, 0, 0, 0])
        #expect(filler.partial[0] == Array(tree.leaves.suffix(3)))
    }

    @Test("A filler restored from stored data continues like the original")
    func resumed() throws {
        var random = SeededGenerator.forTest()
        let tree = ReferenceTree.numbered(3000)
        var whole = TileFiller()
        let expected = whole.append(tree.leaves)
        var filler = TileFiller()
        var tiles: [FullTile] = []
        while filler.frontier.size < 3000 {
            let start = Int(filler.frontier.size)
            let end = min(start + Int.random(in: 1...500, using: &random), 3000)
            tiles += filler.append(tree.leaves[start..<end])
            // As an appender loads it: leaves after the last full tile, and roots of full tiles of the level below.
            let partial = (0..<TileID.levels).map { level in
                let range = TileFiller.partialRange(level: level, size: filler.frontier.size)
                return range.map { index in
                    level == 0
                        ? tree.leaves[Int(index)]
                        : tiles.first { $0.id == TileID(level: level - 1, index: index) }?.root ?? .empty
                }
            }
            let frontier = try #require(MerkleFrontier(size: filler.frontier.size, bytes: filler.frontier.bytes))
            filler = try #require(TileFiller(frontier: frontier, partial: partial))
        }
        #expect(tiles == expected)
        #expect(filler == whole)
    }

    @Test("Partial tiles that do not give the frontier are refused")
    func contradiction() throws {
        var filler = TileFiller()
        _ = filler.append(ReferenceTree.numbered(300).leaves)
        var partial = filler.partial
        #expect(TileFiller(frontier: filler.frontier, partial: partial) == filler)
        partial[0].swapAt(0, 1)
        #expect(TileFiller(frontier: filler.frontier, partial: partial) == nil)
        partial[0].swapAt(0, 1)
        partial[0].removeLast()
        #expect(TileFiller(frontier: filler.frontier, partial: partial) == nil)
        #expect(TileFiller(frontier: filler.frontier, partial: []) == nil)
    }

    @Test("Base64 and hexadecimal text of a hash")
    func text() {
        let hash = MerkleHash.empty
        #expect(hash.hexadecimal == KnownTree.roots[0])
        #expect(hash.base64 == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        #expect(MerkleHash(base64: hash.base64) == hash)
        #expect(MerkleHash(bytes: hash.bytes) == hash)
        for text in ["", "47DE", hash.base64.dropLast() + "", hash.base64 + "\n", hash.base64.dropLast(2) + "V="] {
            #expect(MerkleHash(base64: text) == nil, "\(text)")
        }
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            #expect(Base64.text(Array(bytes.utf8)) == text)
            #expect(Base64.bytes(text) == Array(bytes.utf8))
        }
        for text in ["Zg=", "Zg", "Zh==", "Z===", "====", "Zm9v=", "Zm 9", "Zm-_"] {
            #expect(Base64.bytes(text) == nil, "\(text)")
        }
    }
}
