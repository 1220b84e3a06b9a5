UPDATE statements s SET status = 'imported', imported = $4, imported_at = $3, last_position = $4, repeated = (
    SELECT count(*) FROM placements p JOIN lines l ON l.tenant = p.tenant AND l.id = p.line
    WHERE p.tenant = $1 AND p.statement = $2 AND l.statement <> $2 AND EXISTS (
        SELECT FROM placements o JOIN statements f ON f.tenant = o.tenant AND f.id = o.statement
        WHERE o.tenant = p.tenant AND o.line = p.line AND f.first_position < s.first_position
            AND f.status <> 'withdrawn'
    )
) WHERE s.tenant = $1 AND s.id = $2
