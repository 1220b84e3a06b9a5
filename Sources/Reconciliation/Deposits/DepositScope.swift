import Matching
import Postgres

/// The payouts and transfers to compare after a change: the changed ones, those that no name has matched, and,
/// transitively, all that share a name with these. Everything outside was matched by a name that nothing in the scope
/// has.
///
/// The first rules of the ladder, which require a name, or a merchant, batch or account with the amount, can only
/// match within this set. The later rules see everything that the first ones leave unmatched, and all of that is in
/// the scope.
struct DepositScope {
    let tenant: String
    let rules: [DepositRule]
    /// The position after which changes count.
    let since: Int64
    /// The types of transfers that are not compared.
    var explainedTypes = PostingRule.standardExplainedTypes

    /// Above this number everything is compared, because following names would take longer.
    private static let limit: Int64 = 100_000

    private static let names: Set<DepositKey> = [.bankReference, .endToEnd, .customerReference, .trace, .remittance]

    /// True when the parties of a match by the rule share attributes that `spreads` follows.
    private static func isFollowed(_ rule: DepositRule) -> Bool {
        guard rule.choice == .inOrder || rule.choice == .unique || rule.choice == .sum else { return false }
        if rule.keys.contains(where: names.contains) { return true }
        // An `inOrder` rule also supplies the candidates of exceptions, so it is not followed without a name.
        return !rule.keys.isEmpty && rule.choice == .unique
    }

    /// The first rules of the ladder, as long as their links can only change when something with a shared name
    /// changes. It ends at the first other rule, because that rule may take the matches of the rules after it.
    private var followed: [DepositRule] { Array(rules.prefix(while: Self.isFollowed)) }

    /// Fills `scope_deposits`.
    ///
    /// - Returns: False when everything must be compared.
    func fill(in transaction: borrowing PostgresTransaction) async throws -> Bool {
        let names = followed.map(\.name)
        // Every rule that supplies candidates must be followed; otherwise candidates outside the scope would be
        // missed.
        let isNearFollowed = rules.allSatisfy { $0.choice != .inOrder || $0.keys.isEmpty || Self.isFollowed($0) }
        guard since > 0, !names.isEmpty, isNearFollowed else { return false }
        var count: Int64 = 0
        for statement in seeds {
            let parameters: [PostgresValue] =
                statement.contains("$2::int8") ? [.text(tenant), .int64(since)] : [.text(tenant), .textArray(names)]
            count += Int64(try await transaction.execute(statement, parameters))
        }
        var round: Int32 = 0
        var grown = count
        while grown > 0 {
            guard count <= Self.limit else {
                try await transaction.script("TRUNCATE scope_deposits")
                return false
            }
            try await transaction.script("ANALYZE scope_deposits")
            grown = 0
            for spread in Self.spreads {
                grown += Int64(try await transaction.execute(spread, [.text(tenant), .int32(round)]))
            }
            count += grown
            round += 1
        }
        try await transaction.script("ANALYZE scope_deposits")
        return true
    }

    /// The changed lines, and the lines that no followed rule (`$2`) has matched.
    private var seeds: [String] {
        let types = "'payout', 'payout-return', " + MatchingRules.answeredTypes(without: explainedTypes)
        return [
            """
            INSERT INTO scope_deposits
            SELECT DISTINCT l.id, l.side = 'processor', 0 FROM read_statements.statements s
            JOIN read_statements.placements a ON a.tenant = s.tenant AND a.statement = s.id
            JOIN read_statements.lines l ON l.tenant = a.tenant AND l.id = a.line AND l.names IS NOT NULL
            WHERE s.tenant = $1 AND s.last_position > $2::int8 ON CONFLICT DO NOTHING
            """,
            Self.left("payout", "l.side = 'processor' AND l.type IN (\(types)) AND \(Self.isOpen)"),
            Self.left("deposit", "l.side = 'bank'"),
        ]
    }

    /// Transfers that a posting rule has explained, and those that carry a balance over, are not compared; see
    /// `DepositMatcher`. What withdraws the explanation also changes their statement.
    private static let isOpen = """
        NOT (l.type = 'transfer' AND EXISTS (
            SELECT FROM read_statements.statements f
            WHERE f.tenant = $1 AND f.id = l.statement AND f.format IN (\(CarriedBalances.formats))
        )) AND NOT EXISTS (
            SELECT FROM read_reconciliation.postings o WHERE o.tenant = $1 AND o.line = l.id AND o.until IS NULL
        )
        """

