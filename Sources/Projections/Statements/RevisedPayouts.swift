/// Payouts that are told again when they change: what was sent has arrived, or has come back.
package enum RevisedPayouts {
    /// That nothing newer was told about the payout of a line, as SQL: true for lines that are not told again. Only files that
    /// are there as a whole tell anything.
    ///
    /// - Parameters:
    ///   - line: A row of `read_statements.lines`.
    ///   - position: The placeholder of the position as of which; nil for now.
    package static func holds(_ line: String, at position: String? = nil) -> String {
        """
        (\(line).revision IS NULL OR NOT EXISTS (
            SELECT FROM read_statements.lines newer
            JOIN read_statements.placements a ON a.tenant = newer.tenant AND a.line = newer.id
            JOIN read_statements.statements f ON f.tenant = a.tenant AND f.id = a.statement
            WHERE newer.tenant = \(line).tenant AND newer.payout = \(line).payout AND newer.type = \(line).type
                AND (newer.revision, newer.id) > (\(line).revision, \(line).id)
                AND \(CountedLines.holds("f", at: position))
        ))
        """
    }
}
