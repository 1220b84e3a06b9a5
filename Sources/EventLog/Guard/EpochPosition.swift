/// A position of the log, with the epoch in which it was given: `4711` in epoch 0, `1-4711` in epoch 1.
///
/// A log that lost events gives the same positions to other events. The epoch distinguishes them.
package struct EpochPosition: Sendable, Hashable {
    package var epoch: Int64
    package var position: Int64

    package init(epoch: Int64, position: Int64) {
        self.epoch = epoch
        self.position = position
    }

    /// Nil unless the text is a position, 0 or more, or an epoch, 1 or more, a hyphen and a position.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let position = parts.last.flatMap({ Self.number($0) }) else { return nil }
        guard let epoch = parts.count == 1 ? 0 : Self.number(parts[0]), epoch > 0 || parts.count == 1 else {
            return nil
        }
        self.init(epoch: epoch, position: position)
    }

    package var text: String { epoch == 0 ? String(position) : "\(epoch)-\(position)" }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
