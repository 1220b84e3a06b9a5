-- The lines that name a chargeback by its own id, as reversals do, and not its payment.
INSERT INTO dispute (n, id, m, transaction, type, currency, amount, day, names)
SELECT l.n, l.id, p.m, p.transaction, l.type, l.currency, abs(l.amount), l.day,
    concat_ws('|', l.processor_id, l.related_id)
FROM l0 l JOIN (
    SELECT c.processor_id, c.currency, min(d.m) AS m, min(d.transaction::text)::uuid AS transaction
    FROM l0 c JOIN dispute d ON d.n = c.n
    WHERE c.kind = 'chargeback' AND c.type = 'chargeback' AND c.processor_id IS NOT NULL
    GROUP BY c.processor_id, c.currency HAVING count(DISTINCT d.transaction) = 1
) p ON p.processor_id = l.related_id AND p.currency = l.currency
WHERE l.kind = 'chargeback' AND l.amount <> 0 AND NOT EXISTS (SELECT FROM dispute d WHERE d.n = l.n)
