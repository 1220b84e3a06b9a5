-- Chargebacks and reversals that payments have not recorded, in the order of their days: $1 is the tenant, $2 and $3 the day
-- and exception of the last one before, $4 the limit.
SELECT x.id, x.transaction, x.line, coalesce(l.paid, l.gross, l.amount), coalesce(l.paid_currency, l.currency),
    l.occurred_at, coalesce(l.day::text, '')
FROM read_reconciliation.exceptions x
JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
WHERE x.tenant = $1 AND x.class = 'chargeback-not-recorded' AND x.status IN ('open', 'assigned', 'proposed')
    AND x.transaction IS NOT NULL AND coalesce(l.paid, l.gross, l.amount, 0) <> 0
    AND ($2::text IS NULL OR (coalesce(l.day::text, ''), x.id) > ($2, $3::uuid))
    AND EXISTS (
        SELECT FROM read_statements.placements a
        JOIN read_statements.statements f ON f.tenant = a.tenant AND f.id = a.statement AND f.status = 'imported'
        WHERE a.tenant = l.tenant AND a.line = l.id
    )
ORDER BY 7, 1 LIMIT $4
