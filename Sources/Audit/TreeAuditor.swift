import Canonical
package import Merkle

/// A statement about the log: its first `size` record lines have this root.
package struct Attestation: Sendable, Hashable {
    package enum Source: String, Sendable, Hashable {
        /// A row of `ledger.checkpoints`.
        case stored = "the stored checkpoint"
        /// A checkpoint in the witness file.
        case witnessed = "the witnessed checkpoint"
        /// A checkpoint given by the caller.
        case given = "the checkpoint"
    }

    package var size: Int64
    package var root: MerkleHash
    package var source: Source

    package init(size: Int64, root: MerkleHash, source: Source) {
        self.size = size
        self.root = root
        self.source = source
    }
}

/// A stored tile. A part with a wrong length is nil.
struct StoredTile: Sendable, Hashable {
    var id: TileID
    var root: MerkleHash?
    var hashes: [MerkleHash]?
}

/// Rebuilds the tree over the record lines and compares it with what is stored. Pure.
///
/// One wrong event would make every later root wrong. So from the first difference on, a second tree is built from the
/// hashes that the stored leaves and tiles confirm: anything that agrees with that tree is not a further fault.
struct TreeAuditor: Sendable {
    private(set) var faults = FaultLog()
    /// Attestations that could not be judged, because leaves before them are unknown.
    private(set) var unjudged = 0
    /// The tree over the lines; nil once a line is missing.
    private var lines: TileFiller? = TileFiller()
    /// The tree over the confirmed hashes, once it differs; nil once a leaf is unknown.
    private var vouched: TileFiller?
    private var hasDiffered = false
    /// The leaves of the tile being filled: computed from the lines, and as stored with the events.
    private var computed: [MerkleHash?] = []
    private var columns: [MerkleHash?] = []
    /// Whether the tile being filled is from an archive, where no leaf is stored with an event.
    private var isArchived = false
    private(set) var closed: Int64 = 0

    init() {
        computed.reserveCapacity(TileID.width)
        columns.reserveCapacity(TileID.width)
    }

    var size: Int64 { closed + Int64(computed.count) }
    var isTileFull: Bool { computed.count == TileID.width }

    /// The root of the tree over the lines; nil when one is missing.
    var root: MerkleHash? { lines?.frontier.root }

    /// Adds the next leaf.
    ///
    /// - Parameters:
    ///   - computed: The leaf of the line; nil when the line is missing or has no leaf.
    ///   - stored: The leaf stored with the event; nil when that is not a hash.
    mutating func add(computed leaf: MerkleHash?, stored: MerkleHash?) {
        computed.append(leaf)
        columns.append(stored)
    }

    /// Adds the next leaf of an archived event: only the tile states what it must be.
    mutating func add(archived leaf: MerkleHash?) {
        isArchived = true
        add(computed: leaf, stored: nil)
    }

    /// Abandons both trees, because the gap is too large to add leaf by leaf: no later leaf is known.
    mutating func abandon() {
        lines = nil
        vouched = nil
        hasDiffered = true
    }

    /// The tiles that are full when the tree has `size` leaves but were not one leaf before.
    static func tiles(filledAt size: Int64) -> [TileID] {
        var ids: [TileID] = []
        var count = size
        while ids.count < TileID.levels, count > 0, count.isMultiple(of: Int64(TileID.width)) {
            count /= Int64(TileID.width)
            ids.append(TileID(level: ids.count, index: count - 1))
        }
        return ids
    }

