import Merkle
import Testing

@testable import Audit

/// The tree over the lines compared with what is stored.
@Suite struct TreeAuditorTests {
    /// A log of leaves, with its tiles and the roots for some sizes, as stored.
    private struct Stored {
        var leaves: [MerkleHash]
        var tiles: [StoredTile] = []
        var attestations: [Attestation] = []
        var frontier = MerkleFrontier()

        init(count: Int, attested: Set<Int>) {
            leaves = (0..<count).map { MerkleHash(leaf: Array("\($0)".utf8)) }
            var tree = TileFiller()
            var filled: [FullTile] = []
            for (index, leaf) in leaves.enumerated() {
                tree.append(leaf, filling: &filled)
                if attested.contains(index + 1) {
                    let root = tree.frontier.root
                    attestations.append(Attestation(size: Int64(index + 1), root: root, source: .stored))
                }
            }
            tiles = filled.map { StoredTile(id: $0.id, root: $0.root, hashes: $0.hashes) }
            frontier = tree.frontier
        }

        /// - Parameter lines: The leaves of the lines; nil for a missing line.
        func audit(lines: [MerkleHash?]) -> TreeAuditor {
            var auditor = TreeAuditor()
            var due = attestations
            func close() {
                let size = auditor.size
                let tiles = tiles.filter { TreeAuditor.tiles(filledAt: size).contains($0.id) }
                let passed = due.filter { $0.size <= size }
                due.removeAll { $0.size <= size }
                auditor.close(tiles: auditor.isTileFull ? tiles : nil, attestations: passed)
            }
            for (index, line) in lines.enumerated() {
                auditor.add(computed: line, stored: line == nil ? nil : leaves[index])
                if auditor.isTileFull { close() }
            }
            close()
            auditor.judge(head: frontier.bytes)
            return auditor
        }
    }

    @Test func aSoundTreeHasNoFault() {
        let stored = Stored(count: 700, attested: [1, 255, 256, 257, 512, 700])
        let auditor = stored.audit(lines: stored.leaves)
        #expect(auditor.faults.isEmpty && auditor.root == stored.frontier.root && auditor.unjudged == 0)
    }

    @Test func oneChangedLineIsOneFaultHoweverManyRootsFollow() {
        let stored = Stored(count: 700, attested: Set(1...700))
        for position in [1, 200, 256, 600, 700] {
            var lines: [MerkleHash?] = stored.leaves
            lines[position - 1] = MerkleHash(leaf: Array("forged".utf8))
            let faults = stored.audit(lines: lines).faults.faults
            #expect(faults.map(\.position) == [Int64(position)] && faults.map(\.kind) == [.record], "\(faults)")
        }
    }

    @Test func aMissingLineIsReplacedByItsTile() {
        let stored = Stored(count: 700, attested: [300, 600])
        var lines: [MerkleHash?] = stored.leaves
        lines[99] = nil
        let vouched = stored.audit(lines: lines)
        #expect(vouched.faults.isEmpty && vouched.unjudged == 0 && vouched.root == nil)
        // After the last full tile no tile confirms the leaf.
        lines[550] = nil
        let unknown = stored.audit(lines: lines)
        #expect(unknown.faults.isEmpty && unknown.unjudged == 1)
    }

    @Test func everyLevelIsCompared() {
        let stored = Stored(count: 256 * 256 + 3, attested: [65_536])
        #expect(stored.tiles.count == 257)
        #expect(stored.audit(lines: stored.leaves).faults.isEmpty)
        let forged = MerkleHash(leaf: Array("forged".utf8))

        var changed = stored
        let top = changed.tiles.count - 1
        changed.tiles[top].hashes?[7] = forged
        #expect(changed.audit(lines: stored.leaves).faults.faults.map(\.position) == [7 * 256 + 1])
        changed = stored
        changed.tiles[top].root = forged
        #expect(changed.audit(lines: stored.leaves).faults.faults.map(\.kind) == [.tile])
        changed = stored
        changed.tiles.remove(at: 3)
        #expect(changed.audit(lines: stored.leaves).faults.faults.map(\.position) == [3 * 256 + 1])
    }

    @Test func aHeadThatDiffersNamesTheEventsBelowIt() {
        var stored = Stored(count: 7, attested: [])
        var hashes = stored.frontier.hashes
        hashes[1] = MerkleHash(leaf: Array("forged".utf8))
        stored.frontier = MerkleFrontier(size: 7, hashes: hashes) ?? MerkleFrontier()
        let faults = stored.audit(lines: stored.leaves).faults.faults
        #expect(faults.map(\.position) == [5] && faults.map(\.kind) == [.head])
    }
}
