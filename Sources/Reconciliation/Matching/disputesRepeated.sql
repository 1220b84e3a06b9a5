-- The lines that repeat a chargeback.
WITH ordered AS (
    SELECT d.*, count(*) FILTER (WHERE type = 'chargeback-reversal') OVER (
        PARTITION BY transaction ORDER BY day, type DESC, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS reversals
    FROM dispute d
), named AS (
    -- The same names twice, or without a name the same day: unless a reversal is between them.
    SELECT *, row_number() OVER (
        PARTITION BY transaction, type, currency, amount, reversals, coalesce(names, day::text) ORDER BY day, id
    ) > 1 AS is_again
    FROM ordered
), counted AS (
    -- More is charged back than was captured.
    SELECT n.n, sum(CASE n.type WHEN 'chargeback' THEN n.amount ELSE -n.amount END) OVER (
        PARTITION BY n.transaction, n.currency ORDER BY n.day, n.type DESC, n.id
    ) > (
        SELECT sum(m.amount) FROM m0 m
        WHERE m.transaction = n.transaction AND m.type IN ('sale', 'capture') AND m.currency = n.currency
    ) AND n.type = 'chargeback' AS is_beyond
    FROM named n WHERE NOT n.is_again
)
UPDATE dispute d SET is_repeated = true
FROM named n LEFT JOIN counted c ON c.n = n.n WHERE d.n = n.n AND (n.is_again OR c.is_beyond)
