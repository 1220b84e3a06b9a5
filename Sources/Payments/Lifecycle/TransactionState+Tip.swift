import Canonical

extension TransactionState {
    /// The index of the capture that a tip belongs to: the last open one, or else the last one whose batch was closed
    /// after the tip. A capture that settlement itself reports has the amount of that report.
    func capture(of tip: TipAdjustment) -> Int? {
        func isEarlier(than capture: CaptureEntry) -> Bool {
            guard let at = tip.at, let closedAt = capture.settlement.closedAt else { return false }
            return OccurrenceTime(at, event: nil).isBefore(closedAt)
        }
        let closed = captures.lastIndex { $0.isSettled && $0.net > 0 && isEarlier(than: $0) }
        guard let open = captures.lastIndex(where: \.isOpen) else { return closed }
        // A capture that was made after the tip is another one.
        let isLater = tip.at.map { OccurrenceTime($0, event: nil).isBefore(captures[open].madeAt) } ?? false
        return isLater ? closed ?? open : open
    }
}
