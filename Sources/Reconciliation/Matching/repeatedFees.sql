-- The fees that an earlier file reports, too, although the days of both files overlap; $1 is the tenant. The nth of an amount
-- and merchant in one file may be the nth in the other one. A file may leave out the merchant.
INSERT INTO repeated (l, earlier)
WITH listed AS (
    SELECT l.n, l.currency, l.amount, l.merchant, f.first_position, daterange(f.first_day, f.last_day, '[]') AS days,
        row_number() OVER (PARTITION BY f.id, l.currency, l.amount, l.merchant ORDER BY p.number) AS place
    FROM l0 l
    JOIN read_statements.placements p ON p.tenant = $1 AND p.line = l.id
    JOIN read_statements.statements f ON f.tenant = p.tenant AND f.id = p.statement AND f.status = 'imported'
    WHERE l.kind = 'fee' AND l.amount <> 0 AND f.first_day <= f.last_day
)
SELECT l.n, o.n FROM listed l JOIN listed o
    ON o.currency = l.currency AND o.amount = l.amount AND coalesce(o.merchant = l.merchant, true) AND o.place = l.place
    AND o.days && l.days AND o.first_position < l.first_position
