-- The lines that the payments have recorded; $1 is the tenant. Of several records of one line the last one counts: a line
-- may cease to count, and count again. A record that a statement ended explains its chargeback only while the line with the
-- reversal counts. What vendors recorded is matched by amount, in the order of reports.
INSERT INTO chargeback_link (line, transaction, movement)
WITH lines AS (
    SELECT * FROM dispute WHERE NOT is_repeated
), named AS (
    SELECT c.*, l.id AS line
    FROM read_movements.chargebacks c
    LEFT JOIN read_statements.lines l ON l.tenant = c.tenant AND l.id = CASE
        WHEN c.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' THEN left(c.id, 36)::uuid
    END
    WHERE c.tenant = $1 AND c.transaction IN (SELECT transaction FROM dispute)
), records AS (
    SELECT DISTINCT ON (c.transaction, coalesce(c.line::text, c.id)) c.*,
        c.reversal IS DISTINCT FROM 'settlement' OR c.reversal_line IN (SELECT id FROM lines) AS explains
    FROM named c ORDER BY c.transaction, coalesce(c.line::text, c.id), c.place DESC
), own AS (
    SELECT l.id, r.transaction, r.id AS record
    FROM records r JOIN lines l ON l.transaction = r.transaction AND (
        l.type = 'chargeback' AND l.id = r.line AND r.explains OR l.type = 'chargeback-reversal' AND l.id = r.reversal_line
    )
), others AS (
    SELECT *, row_number() OVER (PARTITION BY transaction, type, currency, amount ORDER BY day, id) AS place
    FROM lines WHERE id NOT IN (SELECT id FROM own)
), reported AS (
    SELECT r.id, r.transaction, r.currency, r.amount, t.type,
        row_number() OVER (PARTITION BY r.transaction, t.type, r.currency, r.amount ORDER BY r.place) AS place
    FROM records r CROSS JOIN LATERAL (
        -- A repetition may be the earlier one of two lines, and the later one recorded.
        SELECT 'chargeback' AS type
        WHERE r.explains AND (r.line IS NULL OR r.line IN (SELECT id FROM dispute WHERE is_repeated))
        UNION ALL SELECT 'chargeback-reversal' WHERE r.reversal <> 'settlement'
    ) t
)
SELECT id, transaction, 'chargeback:' || record FROM own
UNION ALL
SELECT l.id, l.transaction, 'chargeback:' || r.id
FROM others l JOIN reported r ON (r.transaction, r.type, r.currency, r.amount, r.place)
    = (l.transaction, l.type, l.currency, l.amount, l.place)
