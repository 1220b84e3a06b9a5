/// The further lines that a Daybook log writes.
extension Checkpoint {
    private static var predecessorPrefix: String { "after " }
    private static var epochPrefix: String { "epoch " }

    /// A checkpoint that names the one stored before it, so that removing a stored one leaves a visible gap, and the
    /// epoch of the log.
    ///
    /// - Parameter predecessor: Its size; 0 for the first of a log.
    package init(origin: String, size: Int64, root: MerkleHash, after predecessor: Int64, epoch: Int64) {
        self.init(
            origin: origin,
            size: size,
            root: root,
            extensions: [Self.predecessorPrefix + String(predecessor), Self.epochPrefix + String(epoch)]
        )
    }

    /// The epoch of the log; 0 if the checkpoint names none.
    package var epoch: Int64 { number(Self.epochPrefix) ?? 0 }

    /// The size of the checkpoint stored before this one; nil when it names none.
    package var predecessor: Int64? { number(Self.predecessorPrefix) }

    private func number(_ prefix: String) -> Int64? {
        extensions.first { $0.hasPrefix(prefix) }.flatMap { line in
            let digits = line.dropFirst(prefix.count)
            return Int64(digits).flatMap { $0 >= 0 && String($0) == digits ? $0 : nil }
        }
    }
}
