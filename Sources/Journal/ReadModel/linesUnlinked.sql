-- The links that an event ends: $1 the tenant, $5 the event as JSON. `covered` are the payments whose last line it was.
WITH removed AS (
    DELETE FROM journal_links k USING (
        SELECT DISTINCT (v.value ->> 0)::uuid AS line, (v.value ->> 1)::uuid AS transaction, v.value ->> 2 AS movement
        FROM json_array_elements($5::json -> 'links') v
    ) n
    WHERE k.tenant = $1 AND k.line = n.line AND k.transaction = n.transaction AND k.movement = n.movement
    RETURNING k.transaction, k.pays
), covered AS MATERIALIZED (
    SELECT r.transaction, 1 AS sign
    FROM (SELECT transaction, count(*) AS links FROM removed WHERE pays GROUP BY 1) r
    CROSS JOIN LATERAL (
        -- The rows from before this event.
        SELECT count(*) AS links FROM journal_links k WHERE k.tenant = $1 AND k.transaction = r.transaction AND k.pays
    ) k
    WHERE k.links = r.links
)
