import Matching
import Postgres

extension RunChange {
    /// The parameters after the tenant in the statement of `sql`.
    func parameters(_ rules: MatchingRules) -> [PostgresValue] {
        switch self {
        case .oldDeposits, .newDeposits: [.textArray(rules.deposits.map(\.name))]
        // Matches by hand come before the ladder.
        case .oldLinks, .newLinks: [.textArray([MatchingRule.byHand] + rules.ladder.map(\.name))]
        case .oldChargebacks, .newChargebacks: []
        case .oldPostings, .newPostings: Self.postingParameters(rules)
        case .oldExceptions, .newExceptions: []
        }
    }

    /// The links that this run found; `$2` is the list of rule names. A link found by another rule, or in another
    /// sum, is a different link.
    private static let foundDeposits = """
        SELECT p.id AS payout, d.id AS deposit, k.match, k.rule, ($2::text[])[k.rule + 1] AS name
        FROM deposit_link k JOIN p0 p ON p.n = k.p JOIN d0 d ON d.n = k.d
        """

    private static let sameLink = """
        r.tenant = $1 AND r.until IS NULL AND r.payout = k.payout AND r.deposit = k.deposit AND r.match = k.match
            AND r.rule = k.name
        """

    static let newDepositsSQL = """
        SELECT rule, count(*), string_agg(details, ',' ORDER BY payout, deposit)
        FROM (
            SELECT k.rule, k.payout, k.deposit,
                '["' || k.payout || '","' || k.deposit
                    || CASE WHEN k.match = k.payout THEN '"]' ELSE '","' || k.match || '"]' END AS details,
                (row_number() OVER (PARTITION BY k.rule ORDER BY k.payout, k.deposit) - 1) / \(partLinks) AS part
            FROM (\(foundDeposits)) k
            WHERE NOT EXISTS (SELECT FROM read_reconciliation.deposit_links r WHERE \(sameLink))
        ) t GROUP BY rule, part ORDER BY rule, part
        """

    /// - Parameter isWhole: False when only the lines in `scope_deposits` were compared.
    static func oldDepositsSQL(isWhole: Bool) -> String {
        """
        SELECT 0, count(*), string_agg(details, ',' ORDER BY payout, deposit)
        FROM (
            SELECT r.payout, r.deposit, '["' || r.payout || '","' || r.deposit || '"]' AS details,
                (row_number() OVER (ORDER BY r.payout, r.deposit) - 1) / \(partLinks) AS part
            FROM read_reconciliation.deposit_links r
            WHERE r.tenant = $1 AND r.until IS NULL
                AND \(isWhole ? "true" : "r.payout IN (SELECT line FROM scope_deposits)")
                AND NOT EXISTS (SELECT FROM (\(foundDeposits)) k WHERE \(sameLink))
        ) t GROUP BY part ORDER BY part
        """
    }
}
