import Matching

@testable import Reconciliation

/// Statements of a run in their first, simplest form. Faster ones must find the same.
enum EarlierSQL {
    /// Reads the links of events one by one; the parameters are those of the projection.
    static let matched = """
        INSERT INTO links (tenant, line, transaction, movement, match, rule, position)
        SELECT e.tenant, (l.value ->> 0)::uuid, (l.value ->> 1)::uuid, l.value ->> 2,
            coalesce(l.value ->> 3, l.value ->> 0)::uuid, e.rule, e.position
        FROM (
            SELECT *, data ->> 'rule' AS rule
            FROM unnest($1::text[], $2::int8[], $3::json[]) AS u (tenant, position, data) OFFSET 0
        ) e CROSS JOIN json_array_elements(e.data -> 'links') AS l (value)
        ON CONFLICT (tenant, line, transaction, movement, position) DO NOTHING
        """

    static let newLinks = """
        SELECT rule, count(*), string_agg(details, ',' ORDER BY line, transaction, movement)
        FROM (
            SELECT k.rule, k.line, k.transaction, k.movement,
                '["' || k.line || '","' || k.transaction || '",' || to_json(k.movement)::text
                    || CASE WHEN k.match = k.line THEN ']' ELSE ',"' || k.match || '"]' END AS details,
                (row_number() OVER (PARTITION BY k.rule ORDER BY k.line, k.transaction, k.movement) - 1)
                    / \(RunChange.partLinks) AS part
            FROM link k
            LEFT JOIN read_reconciliation.links r ON r.tenant = $1 AND r.line = k.line
                AND r.transaction = k.transaction AND r.movement = k.movement AND r.match = k.match
                AND r.until IS NULL AND r.rule = ($2::text[])[k.rule + 2]
            WHERE r.line IS NULL
        ) t GROUP BY rule, part ORDER BY rule, part
        """

    /// The recorded links of the compared rows.
    static let oldLinks = """
        SELECT 0, count(*), string_agg(details, ',' ORDER BY line, details)
        FROM (
            SELECT r.line, '["' || r.line || '","' || r.transaction || '",' || to_json(r.movement)::text || ']' AS details,
                (row_number() OVER (ORDER BY r.line, r.transaction, r.movement) - 1) / \(RunChange.partLinks) AS part
            FROM (
                SELECT k.* FROM scope_lines s JOIN read_reconciliation.links k ON k.tenant = $1 AND k.line = s.line
                UNION
                SELECT k.* FROM scope_transactions s
                JOIN read_reconciliation.links k ON k.tenant = $1 AND k.transaction = s.transaction
            ) r
            WHERE r.tenant = $1 AND r.until IS NULL AND NOT EXISTS (
                SELECT FROM link k
                WHERE k.line = r.line AND k.transaction = r.transaction AND k.movement = r.movement
                    AND k.match = r.match AND r.rule = ($2::text[])[k.rule + 2]
            )
        ) t GROUP BY part ORDER BY part
        """

    /// Pairs of equal keys, from the rules of the ladder.
    static func near(_ ladder: [MatchingRule]) -> [String] {
        ladder.enumerated().filter { $0.element.choice != .total }.flatMap { index, rule -> [String] in
            let keys = rule.keys.map { "l.\($0.lineColumn) = m.\($0.ledgerColumn)" }.joined(separator: " AND ")
            let isName = rule.choice == .inOrder || rule.choice == .sum
            let names = rule.keys.filter { !$0.comesAgain }
            let same = names.map { " OR length(l.\($0.lineColumn)) >= 20" }.joined()
            let confirmed = rule.keys.contains(.authorizationCode) ? same : " OR l.auth_code = m.auth_code" + same
            let days = rule.days.map { days in
                let near = "coalesce(l.day BETWEEN m.day - \(days) AND m.day + \(days), true)"
                return " AND (l.kind = 'chargeback' OR \(near)\(confirmed))"
            }
            let sides = [("asking", "m0")] + (rule.choice == .inOrder ? [("l0", "mo")] : [])
            return sides.map { l, m in
                "SELECT l.n, m.n, \(index) FROM \(l) l JOIN \(m) m ON \(keys)\(isName ? days ?? "" : "")"
            }
        }
    }

    /// The fee of one rule without a brand, of every linked line.
    static func fees(_ fee: ExpectedFee) -> String {
        """
        WITH telling AS MATERIALIZED (
            SELECT s.statement FROM (
                SELECT DISTINCT p.statement FROM l0 l
                JOIN read_statements.placements p ON p.tenant = $1 AND p.line = l.id
                JOIN read_statements.statements f ON f.tenant = p.tenant AND f.id = p.statement
                    AND \(CountedLines.holds("f"))
                WHERE l.kind = 'money' AND l.fees IS NULL AND l.gross > 0
            ) s
            WHERE EXISTS (
                SELECT FROM read_statements.placements p
                JOIN read_statements.lines o ON o.tenant = p.tenant AND o.id = p.line
                WHERE p.tenant = $1 AND p.statement = s.statement AND o.fees <> 0
                    AND o.type IN ('sale', 'capture')
            )
        ), free AS MATERIALIZED (
            SELECT DISTINCT l.n FROM telling s
            JOIN read_statements.placements p ON p.tenant = $1 AND p.statement = s.statement
            JOIN l0 l ON l.id = p.line AND l.kind = 'money' AND l.fees IS NULL
        )
        SELECT DISTINCT ON (l.id) l.n, k.m, x.fee::int8
        FROM link k JOIN l0 l ON l.n = k.l
        CROSS JOIN LATERAL (
            SELECT -(div(l.gross::numeric * \(fee.basisPoints) + 5000, 10000) + \(fee.fixed)) AS fee
        ) x
        WHERE (l.fees IS NOT NULL OR l.n IN (SELECT n FROM free))
            AND l.gross > 0 AND upper(l.line_currency) = '\(fee.currency)'
            AND abs(coalesce(l.fees, 0)::numeric - x.fee) > \(fee.tolerance)
        ORDER BY l.id, k.m
        """
    }
}
