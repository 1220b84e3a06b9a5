/// Payouts that are reported again when they change: a sent payout has arrived, or was returned.
package enum RevisedPayouts {
    /// The condition that no newer report exists about the payout of a line, as SQL. True for lines without
    /// revisions. Only completely imported files count.
    ///
    /// - Parameters:
    ///   - line: The alias of a row of `read_statements.lines`.
    ///   - position: The placeholder of the position up to which events count; nil for the current state.
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
