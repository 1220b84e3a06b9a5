WITH RECURSIVE found (name) AS (
    SELECT DISTINCT unnest($2::text[]) COLLATE "C"
    UNION
    SELECT l.name FROM found f CROSS JOIN LATERAL (
        SELECT n.owner AS name FROM read_merchants.linked_names n
        WHERE n.tenant = $1 AND n.name = f.name AND n.role <> 'terminal' AND n.since <= $3
        UNION ALL
        SELECT n.name FROM read_merchants.linked_names n
        WHERE n.tenant = $1 AND n.owner = f.name AND n.role <> 'terminal' AND n.since <= $3
    ) l
)
SELECT n.vendor, n.name, n.role, n.owner, n.owner_role FROM found f
JOIN read_merchants.linked_names n ON n.tenant = $1 AND n.name = f.name AND n.role <> 'terminal' AND n.since <= $3