    private static func left(_ end: String, _ side: String) -> String {
        """
        INSERT INTO scope_deposits
        SELECT l.id, l.side = 'processor', 0 FROM read_statements.lines l
        WHERE l.tenant = $1 AND l.names IS NOT NULL AND \(side) AND l.amount <> 0 AND l.role <> 'part'
            AND NOT EXISTS (
                SELECT FROM read_reconciliation.deposit_links k
                WHERE k.tenant = $1 AND k.\(end) = l.id AND k.until IS NULL AND k.rule = ANY ($2::text[])
            )
        ON CONFLICT DO NOTHING
        """
    }

    /// From the lines of the round `$2` to all that share a name with them, or the amount and the merchant, batch or
    /// account, or that were matched with them. Currency and days are ignored, so that everything that competes for
    /// the same match is in the scope.
    static let spreads = [
        // A payout is compared in all its revisions.
        """
        INSERT INTO scope_deposits
        SELECT DISTINCT o.id, true, $2::int + 1 FROM scope_deposits s
        JOIN read_statements.lines p ON p.tenant = $1 AND p.id = s.line AND p.revision IS NOT NULL
        JOIN read_statements.lines o ON o.tenant = $1 AND o.payout = p.payout AND o.revision IS NOT NULL
        WHERE s.round = $2::int AND s.is_payout ON CONFLICT DO NOTHING
        """,
        toDeposits("(d.names && p.names OR d.words && p.names)"),
        toPayouts("p.names && (d.names || d.words)"),
        toDeposits("d.currency = p.currency AND d.amount = \(opposite("p")) AND \(alike)"),
        toPayouts("p.currency = d.currency AND p.amount = \(opposite("d")) AND \(alike)"),
        """
        INSERT INTO scope_deposits
        SELECT DISTINCT k.deposit, false, $2::int + 1 FROM scope_deposits s
        JOIN read_reconciliation.deposit_links k ON k.tenant = $1 AND k.payout = s.line AND k.until IS NULL
        WHERE s.round = $2::int AND s.is_payout ON CONFLICT DO NOTHING
        """,
        """
        INSERT INTO scope_deposits
        SELECT DISTINCT k.payout, true, $2::int + 1 FROM scope_deposits s
        JOIN read_reconciliation.deposit_links k ON k.tenant = $1 AND k.deposit = s.line AND k.until IS NULL
        WHERE s.round = $2::int AND NOT s.is_payout ON CONFLICT DO NOTHING
        """,
    ]

    private static func toDeposits(_ condition: String) -> String {
        """
        INSERT INTO scope_deposits
        SELECT DISTINCT d.id, false, $2::int + 1 FROM scope_deposits s
        JOIN read_statements.lines p ON p.tenant = $1 AND p.id = s.line
        JOIN read_statements.lines d ON d.tenant = $1 AND d.side = 'bank' AND d.names IS NOT NULL AND \(condition)
        WHERE s.round = $2::int AND s.is_payout ON CONFLICT DO NOTHING
        """
    }

    private static func toPayouts(_ condition: String) -> String {
        """
        INSERT INTO scope_deposits
        SELECT DISTINCT p.id, true, $2::int + 1 FROM scope_deposits s
        JOIN read_statements.lines d ON d.tenant = $1 AND d.id = s.line
        JOIN read_statements.lines p ON p.tenant = $1 AND p.side = 'processor' AND p.names IS NOT NULL AND \(condition)
        WHERE s.round = $2::int AND NOT s.is_payout ON CONFLICT DO NOTHING
        """
    }

    private static let alike =
        "(upper(p.merchant) = ANY (d.words) OR upper(p.batch) = ANY (d.words) OR p.account = d.account)"

    /// The negated amount; NULL for the smallest integer, which has none.
    private static func opposite(_ table: String) -> String {
        "CASE WHEN \(table).amount > -9223372036854775808 THEN -\(table).amount END"
    }
}
