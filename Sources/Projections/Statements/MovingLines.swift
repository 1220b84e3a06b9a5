/// Which lines of statements move money.
package enum MovingLines {
    /// That a line moves something, as SQL. A sale whose fees are all of it moves nothing on its account, and is a sale.
    /// What was declined has a gross amount, too, but nothing that makes its net zero.
    ///
    /// - Parameter line: A row of `read_statements.lines`.
    package static func moves(_ line: String) -> String {
        "(\(line).amount <> 0 OR \(eaten(line)))"
    }

    /// That a line moves nothing; not true where the file names no amount.
    package static func isStill(_ line: String) -> String {
        "(\(line).amount = 0 AND NOT \(eaten(line)))"
    }

    private static func eaten(_ line: String) -> String {
        "coalesce(\(line).gross <> 0 AND \(line).gross::numeric = -\(line).fees::numeric, false)"
    }
}
