package import Canonical

/// The times at which a reversal without an acknowledgement is sent again.
///
/// The intervals grow, and the last one repeats until the deadline. After it each of the late intervals follows once, and
/// then the reversal is an operator's. Like doubts, this follows from the events and the rules.
package struct ReversalSchedule: Sendable {
    /// The limits of the intervals before and after the deadline.
    package let intervals: Rule
    package let late: Rule
    /// The last interval before the deadline.
    package let longest: Int64
    private let deadline: Timestamp?

    /// - Parameter deadline: Nil if it is unknown; it then counts as passed.
    /// - Returns: Nil if the book has no intervals.
    package init?(_ book: RuleBook, deadline: Timestamp?) {
        guard let intervals = book.limit("reversal.intervals"), let longest = intervals.list?.last,
            let late = book.limit("reversal.late-intervals"), late.list != nil
        else { return nil }
        self.intervals = intervals
        self.late = late
        self.longest = longest
        self.deadline = deadline
    }

    /// The time of the next reversal and the limit that it follows from.
    ///
    /// - Parameter sent: The times of the reversals so far, in any order; at least one.
    /// - Returns: Nil when no more are sent.
    package func next(after sent: [Timestamp]) -> (at: Timestamp, rule: Rule)? {
        guard let list = intervals.list, let last = sent.max() else { return nil }
        if sent.count <= list.count { return (last.adding(seconds: list[sent.count - 1]), intervals) }
        // The first intervals are kept even if the reversal became due after the deadline.
        let made = sent.sorted().dropFirst(list.count).count { isLate($0) }
        let regular = last.adding(seconds: longest)
        if made == 0, !isLate(regular) { return (regular, intervals) }
        guard let seconds = late.list, made < seconds.count else { return nil }
        return (last.adding(seconds: seconds[made]), late)
    }

    private func isLate(_ time: Timestamp) -> Bool { deadline.map { time >= $0 } ?? true }
}
