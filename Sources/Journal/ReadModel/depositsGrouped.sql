-- The payouts and transfers that explain each other from now on, or no longer: $1 tenant, $2 the links as JSON, $3 whether
-- they begin. A transfer of which other links hold stays with them. A payout with several links gives its own id to them.
UPDATE journal_lines l SET match = k.match FROM (
    SELECT DISTINCT x.id, CASE WHEN $3 THEN coalesce(v.value ->> 2, v.value ->> 0)::uuid END AS match
    FROM json_array_elements($2::json -> 'links') v
    CROSS JOIN LATERAL (VALUES ((v.value ->> 0)::uuid), ((v.value ->> 1)::uuid)) x (id)
) k WHERE l.tenant = $1 AND l.id = k.id AND ($3 OR l.side = 'processor' OR l.links = 0)
