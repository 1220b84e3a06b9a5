-- The lines that the payments have recorded; $1 is the tenant.
INSERT INTO chargeback_link (line, transaction, movement)
WITH lines AS (
    SELECT d.*, row_number() OVER (PARTITION BY transaction, type, currency, amount ORDER BY day, id) AS place
    FROM dispute d WHERE NOT is_repeated
), recorded AS (
    SELECT c.id, c.transaction, c.currency, c.amount, t.type, row_number() OVER (
        PARTITION BY c.transaction, t.type, c.currency, c.amount ORDER BY o.day, o.id, c.id
    ) AS place
    FROM read_movements.chargebacks c
    CROSS JOIN LATERAL (SELECT 'chargeback' AS type UNION ALL SELECT 'chargeback-reversal' WHERE c.is_reversed) t
    LEFT JOIN dispute o ON o.id::text = left(c.id, 36)
    WHERE c.tenant = $1 AND c.transaction IN (SELECT transaction FROM dispute)
)
SELECT l.id, l.transaction, 'chargeback:' || r.id
FROM lines l JOIN recorded r ON (r.transaction, r.type, r.currency, r.amount, r.place)
    = (l.transaction, l.type, l.currency, l.amount, l.place)
