-- The terminals with payments that name no merchant, whose only owner in the best role is a name of the merchant. An
-- account that no payment names is that of batches, and no merchant.
WITH owners AS (
    SELECT l.vendor, l.name, l.owner, array_position($4::text[], l.owner_role) AS place FROM read_merchants.linked_names l
    WHERE l.tenant = $1 AND l.role = 'terminal' AND l.owner_role <> 'terminal' AND l.since <= $3
        AND l.name IN (
            SELECT t.name FROM read_merchants.linked_names t
            WHERE t.tenant = $1 AND t.owner = ANY ($2::text[]) AND t.role = 'terminal' AND t.since <= $3
        ) AND (l.owner_role <> 'account' OR EXISTS (
            SELECT FROM read_merchants.linked_names a WHERE a.tenant = $1 AND a.vendor = l.vendor AND a.name = l.owner
                AND a.role = 'account' AND a.owner = a.name AND a.owner_role = 'account' AND a.since <= $3
        ))
)
SELECT w.vendor, w.name FROM read_merchants.linked_names w
WHERE w.tenant = $1 AND w.role = 'terminal' AND w.owner = w.name AND w.owner_role = 'terminal' AND w.since <= $3 AND (
    SELECT CASE WHEN count(*) = 1 THEN min(o.owner) END FROM owners o
    WHERE o.vendor = w.vendor AND o.name = w.name AND o.place = (
        SELECT min(b.place) FROM owners b WHERE b.vendor = w.vendor AND b.name = w.name
    )
) = ANY ($2::text[])
ORDER BY 1, 2
