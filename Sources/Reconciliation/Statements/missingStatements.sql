-- The business days for which a processor's file was expected and no file that counts covers the day: $1 tenant,
-- $2 processors, $3 merchants or NULL, $4 days, $5 times by which the files were expected. A file covers the days from the
-- first to the last one of its lines; for a merchant, one of its lines names the merchant by any of its names.
INSERT INTO raised (id, class, details)
WITH expected AS (
    SELECT e.*, coalesce(n.best, e.merchant) AS best
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS e (processor, merchant, day, due)
    LEFT JOIN merchant_names n ON n.name = e.merchant
), files AS (
    SELECT s.id, s.format, daterange(s.first_day, s.last_day, '[]') AS days FROM read_statements.statements s
    WHERE s.tenant = $1 AND s.side = 'processor' AND s.status = 'imported' AND s.first_day <= s.last_day
), covered AS MATERIALIZED (
    SELECT f.format, NULL::text AS merchant, range_agg(f.days) AS days FROM files f GROUP BY f.format
    UNION ALL
    SELECT f.format, r.merchant, range_agg(f.days) FROM files f
    CROSS JOIN LATERAL (
        SELECT coalesce(n.best, o.merchant) AS merchant FROM read_statements.reach o
        LEFT JOIN merchant_names n ON n.name = o.merchant WHERE o.tenant = $1 AND o.statement = f.id
    ) r
    WHERE r.merchant IN (SELECT e.best FROM expected e) GROUP BY f.format, r.merchant
)
SELECT x.id, 'missing-statement', json_strip_nulls(json_build_object(
        'id', x.id, 'class', 'missing-statement', 'processor', e.processor, 'merchant', e.merchant, 'day', e.day,
        'expectedBy', e.due
    ))::text
FROM expected e
LEFT JOIN covered c ON c.format = e.processor AND c.merchant IS NOT DISTINCT FROM e.best
CROSS JOIN LATERAL (
    SELECT md5(concat_ws('|', $1::text, 'missing-statement', e.processor, e.merchant, e.day))::uuid AS id
) x
WHERE NOT coalesce(e.day::date <@ c.days, false)
