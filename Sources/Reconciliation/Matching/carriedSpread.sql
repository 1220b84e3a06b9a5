-- From the transfers of the round $2 to all with the same or the opposite amount on their account; $1 is the tenant. As in the
-- comparison, amounts are without fees.
INSERT INTO scope_lines
SELECT DISTINCT o.id, $2::int + 1
FROM (
    SELECT DISTINCT l.currency, coalesce(l.amount, 0)::numeric - coalesce(l.fees, 0) AS amount,
        coalesce(l.merchant, '') AS merchant
    FROM scope_lines s
    JOIN read_statements.lines l ON l.tenant = $1 AND l.id = s.line AND l.side = 'processor' AND l.type = 'transfer'
    JOIN read_statements.statements f ON f.tenant = l.tenant AND f.id = l.statement AND f.format IN (CARRYING_FORMATS)
    WHERE s.round = $2::int
) l CROSS JOIN LATERAL (
    SELECT o.id FROM read_statements.lines o
    WHERE o.tenant = $1 AND o.side = 'processor' AND o.type = 'transfer' AND o.currency = l.currency
        AND (coalesce(o.amount, 0)::numeric - coalesce(o.fees, 0)) IN (l.amount, -l.amount)
        AND coalesce(o.merchant, '') = l.merchant
) o ON CONFLICT DO NOTHING
