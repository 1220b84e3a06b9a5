-- The links that an event adds, with where the ledger has the money of each movement: $1 the tenant, $2 the position,
-- $5 the event as JSON. `covered` are the payments whose first line it is: their money is in a payout.
WITH added AS MATERIALIZED (
    SELECT n.*, n.movement LIKE 'capture:%' OR n.movement = 'credit' AS pays, held.*
    FROM (
        SELECT DISTINCT (v.value ->> 0)::uuid AS line, (v.value ->> 1)::uuid AS transaction, v.value ->> 2 AS movement
        FROM json_array_elements($5::json -> 'links') v
    ) n CROSS JOIN LATERAL (
        SELECT (array_agg(e.account ORDER BY e.line = n.movement DESC, e.position DESC, e.leg))[1] AS account,
            (array_agg(e.part ORDER BY e.line = n.movement DESC, e.position DESC, e.leg))[1] AS part,
            nullif(sum(e.amount) FILTER (WHERE e.line = n.movement), 0) AS amount,
            coalesce(bool_or(e.line = 'funded'), false) AS is_funded
        FROM entries e
        -- Not what exceptions post about the payment.
        WHERE e.tenant = $1 AND e.transaction = n.transaction AND e.position < $2 AND e.line IS NOT NULL
            AND e.account IN ('processor-receivable', 'gift-liability', 'undeposited-cash')
    ) held
), stored AS (
    INSERT INTO journal_links (tenant, line, transaction, movement, pays, account, part, amount)
    SELECT $1, line, transaction, movement, pays, account, part, amount FROM added
    ON CONFLICT DO NOTHING
), covered AS MATERIALIZED (
    SELECT DISTINCT a.transaction, -1 AS sign
    FROM added a CROSS JOIN LATERAL (
        -- The rows from before this event.
        SELECT count(*) AS links FROM journal_links k WHERE k.tenant = $1 AND k.transaction = a.transaction AND k.pays
    ) k
    WHERE a.is_funded AND a.pays AND k.links = 0
)
