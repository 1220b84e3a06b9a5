-- The lines about chargebacks whose payment is known: $1 has the indices of the rules that name one payment.
-- A line that fits several payments belongs to the one that the processor's other lines are matched with.
INSERT INTO dispute (n, id, m, transaction, type, currency, amount, day, names)
SELECT l.n, l.id, p.m, p.transaction, l.type, l.currency, abs(l.amount), l.day,
    nullif(concat_ws('|', l.processor_id, l.related_id), '')
FROM l0 l CROSS JOIN LATERAL (
    SELECT min(c.m) AS m, min(c.transaction::text)::uuid AS transaction FROM (
        SELECT m.n AS m, m.transaction, n.rule = ANY ($1::int4[]) AS is_strong,
            EXISTS (SELECT FROM link k WHERE k.m = m.n) AS is_matched,
            bool_or(n.rule = ANY ($1::int4[])) OVER () AS any_strong,
            bool_or(EXISTS (SELECT FROM link k WHERE k.m = m.n)) OVER () AS any_matched
        FROM near n JOIN m0 m ON m.n = n.m AND m.type IN ('sale', 'capture') AND m.currency = l.currency WHERE n.l = l.n
    ) c
    WHERE (c.is_strong OR NOT c.any_strong) AND (c.is_matched OR NOT c.any_matched)
    HAVING count(DISTINCT c.transaction) = 1
) p
WHERE l.kind = 'chargeback' AND l.amount <> 0
