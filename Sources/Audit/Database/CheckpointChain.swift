import Canonical

/// Finds checkpoints that are no longer stored: each names the one before it, and the witness file has all of them.
/// Receives them by size, in pieces. Pure.
struct CheckpointChain: Sendable {
    private(set) var faults = FaultLog()
    /// The size of the last stored checkpoint.
    private var last: Int64 = 0
    /// The last checkpoint found missing, so that it is reported once.
    private var lastMissing: Int64?

    /// - Parameters:
    ///   - stored: The next stored checkpoints by size, each with the size of the one it names as its predecessor.
    ///   - witnessed: The sizes of the witnessed checkpoints in the same range of sizes, in order; a size may occur
    ///     twice.
    mutating func add(stored: [(size: Int64, predecessor: Int64?)], witnessed: [Int64]) {
        var witnessed = witnessed[...]
        for checkpoint in stored {
            while let size = witnessed.first, size <= checkpoint.size {
                if size < checkpoint.size { isMissing(size, "the witness file holds") }
                witnessed.removeFirst()
            }
            follow(checkpoint.size, checkpoint.predecessor)
        }
        for size in witnessed { isMissing(size, "the witness file holds") }
    }

    private mutating func follow(_ size: Int64, _ predecessor: Int64?) {
        defer { last = size }
        guard let predecessor, predecessor != last else { return }
        if predecessor > last {
            isMissing(predecessor, "the one of \(size) was signed after")
        } else {
            faults.add(.checkpoint, at: last, "the stored checkpoint of \(size, "event") was not signed after this one")
        }
    }

    private mutating func isMissing(_ size: Int64, _ reason: String) {
        guard size != lastMissing else { return }
        lastMissing = size
        faults.add(.checkpoint, at: size, "the checkpoint of \(size, "event"), which \(reason), is not stored")
    }
}
