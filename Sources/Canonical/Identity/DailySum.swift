/// A sum of amounts within 24 hours that has a limit.
package enum DailySum {
    /// True if an amount is within the limit together with the earlier ones. A sum beyond 64 bits is beyond every
    /// limit, and so is a negative amount, which would make room.
    package static func allows(_ amount: Int64, after earlier: [Int64], most: Int64) -> Bool {
        var rest = most
        for part in [amount] + earlier {
            let (left, isBeyond) = rest.subtractingReportingOverflow(part)
            guard part >= 0, !isBeyond, left >= 0 else { return false }
            rest = left
        }
        return true
    }
}
