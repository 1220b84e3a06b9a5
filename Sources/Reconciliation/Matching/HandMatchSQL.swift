/// The matches by hand as SQL over the tables of `sides.sql`. They come before every rule.
///
/// A match by hand holds while everything that it names exists and adds up, until an operator reopens its exception.
enum HandMatchSQL {
    /// Adds everything that was matched by hand or reopened after the position `$2` to the scope; `$1` is the tenant.
    static let scope = [
        """
        INSERT INTO scope_lines
        SELECT DISTINCT t.line, 0 FROM (\(decided)) d CROSS JOIN LATERAL (
            SELECT d.line WHERE d.line IS NOT NULL
            UNION SELECT i.value::uuid FROM json_array_elements_text(d.details -> 'resolution' -> 'lines') AS i (value)
        ) t ON CONFLICT DO NOTHING
        """,
        """
        INSERT INTO scope_transactions
        SELECT DISTINCT t.transaction, 0 FROM (\(decided)) d CROSS JOIN LATERAL (
            SELECT d.transaction WHERE d.transaction IS NOT NULL
            UNION SELECT i.transaction
            FROM json_to_recordset(d.details -> 'resolution' -> 'movements') AS i (transaction uuid)
        ) t ON CONFLICT DO NOTHING
        """,
    ]

    /// Adds everything that a match by hand names to the scope when part of it is in the scope, because another match
    /// may hold instead. `$2` is the round.
    static let spread = [
        """
        INSERT INTO scope_transactions
        \(EmbeddedFiles.touchedByHand_sql) SELECT DISTINCT m.transaction, $2::int + 1
        FROM touched t CROSS JOIN LATERAL json_to_recordset(t.resolution -> 'movements') AS m (transaction uuid)
        ON CONFLICT DO NOTHING
        """,
        """
        INSERT INTO scope_lines
        \(EmbeddedFiles.touchedByHand_sql) SELECT DISTINCT i.value::uuid, $2::int + 1
        FROM touched t CROSS JOIN LATERAL json_array_elements_text(t.resolution -> 'lines') AS i (value)
        ON CONFLICT DO NOTHING
        """,
    ]

    private static let decided = """
        SELECT x.line, x.transaction, s.details
        FROM read_reconciliation.steps s
        JOIN read_reconciliation.exceptions x ON x.tenant = s.tenant AND x.id = s.exception
        WHERE s.tenant = $1 AND s.position > $2 AND s.kind IN ('ExceptionResolved', 'ExceptionReopened')
        """

    /// Adds the matches by hand to `link`. If two valid matches name the same line or movement, the id decides, not
    /// order or time.
    static let match = """
        WITH details AS MATERIALIZED (
            SELECT id, resolution FROM read_reconciliation.exceptions
            WHERE tenant = $1 AND status = 'resolved' AND resolution ->> 'kind' = 'matched'
        ), ls AS MATERIALIZED (
            SELECT t.id, l.n, l.id AS line, l.day, l.currency, l.amount
            FROM details t CROSS JOIN LATERAL json_array_elements_text(t.resolution -> 'lines') AS i (value)
            LEFT JOIN l0 l ON l.id = i.value::uuid AND l.kind = 'money'
        ), ms AS MATERIALIZED (
            SELECT t.id, m.n, m.transaction, m.line, m.day, m.currency, m.amount
            FROM details t
            CROSS JOIN LATERAL json_to_recordset(t.resolution -> 'movements') AS i (transaction uuid, movement text)
            LEFT JOIN m0 m ON m.transaction = i.transaction AND m.line = i.movement AND m.type <> 'none'
        ), whole AS MATERIALIZED (
            SELECT l.id, l.match
            FROM (
                SELECT id, min(line::text)::uuid AS match, sum(amount) AS amount, min(currency) AS least,
                    max(currency) AS most, count(*) AS count
                FROM ls GROUP BY id HAVING bool_and(n IS NOT NULL)
            ) l
            JOIN (
                SELECT id, sum(amount) AS amount, min(currency) AS least, max(currency) AS most, count(*) AS count
                FROM ms GROUP BY id HAVING bool_and(n IS NOT NULL)
            ) m ON m.id = l.id AND m.amount = l.amount AND m.least = l.least AND m.most = l.most AND l.least = l.most
                AND (l.count = 1 OR m.count = 1)
        ), good AS (
            SELECT w.id, w.match FROM whole w
            WHERE NOT EXISTS (
                    SELECT FROM ls a JOIN ls b ON b.n = a.n AND b.id < a.id JOIN whole o ON o.id = b.id WHERE a.id = w.id
                ) AND NOT EXISTS (
                    SELECT FROM ms a JOIN ms b ON b.n = a.n AND b.id < a.id JOIN whole o ON o.id = b.id WHERE a.id = w.id
                )
        )
        INSERT INTO link (\(LadderSQL.columns))
        SELECT ls.n, ms.n, -1, good.match, ls.line, ms.transaction, ms.line, ls.day - ms.day
        FROM good JOIN ls ON ls.id = good.id JOIN ms ON ms.id = good.id
        """
}
