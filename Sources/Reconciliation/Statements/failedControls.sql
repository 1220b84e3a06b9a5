-- The files of which a control does not hold, with the first of these controls; $1 is the tenant. No money moved, so the
-- exception has no amount. Its merchant is the only one that the file's lines name.
INSERT INTO raised (id, class, details)
SELECT x.id, 'control-failed', json_strip_nulls(json_build_object(
        'id', x.id, 'class', 'control-failed', 'statement', s.id, 'merchant', m.merchant, 'day', s.last_day,
        'controls', c.controls
    ))::text
FROM read_statements.statements s
CROSS JOIN LATERAL (SELECT md5(concat_ws('|', $1::text, 'control-failed', s.id))::uuid AS id) x
LEFT JOIN LATERAL (
    SELECT min(r.merchant) AS merchant FROM read_statements.reach r
    WHERE r.tenant = s.tenant AND r.statement = s.id HAVING count(*) = 1 AND min(r.merchant) <> ''
) m ON true
CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
        'kind', f.kind, 'name', f.name, 'scope', f.scope, 'stated', f.stated, 'computed', f.computed,
        'currency', f.currency, 'holds', f.holds, 'line', f.line
    ) ORDER BY f.position, f.place) AS controls
    FROM (
        SELECT * FROM read_statements.controls
        WHERE tenant = s.tenant AND statement = s.id AND NOT holds ORDER BY position, place LIMIT 5
    ) f
) c
WHERE s.tenant = $1 AND s.status = 'imported' AND s.failed_controls > 0
