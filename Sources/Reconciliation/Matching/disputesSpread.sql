-- The chargebacks that the lines of a round name, and the lines that name its chargebacks: $2 is the round, $1 the tenant.
INSERT INTO scope_lines
SELECT DISTINCT o.id, $2::int + 1
FROM scope_lines s
JOIN read_statements.lines l ON l.tenant = $1 AND l.id = s.line AND l.type IN ('chargeback', 'chargeback-reversal')
JOIN read_statements.lines o ON o.tenant = $1 AND o.side = 'processor' AND o.type IN ('chargeback', 'chargeback-reversal')
    AND (o.processor_id = l.related_id OR o.related_id = l.processor_id)
WHERE s.round = $2::int ON CONFLICT DO NOTHING
