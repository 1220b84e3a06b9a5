SELECT p.number, l.id, EXISTS (
        SELECT FROM read_statements.placements o
        JOIN read_statements.statements f ON f.tenant = o.tenant AND f.id = o.statement
        WHERE o.tenant = p.tenant AND o.line = p.line AND f.first_position < s.first_position
            AND (f.withdrawn IS NULL OR f.withdrawn > coalesce(s.imported, s.last_position))
    ), l.view, p.line_group
FROM read_statements.placements p
JOIN read_statements.statements s ON s.tenant = p.tenant AND s.id = p.statement
JOIN read_statements.lines l ON l.tenant = p.tenant AND l.id = p.line
WHERE p.tenant = $1 AND p.statement = $2 AND p.number > $3 ORDER BY p.number LIMIT $4
