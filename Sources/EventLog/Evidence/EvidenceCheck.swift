import Canonical
package import Merkle

/// Why signing stopped. An operator must investigate: `daybook verify` reports the place.
package enum EvidenceFault: Error, Hashable, Sendable {
    /// The place where the contradicted checkpoint was kept.
    package enum Witness: String, Sendable {
        case database = "the database holds"
        case file = "the witness file holds"
        case process = "this process has signed"
        case remote = "the remote witness has cosigned"
    }

    /// The log ends before what was signed: it was truncated, or an older state was restored.
    case shorter(head: Int64, signed: Int64, Witness)
    /// The tree of the signed size now has another root: something in it was changed.
    case changed(signed: Int64, Witness)
    /// The log is in an earlier epoch than a checkpoint: an older state was restored.
    case earlierEpoch(head: Int64, signed: Int64, Witness)
    /// The log is in an epoch that no checkpoint of the log's keys confirms: its adoption was not completed.
    case unsignedEpoch(Int64)
    /// The head's frontier does not match the tiles and leaves.
    case headContradictsTiles(size: Int64)
    /// A leaf or tile is missing.
    case missingTile(TileID)
    /// The newest checkpoint is not signed by a key of the key file, or differs from what was signed.
    case foreignCheckpoint(Witness)
    /// A row of the head or of checkpoints is malformed.
    case unreadable
}

extension EvidenceFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .shorter(let head, let signed, let witness):
            "the log ends at \(head), but \(witness.rawValue) a checkpoint of \(signed, "event"): "
                + "it was truncated, or an older state was restored"
        case .changed(let signed, let witness):
            "\(witness.rawValue) a checkpoint of \(signed, "event") which this log contradicts: something was changed"
        case .earlierEpoch(let head, let signed, let witness):
            "the log is in epoch \(head), but \(witness.rawValue) a checkpoint of epoch \(signed): "
                + "an older state was restored"
        case .unsignedEpoch(let epoch):
            "the log is in epoch \(epoch), and no key of the key file has signed a checkpoint of it"
        case .headContradictsTiles(let size):
            "the head of \(size, "event") contradicts the tiles and leaves"
        case .missingTile(let id): "hashes of tile \(TilePath(id: id).text) are missing"
        case .foreignCheckpoint(let witness):
            "\(witness.rawValue) a checkpoint that no key of the key file has signed"
        case .unreadable: "the head or a checkpoint is malformed"
        }
    }
}

/// Compares the log with the checkpoints signed for it.
package struct EvidenceCheck: Sendable {
    /// A checkpoint, and where it is kept.
    package struct Known: Sendable, Hashable {
        package var epoch: Int64
        package var size: Int64
        package var root: MerkleHash
        package var witness: EvidenceFault.Witness

        /// Whether both are of the same tree, wherever they are kept.
        func isEqual(to other: Known) -> Bool {
            epoch == other.epoch && size == other.size && root == other.root
        }

        package init(_ checkpoint: Checkpoint, _ witness: EvidenceFault.Witness) {
            epoch = checkpoint.epoch
            size = checkpoint.size
            root = checkpoint.root
            self.witness = witness
        }
    }

    private let tiles: LogTiles

    package init(tiles: LogTiles) {
        self.tiles = tiles
    }

    /// Returns when the log continues the log of the checkpoints: of the same size or larger, with nothing changed.
    /// Checkpoints of earlier epochs do not count once the newest one, which a key of the log has signed, is of the
    /// epoch of the log.
    ///
    /// - Parameters:
    ///   - epoch: The epoch of the log.
    ///   - newest: The newest checkpoint in the database.
    ///   - others: Checkpoints known from elsewhere.
    /// - Throws: `EvidenceFault`, `PostgresError`.
    package func check(
        _ head: MerkleFrontier,
        epoch: Int64,
        newest: Known?,
        others: [Known]
    ) async throws {
        var known: [Known] = []
        for checkpoint in [newest].compactMap(\.self) + others {
            guard checkpoint.epoch <= epoch else {
                throw EvidenceFault.earlierEpoch(head: epoch, signed: checkpoint.epoch, checkpoint.witness)
            }
            if checkpoint.epoch == epoch {
                if !known.contains(where: { $0.isEqual(to: checkpoint) }) { known.append(checkpoint) }
            } else if newest?.epoch != epoch {
                throw EvidenceFault.unsignedEpoch(epoch)
            }
        }
        for checkpoint in known where checkpoint.size > head.size {
            throw EvidenceFault.shorter(head: head.size, signed: checkpoint.size, checkpoint.witness)
        }
        do {
            guard try await tiles.frontier(size: head.size) == head else {
                throw EvidenceFault.headContradictsTiles(size: head.size)
            }
            for checkpoint in known {
                let proof = try await tiles.consistencyProof(from: checkpoint.size, to: head.size)
                guard proof.verifies(firstRoot: checkpoint.root, secondRoot: head.root) else {
                    throw EvidenceFault.changed(signed: checkpoint.size, checkpoint.witness)
                }
            }
        } catch TreeReadError.incompleteTile(let id) {
            throw EvidenceFault.missingTile(id)
        }
    }

    /// The checkpoint of a note that a key of the log has signed.
    ///
    /// - Throws: `EvidenceFault.foreignCheckpoint` for any other note.
    package static func known(
        _ note: String,
        signedBy keys: [NoteVerifierKey],
        from witness: EvidenceFault.Witness
    ) throws(EvidenceFault) -> Known {
        guard let read = try? SignedNote(note.utf8), let checkpoint = try? Checkpoint(read, signedBy: keys) else {
            throw .foreignCheckpoint(witness)
        }
        return Known(checkpoint, witness)
    }
}
