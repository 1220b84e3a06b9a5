WITH counted AS (
    SELECT min(position) AS low, max(position) AS high FROM projection.checkpoints
    WHERE name IN ('transactions', 'batches') AND is_live
), lines AS (
    SELECT tenant, transaction, count(*) - count(DISTINCT line) AS twice,
           sum(CASE WHEN type IN ('refund', 'credit') THEN voided - amount ELSE amount - voided END) AS net
    FROM read_batches.members WHERE until IS NULL GROUP BY tenant, transaction
), payments AS (
    -- Payments at a vendor's test system move no money and have no lines.
    SELECT tenant, id, last_position,
           CASE WHEN test THEN 0 ELSE coalesce((view #>> '{amounts,captured,value}')::numeric, 0)
               - coalesce((view #>> '{amounts,refunded,value}')::numeric, 0)
               - coalesce((view #>> '{amounts,credited,value}')::numeric, 0) END AS net
    FROM read_transactions.transactions
)
SELECT s.low = s.high, p.last_position, p.id::text, p.net::text, coalesce(l.net, 0)::text, l.twice
FROM counted s LEFT JOIN (
    payments p LEFT JOIN lines l ON l.tenant = p.tenant AND l.transaction = p.id
) ON p.net <> coalesce(l.net, 0) OR l.twice > 0
ORDER BY 2 LIMIT $1
