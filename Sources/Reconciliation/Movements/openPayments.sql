-- Money that payments moved at processors, that no statement's line explains and about which no exception asks, by minute:
-- $1 tenant, $2 tenders that no acquirer settles. An exception that was resolved as a matter of time or a correction
-- elsewhere does not ask any more.
SELECT m.vendor, m.merchant, m.currency, date_trunc('minute', m.occurred_at), sum(m.amount)::text
FROM read_movements.movements m
WHERE m.tenant = $1 AND m.type <> 'none' AND m.status <> 'funded'
    AND coalesce(m.tender, '') <> ALL ($2::text[])
    AND NOT EXISTS (
        SELECT FROM read_reconciliation.links k
        WHERE k.tenant = m.tenant AND k.transaction = m.transaction AND k.movement = m.line AND k.until IS NULL
    ) AND NOT EXISTS (
        SELECT FROM read_reconciliation.exceptions x
        WHERE x.tenant = m.tenant AND x.transaction = m.transaction AND x.movement = m.line AND x.cleared IS NULL
            AND NOT (x.status = 'resolved' AND x.resolution ->> 'kind' IN ('timing', 'corrected'))
    )
GROUP BY 1, 2, 3, 4
