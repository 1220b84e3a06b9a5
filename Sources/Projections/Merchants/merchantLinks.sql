-- A name that has several owners of the best role, in each of its roles, is found and not followed: it leads to other
-- merchants.
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
    WHERE 1 >= ANY (
        SELECT DISTINCT ON (a.role, a.scope) a.owners FROM (
            SELECT n.role, CASE n.role WHEN 'account' THEN n.vendor END AS scope, n.owner_role,
                count(DISTINCT n.owner) FILTER (WHERE (n.name, n.role) <> (n.owner, n.owner_role)) AS owners
            FROM read_merchants.linked_names n
            WHERE n.tenant = $1 AND n.name = f.name AND n.role <> 'terminal' AND n.since <= $3
            GROUP BY 1, 2, 3
        ) a
        ORDER BY a.role, a.scope, array_position(ARRAY['sender', 'processor', 'account'], a.owner_role)
    )
)
SELECT n.vendor, n.name, n.role, n.owner, n.owner_role FROM found f
JOIN read_merchants.linked_names n ON n.tenant = $1 AND n.name = f.name AND n.role <> 'terminal' AND n.since <= $3
