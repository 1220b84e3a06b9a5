-- Money that vendors report and no statement explains, by minute: $1 tenant, $2 tenders that no acquirer settles.
SELECT vendor, merchant, currency, date_trunc('minute', at), sum(amount)::text
FROM (
    -- Payments about which no exception asks. One that was resolved as a matter of time or a correction elsewhere does not
    -- ask any more.
    SELECT m.vendor, m.merchant, m.currency, m.occurred_at AS at, m.amount::numeric AS amount
    FROM read_movements.movements m
    WHERE m.tenant = $1 AND m.type <> 'none' AND NOT m.paid
        AND coalesce(m.tender, '') <> ALL ($2::text[])
        AND NOT EXISTS (
            SELECT FROM read_reconciliation.links k
            WHERE k.tenant = m.tenant AND k.transaction = m.transaction AND k.movement = m.line AND k.until IS NULL
        ) AND NOT EXISTS (
            SELECT FROM read_reconciliation.exceptions x
            WHERE x.tenant = m.tenant AND x.transaction = m.transaction AND x.movement = m.line AND x.cleared IS NULL
                AND NOT (x.status = 'resolved' AND x.resolution ->> 'kind' IN ('timing', 'corrected'))
        )
    UNION ALL
    -- A chargeback that holds takes its amount unless a deposit or a matched line has taken it. One that does not hold returns
    -- what they have taken.
    SELECT c.vendor, c.merchant, c.currency, c.reported_at,
        c.amount * (k.taken - CASE WHEN c.reversal IS NULL THEN 1 ELSE 0 END)::numeric
    FROM read_movements.chargebacks c
    CROSS JOIN LATERAL (
        SELECT greatest(count(*) FILTER (WHERE l.type = 'chargeback'), c.paid::int)
            - count(*) FILTER (WHERE l.type <> 'chargeback') AS taken
        FROM read_reconciliation.links k
        JOIN read_statements.lines l ON l.tenant = k.tenant AND l.id = k.line
        WHERE k.tenant = c.tenant AND k.transaction = c.transaction AND k.movement = 'chargeback:' || c.id
            AND k.until IS NULL
    ) k
    -- The line of a chargeback with another amount asks about it.
    WHERE c.tenant = $1 AND NOT EXISTS (
        SELECT FROM read_reconciliation.exceptions x
        JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line AND l.type = 'chargeback'
        WHERE x.tenant = c.tenant AND x.transaction = c.transaction AND x.class = 'amount-differs' AND x.cleared IS NULL
            AND (x.details ->> 'expected')::numeric = -c.amount
    )
) o
GROUP BY 1, 2, 3, 4 HAVING sum(amount) <> 0
