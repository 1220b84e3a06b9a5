/// Fees that two files report, as SQL over the tables of `sides.sql`.
///
/// A fee with neither a day nor an id is its file's, because an equal one in another file may be the next month's. If the
/// days of both files overlap, it may as well be the same fee in another form: an operator decides.
enum RepeatedFees {
    /// The condition that a row of `read_statements.lines` is such a fee; see `StatementLine.isIdentified`.
    static func condition(_ line: String) -> String {
        """
        (\(line).type = 'fee' AND \(line).role = 'own' AND \(line).day IS NULL AND \(line).view ->> 'localTime' IS NULL
            AND num_nonnulls(\(line).occurred_at, \(line).processor_id, \(line).related_id, \(line).rrn, \(line).arn,
                \(line).invoice, \(line).payout, \(line).bank_reference, \(line).end_to_end) = 0)
        """
    }

    /// Adds the fees of the same amount as those of a round to the scope: `$1` is the tenant, `$2` the round.
    static let spread = EmbeddedFiles.repeatedFeesSpread_sql

    /// Fills `repeated`: `$1` is the tenant.
    static let find = EmbeddedFiles.repeatedFees_sql

    static let exceptions = """
        INSERT INTO found (class, l, expected) SELECT DISTINCT 'duplicate-at-processor', l, 0 FROM repeated
        """
}
