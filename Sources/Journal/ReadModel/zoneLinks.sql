-- The links around the merchants and terminals of entries, each with the description of its name: $1 tenants and $2 names
-- of merchants; $3 tenants, $4 vendors and $5 names of terminals. As in merchantLinks.sql, a name with several owners of
-- the best role is found and not followed. It is followed if one of its links is later than position $6, because it may
-- have led to one merchant until then.
WITH RECURSIVE terminals AS (
    SELECT l.* FROM unnest($3::text[], $4::text[], $5::text[]) AS t (tenant, vendor, name)
    JOIN zone_links l ON l.tenant = t.tenant AND l.name = t.name AND l.role = 'terminal' AND l.vendor = t.vendor
), found (tenant, name) AS (
    (
        SELECT m.tenant, m.name COLLATE "C" FROM unnest($1::text[], $2::text[]) AS m (tenant, name)
        UNION
        SELECT tenant, owner FROM terminals WHERE owner_role <> 'terminal'
    )
    UNION
    SELECT f.tenant, l.name FROM found f CROSS JOIN LATERAL (
        SELECT n.owner AS name FROM zone_links n
        WHERE n.tenant = f.tenant AND n.name = f.name AND n.role <> 'terminal'
        UNION ALL
        SELECT n.name FROM zone_links n
        WHERE n.tenant = f.tenant AND n.owner = f.name AND n.role <> 'terminal'
    ) l
    WHERE EXISTS (
        SELECT FROM zone_links n
        WHERE n.tenant = f.tenant AND n.name = f.name AND n.role <> 'terminal' AND n.since > $6
    ) OR 1 >= ANY (
        SELECT DISTINCT ON (a.role, a.scope) a.owners FROM (
            SELECT n.role, CASE n.role WHEN 'account' THEN n.vendor END AS scope, n.owner_role,
                count(DISTINCT n.owner) FILTER (WHERE (n.name, n.role) <> (n.owner, n.owner_role)) AS owners
            FROM zone_links n
            WHERE n.tenant = f.tenant AND n.name = f.name AND n.role <> 'terminal'
            GROUP BY 1, 2, 3
        ) a
        ORDER BY a.role, a.scope, array_position(ARRAY['sender', 'processor', 'account'], a.owner_role)
    )
)
SELECT n.tenant, n.vendor, n.name, n.role, n.owner, n.owner_role, n.since, z.zone, z.cutoff, z.position FROM (
    SELECT l.* FROM found f
    JOIN zone_links l ON l.tenant = f.tenant AND l.name = f.name AND l.role <> 'terminal'
    UNION ALL
    SELECT * FROM terminals
) n
LEFT JOIN zones z ON z.tenant = n.tenant AND z.merchant = n.name AND n.owner = n.name AND n.owner_role = n.role