    /// Judges the leaves added since the last call.
    ///
    /// - Parameters:
    ///   - tiles: The stored tiles of `tiles(filledAt: size)`; nil when the tile is not full yet.
    ///   - attestations: Those about the sizes since the last call, by size.
    mutating func close(tiles: [StoredTile]?, attestations: [Attestation]) {
        let entries = tiles.flatMap { tiles in tiles.first { $0.id.level == 0 }?.hashes }
        var filled: [FullTile] = []
        var filledVouched: [FullTile] = []
        var due = attestations[...]
        for index in computed.indices {
            closed += 1
            let leaf = computed[index]
            let entry = entries?[index]
            let vouchedFor = vouch(leaf, column: isArchived ? entry : columns[index], entry: entry, at: closed)
            if !hasDiffered, vouchedFor != leaf {
                hasDiffered = true
                vouched = lines
            }
            if let leaf { lines?.append(leaf, filling: &filled) } else { lines = nil }
            if hasDiffered {
                if let vouchedFor { vouched?.append(vouchedFor, filling: &filledVouched) } else { vouched = nil }
            }
            while let next = due.first, next.size <= closed {
                judge(next)
                due.removeFirst()
            }
        }
        computed.removeAll(keepingCapacity: true)
        columns.removeAll(keepingCapacity: true)
        isArchived = false
        guard let tiles else { return }
        for id in Self.tiles(filledAt: closed) {
            guard let tile = tiles.first(where: { $0.id == id }) else {
                faults.add(.tile, at: id.firstPosition, "tile \(id.level)/\(id.index) is missing")
                continue
            }
            let expected = [filled, filledVouched].compactMap { $0.first { $0.id == id } }
            compare(tile, with: expected)
        }
    }

    /// Selects the leaf for judging the rest of the tree, from up to three candidates.
    private mutating func vouch(
        _ leaf: MerkleHash?,
        column: MerkleHash?,
        entry: MerkleHash?,
        at position: Int64
    ) -> MerkleHash? {
        guard let leaf else { return entry ?? column }
        if leaf == column { return leaf }
        if let entry {
            if entry == leaf {
                faults.add(.leaf, at: position, "the leaf stored beside the event is not the event's")
                return leaf
            }
            let confirmed = entry == column ? ", which the tile confirms" : ""
            faults.add(.record, at: position, "the event does not give the leaf stored for it\(confirmed)")
        } else {
            faults.add(.record, at: position, "the event and the leaf stored beside it do not belong together")
        }
        return column ?? entry
    }

    private mutating func judge(_ attestation: Attestation) {
        if let lines, lines.frontier.root == attestation.root { return }
        if let vouched, vouched.frontier.root == attestation.root { return }
        guard lines != nil || vouched != nil else {
            unjudged += 1
            return
        }
        faults.add(
            .root,
            at: attestation.size,
            "\(attestation.source.rawValue) of \(attestation.size, "event") states another root than they give"
        )
    }

    private mutating func compare(_ tile: StoredTile, with expected: [FullTile]) {
        let name = "tile \(tile.id.level)/\(tile.id.index)"
        guard let hashes = tile.hashes else {
            return faults.add(.tile, at: tile.id.firstPosition, "\(name) does not have 256 hashes")
        }
        guard !expected.isEmpty else { return }
        let span = tile.id.positionsPerHash
        for (index, hash) in hashes.enumerated() where !expected.contains(where: { $0.hashes[index] == hash }) {
            let position = tile.id.firstPosition + Int64(index) * span
            faults.add(.tile, at: position, "hash \(index) of \(name) is not the one the log gives")
        }
        guard let root = tile.root, expected.contains(where: { $0.root == root }) else {
            return faults.add(.tile, at: tile.id.firstPosition, "the root of \(name) is not the one the log gives")
        }
    }

    /// Compares the frontier stored in the head with the tree's, after the last leaf has been judged.
    mutating func judge(head bytes: [UInt8]) {
        let expected = [lines, vouched].compactMap { $0?.frontier }
        if expected.isEmpty || expected.contains(where: { $0.bytes == bytes }) { return }
        guard let stored = MerkleFrontier(size: closed, bytes: bytes) else {
            return faults.add(.head, at: closed, "the head's frontier is not that of a log of \(closed, "event")")
        }
        var first: Int64 = 1
        var height = 63
        for index in stored.hashes.indices {
            // The sizes of the subtrees are the set bits of the size.
            repeat { height -= 1 } while closed >> Int64(height) & 1 == 0
            let last = first + (Int64(1) << Int64(height)) - 1
            if !expected.contains(where: { $0.hashes[index] == stored.hashes[index] }) {
                faults.add(.head, at: first, "the head's frontier is not that of the events \(first) to \(last)")
            }
            first = last + 1
        }
    }
}

extension TileID {
    /// The number of events below one hash of the tile.
    var positionsPerHash: Int64 { Int64(1) << Int64(TileID.height * level) }

    /// The position of the first event below the tile.
    var firstPosition: Int64 { (index << Int64(TileID.height * (level + 1))) + 1 }
}
