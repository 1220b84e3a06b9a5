-- The payouts of files that changed after the position $2, and those that share an id or a batch with a line of these files;
-- $1 is the tenant.
INSERT INTO scope_payouts
WITH changed AS MATERIALIZED (
    SELECT DISTINCT l.payout, l.batch, coalesce(n.best, l.merchant, '') AS merchant,
        CASE WHEN l.type = 'payout' THEN l.id END AS line
    FROM read_statements.statements s
    JOIN read_statements.placements a ON a.tenant = s.tenant AND a.statement = s.id
    JOIN read_statements.lines l ON l.tenant = a.tenant AND l.id = a.line AND l.side = 'processor'
    LEFT JOIN merchant_names n ON n.name = l.merchant
    WHERE s.tenant = $1 AND s.last_position > $2 AND (l.payout IS NOT NULL OR l.batch IS NOT NULL OR l.type = 'payout')
)
SELECT line, 0 FROM changed WHERE line IS NOT NULL
UNION
SELECT p.id, 0 FROM changed c JOIN read_statements.lines p
    ON p.tenant = $1 AND p.side = 'processor' AND p.type = 'payout' AND p.payout = c.payout
UNION
SELECT p.id, 0 FROM changed c JOIN read_statements.lines p
    ON p.tenant = $1 AND p.side = 'processor' AND p.type = 'payout' AND p.batch = c.batch
        AND coalesce((SELECT n.best FROM merchant_names n WHERE n.name = p.merchant), p.merchant, '') = c.merchant
ON CONFLICT DO NOTHING
