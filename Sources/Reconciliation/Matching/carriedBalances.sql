-- The nth transfer of an amount to an account and the nth one of this amount from it explain each other.
INSERT INTO posting (l, line, rule)
SELECT n, id, $2::int FROM (
    SELECT o.n, o.id, o.place,
        count(*) FILTER (WHERE o.amount > 0) OVER (PARTITION BY o.format, o.merchant, o.currency, abs(o.amount)) AS positive,
        count(*) FILTER (WHERE o.amount < 0) OVER (PARTITION BY o.format, o.merchant, o.currency, abs(o.amount)) AS negative
    FROM (
        SELECT l.n, l.id, f.format, coalesce(s.merchant, '') AS merchant, s.currency, p.amount,
            row_number() OVER (
                PARTITION BY f.format, coalesce(s.merchant, ''), s.currency, p.amount ORDER BY s.day, l.id
            ) AS place
        FROM l0 l
        JOIN read_statements.lines s ON s.tenant = $1 AND s.id = l.id
        JOIN read_statements.statements f ON f.tenant = s.tenant AND f.id = s.statement
        -- Fees are posted as fees.
        CROSS JOIN LATERAL (SELECT coalesce(s.amount, 0)::numeric - coalesce(s.fees, 0) AS amount) p
        WHERE l.kind = 'carried'
    ) o
) c WHERE c.place <= least(c.positive, c.negative)
