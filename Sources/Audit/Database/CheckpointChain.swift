/// Finds stored checkpoints that are not stored any more: each names the one before it, and the witness file has them
/// all. Fed by size, in pieces. Pure.
struct CheckpointChain: Sendable {
    private(set) var faults = FaultLog()
    /// The size of the last stored one.
    private var last: Int64 = 0
    /// The last one found missing, so that it is named once.
    private var lastMissing: Int64?

    /// - Parameters:
    ///   - stored: The next stored ones, by size, with the size of the one each names as stored before it.
    ///   - witnessed: The sizes of the witnessed ones among the same sizes, in order; some may be there twice.
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
            faults.add(.checkpoint, at: last, "the stored checkpoint of \(size) events was not signed after this one")
        }
    }

    private mutating func isMissing(_ size: Int64, _ reason: String) {
        guard size != lastMissing else { return }
        lastMissing = size
        faults.add(.checkpoint, at: size, "the checkpoint of \(size) events, which \(reason), is not stored")
    }
}
