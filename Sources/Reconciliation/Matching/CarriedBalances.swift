import Matching
import Payments
import Statements

/// Balances that processors carry over from one period to the next, as SQL over the tables of `sides.sql`.
///
/// Two transfers of opposite amounts on one account explain each other, in the order of their days: the first one ends
/// a period with zero, the second one is in a later period. Both stay in the receivable.
enum CarriedBalances {
    static let formats = StatementFormat.carryingBalances.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// The account of lines that explain each other; its part is the processor of each.
    static let account = Account.processorReceivable

    /// From the transfers of the round `$2` to all with the same or the opposite amount on their account; `$1` is the
    /// tenant.
    static let spread = EmbeddedFiles.carriedSpread_sql.replacing("CARRYING_FORMATS", with: formats)

    /// Adds the lines that explain each other to `posting`: `$1` is the tenant, `$2` their index among the posting
    /// rules.
    static let explain = EmbeddedFiles.carriedBalances_sql

    /// The transfers without another half.
    static let exceptions = EmbeddedFiles.carriedExceptions_sql
}
