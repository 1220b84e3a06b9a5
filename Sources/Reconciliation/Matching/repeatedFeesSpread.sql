-- From the fees without a day of the round $2 to all of the same amount; $1 is the tenant.
INSERT INTO scope_lines
SELECT DISTINCT o.id, $2::int + 1
FROM (
    SELECT DISTINCT l.currency, l.amount FROM scope_lines s
    JOIN read_statements.lines l ON l.tenant = $1 AND l.id = s.line AND l.side = 'processor' AND l.type = 'fee'
        AND l.day IS NULL
    WHERE s.round = $2::int
) l CROSS JOIN LATERAL (
    SELECT o.id FROM read_statements.lines o
    WHERE o.tenant = $1 AND o.side = 'processor' AND o.day IS NULL AND o.type = 'fee' AND o.currency = l.currency
        AND o.amount = l.amount
) o ON CONFLICT DO NOTHING
