UPDATE lines l SET statement = o.statement, number = o.number, line_group = o.line_group
FROM (
    SELECT DISTINCT ON (p.line) p.line, p.statement, p.number, p.line_group
    FROM placements w
    JOIN lines t ON t.tenant = w.tenant AND t.id = w.line AND t.statement = w.statement
    JOIN placements p ON p.tenant = w.tenant AND p.line = w.line AND p.statement <> w.statement
    JOIN statements f ON f.tenant = p.tenant AND f.id = p.statement AND f.status <> 'withdrawn'
    WHERE w.tenant = $1 AND w.statement = $2
    ORDER BY p.line, f.status = 'imported' DESC, f.first_position, p.number
) o WHERE l.tenant = $1 AND l.id = o.line
