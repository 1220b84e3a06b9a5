-- The lines that name one of the merchants $2, by the files that name them; $1 is the tenant, $3 the largest number of lines.
INSERT INTO scope_lines
SELECT l.id, 0
FROM (
    SELECT DISTINCT statement FROM read_statements.reach WHERE tenant = $1 AND merchant = ANY ($2::text[]) OFFSET 0
) f
CROSS JOIN LATERAL (
    SELECT line FROM read_statements.placements WHERE tenant = $1 AND statement = f.statement OFFSET 0
) p
CROSS JOIN LATERAL (
    SELECT id FROM read_statements.lines
    WHERE tenant = $1 AND id = p.line AND side = 'processor' AND merchant = ANY ($2::text[]) OFFSET 0
) l
LIMIT $3::int8
ON CONFLICT DO NOTHING
