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
    FROM records r JOIN lines l ON l.transaction = r.transaction AND l.type = 'chargeback' AND l.id = r.line
    WHERE r.explains
), others AS (
    SELECT *, row_number() OVER (PARTITION BY transaction, currency, amount ORDER BY day, id) AS number
    FROM lines WHERE type = 'chargeback' AND id NOT IN (SELECT id FROM own)
), reported AS (
    -- A repetition may be the earlier one of two lines, and the later one recorded.
    SELECT *, row_number() OVER (PARTITION BY transaction, currency, amount ORDER BY place) AS number
    FROM records WHERE explains AND (line IS NULL OR line IN (SELECT id FROM dispute WHERE is_repeated))
), explained AS (
    SELECT id, transaction, record FROM own
    UNION ALL
    SELECT l.id, l.transaction, r.id FROM others l
    JOIN reported r ON (r.transaction, r.currency, r.amount, r.number) = (l.transaction, l.currency, l.amount, l.number)
), replaced AS (
    -- While the line with the reversal of a vendor's record did not count, the line of the chargeback was recorded instead:
    -- the reversal is of that record.
    SELECT v.transaction, v.id
    FROM records v JOIN lines b ON b.transaction = v.transaction AND b.id = v.reversal_line
    WHERE v.line IS NULL AND NOT EXISTS (
        SELECT FROM explained k WHERE k.transaction = v.transaction AND k.record = v.id
    ) AND EXISTS (
        SELECT FROM records r JOIN lines l ON l.transaction = r.transaction AND l.id = r.line
        WHERE (r.transaction, r.currency, r.amount) = (v.transaction, v.currency, v.amount)
            AND r.place > v.place AND r.reversal IS NULL AND coalesce(l.day <= b.day, true)
    )
), reversed AS (
    SELECT DISTINCT ON (l.id) l.id, r.transaction, r.id AS record
    FROM records r JOIN lines l
        ON l.transaction = r.transaction AND l.type = 'chargeback-reversal' AND l.id = r.reversal_line
    WHERE NOT EXISTS (SELECT FROM replaced v WHERE v.transaction = r.transaction AND v.id = r.id)
    ORDER BY l.id, r.place DESC
), other_reversals AS (
    SELECT *, row_number() OVER (PARTITION BY transaction, currency, amount ORDER BY day, id) AS number
    FROM lines WHERE type = 'chargeback-reversal' AND id NOT IN (SELECT id FROM reversed)
), ended AS (
    SELECT *, row_number() OVER (PARTITION BY transaction, currency, amount ORDER BY place) AS number
    FROM records WHERE reversal <> 'settlement'
)
SELECT id, transaction, 'chargeback:' || record FROM explained
UNION ALL
SELECT id, transaction, 'chargeback:' || record FROM reversed
UNION ALL
SELECT l.id, l.transaction, 'chargeback:' || r.id
FROM other_reversals l
JOIN ended r ON (r.transaction, r.currency, r.amount, r.number) = (l.transaction, l.currency, l.amount, l.number)
