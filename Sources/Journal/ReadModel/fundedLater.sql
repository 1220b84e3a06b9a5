-- What the event at position $2 posted as funded is taken back on the same days if a line has the payment's money already;
-- $1 is the tenant.
WITH numbered AS (
    SELECT e.tenant, e.position, m.last + row_number() OVER (ORDER BY e.leg) AS leg, e.account, e.part, e.currency,
        -e.amount AS amount, coalesce(e.adjusts, e.day) AS day, e.day AS event_day, e.merchant, e.terminal, e.transaction,
        NULL::text AS line, NULL::uuid AS statement_line, e.event
    FROM entries e CROSS JOIN (SELECT max(leg) AS last FROM entries WHERE tenant = $1 AND position = $2) m
    WHERE e.tenant = $1 AND e.position = $2 AND e.line = 'funded' AND EXISTS (
        SELECT FROM journal_links k WHERE k.tenant = e.tenant AND k.transaction = e.transaction AND k.pays
    )
)
