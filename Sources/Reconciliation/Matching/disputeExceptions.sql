-- The lines about chargebacks that no recorded chargeback explains; $1 is the tenant.
INSERT INTO found (class, l, m, expected)
SELECT CASE WHEN d.is_repeated THEN 'duplicate-at-processor' WHEN o.amount IS NOT NULL THEN 'amount-differs'
    ELSE 'chargeback-not-recorded' END, d.n, d.m, coalesce(-o.amount, 0)
FROM dispute d
-- The payment has recorded another amount.
LEFT JOIN LATERAL (
    SELECT c.amount FROM read_movements.chargebacks c
    WHERE c.tenant = $1 AND c.transaction = d.transaction AND c.currency = d.currency AND c.reversal IS NULL
        AND d.type = 'chargeback' AND NOT d.is_repeated AND NOT EXISTS (
            SELECT FROM chargeback_link k
            WHERE k.transaction = c.transaction AND k.movement = 'chargeback:' || c.id
        )
    ORDER BY c.amount DESC, c.id LIMIT 1
) o ON true
WHERE NOT EXISTS (SELECT FROM chargeback_link k WHERE k.line = d.id)
UNION ALL
-- It fits several payments, or is in another currency: an operator decides.
SELECT 'chargeback-not-recorded', l.n, NULL, 0 FROM l0 l
WHERE l.kind = 'chargeback' AND l.amount <> 0 AND NOT EXISTS (SELECT FROM dispute d WHERE d.n = l.n)
    AND EXISTS (SELECT FROM near n JOIN m0 m ON m.n = n.m AND m.type <> 'none' WHERE n.l = l.n)
