-- From the halves of exchanges of the round $2 to all that name the same payment, or that they name or are named by; $1 is
-- the tenant.
INSERT INTO scope_lines
SELECT DISTINCT o.id, $2::int + 1
FROM scope_lines s
JOIN read_statements.lines l ON l.tenant = $1 AND l.id = s.line AND l.side = 'processor' AND l.type = 'conversion'
CROSS JOIN LATERAL (
    SELECT r.id FROM read_statements.lines r
    WHERE r.tenant = $1 AND r.related_id IN (l.related_id, l.processor_id) AND r.type = 'conversion' AND r.side = 'processor'
    UNION ALL
    SELECT p.id FROM read_statements.lines p
    WHERE p.tenant = $1 AND p.processor_id = l.related_id AND p.type = 'conversion' AND p.side = 'processor'
) o
WHERE s.round = $2::int ON CONFLICT DO NOTHING
