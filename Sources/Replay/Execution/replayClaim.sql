-- The locked rows are chosen once and then joined. As part of the join, they might be chosen again for every
-- item. A time after $8 was written by a server whose clock was wrong, and does not count.
WITH c AS MATERIALIZED (
    SELECT item FROM replay.queue
    WHERE tenant = $1 AND plan = $2 AND (not_before <= $5 OR not_before > $8)
        AND (leased_until IS NULL OR leased_until <= $5 OR leased_until > $8)
        AND ($7::int8[] IS NULL OR item = ANY ($7::int8[]))
    ORDER BY item LIMIT $3 FOR UPDATE SKIP LOCKED
)
UPDATE replay.queue q SET lease = $4, leased_until = $6, tries = least(q.tries, 1000000) + 1
FROM c
WHERE q.tenant = $1 AND q.plan = $2 AND q.item = c.item
RETURNING q.item, q.tries
