-- The payouts that share an id or a batch with a payout of the round $2; $1 is the tenant.
INSERT INTO scope_payouts
WITH known AS MATERIALIZED (
    SELECT l.payout, l.batch, coalesce(n.best, l.merchant, '') AS merchant
    FROM scope_payouts s JOIN read_statements.lines l ON l.tenant = $1 AND l.id = s.line
    LEFT JOIN merchant_names n ON n.name = l.merchant WHERE s.round = $2::int
)
SELECT p.id, $2::int + 1 FROM known k JOIN read_statements.lines p
    ON p.tenant = $1 AND p.side = 'processor' AND p.type = 'payout' AND p.payout = k.payout
UNION
SELECT p.id, $2::int + 1 FROM known k JOIN read_statements.lines p
    ON p.tenant = $1 AND p.side = 'processor' AND p.type = 'payout' AND p.batch = k.batch
        AND coalesce((SELECT n.best FROM merchant_names n WHERE n.name = p.merchant), p.merchant, '') = k.merchant
ON CONFLICT DO NOTHING
