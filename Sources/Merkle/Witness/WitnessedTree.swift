/// The tree of one log as its witness knows it, and the rules by which it goes on.
///
/// A log only grows. A log of Daybook that lost events is adopted by its operator, which begins a new epoch: with it
/// begins a new tree. No tree of an earlier epoch is accepted any more.
package struct WitnessedTree: Sendable, Hashable {
    /// The newest checkpoint that was cosigned; nil before the first one.
    package let newest: Checkpoint?

    package init(_ newest: Checkpoint?) {
        self.newest = newest
    }

    /// Why a checkpoint is not cosigned.
    package enum Refusal: Error, Hashable, Sendable {
        /// The old size is larger than that of the checkpoint.
        case oldSizeBeyondCheckpoint
        /// The old size is not that of the newest checkpoint; or the sizes are equal and the roots are not.
        case conflict(size: Int64)
        case invalidProof
    }

    /// What a checkpoint that may be cosigned changes.
    package enum Step: Hashable, Sendable {
        /// The newest checkpoint once more.
        case same
        case grown
        /// The first checkpoint of a later epoch.
        case newEpoch
    }

    /// Judges a checkpoint that a key of the log has signed.
    ///
    /// - Throws: `Refusal`.
    package func judge(_ checkpoint: Checkpoint, old: Int64, proof: [MerkleHash]) throws(Refusal) -> Step {
        guard old <= checkpoint.size else { throw .oldSizeBeyondCheckpoint }
        let isLater = newest.map { checkpoint.epoch > $0.epoch } ?? false
        let known = isLater ? nil : newest
        let size = known?.size ?? 0
        // In an earlier epoch no size is right.
        guard old == size, checkpoint.epoch >= known?.epoch ?? 0 else { throw .conflict(size: size) }
        let root = known?.root ?? .empty
        if size == checkpoint.size, root != checkpoint.root { throw .conflict(size: size) }
        let consistency = ConsistencyProof(first: size, second: checkpoint.size, hashes: proof)
        guard consistency.verifies(firstRoot: root, secondRoot: checkpoint.root) else { throw .invalidProof }
        if isLater { return .newEpoch }
        return known.map { $0.size == checkpoint.size } ?? false ? .same : .grown
    }
}
