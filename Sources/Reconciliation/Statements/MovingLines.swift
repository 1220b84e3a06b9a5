/// Conditions on the statement lines that move money.
package enum MovingLines {
    /// The condition that a line moves money, as SQL. A sale with fees equal to its amount does not change its
    /// account and is still a sale. A declined sale has a gross amount too, but no fees that make its net zero.
    ///
    /// - Parameter line: The alias of a row of `read_statements.lines`.
    package static func moves(_ line: String) -> String {
        "(\(line).amount <> 0 OR \(eaten(line)))"
    }

    /// The condition that a line moves no money; not true for a line without an amount.
    package static func isStill(_ line: String) -> String {
        "(\(line).amount = 0 AND NOT \(eaten(line)))"
    }

    private static func eaten(_ line: String) -> String {
        "coalesce(\(line).gross <> 0 AND \(line).gross::numeric = -\(line).fees::numeric, false)"
    }
}
