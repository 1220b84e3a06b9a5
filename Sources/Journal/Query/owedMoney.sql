-- The money of processor-receivable and cash-in-transit by the day since which it is there, also if that was closed when it
-- was posted: $1 tenant, $2 the last position; only of the processor $3, the merchants $4 and the currency $5, where they are
-- not NULL; $6 the most rows. The sum in each currency is the sum of the two balances, if nothing is left out.
WITH moved AS MATERIALIZED (
    SELECT e.position, e.statement_line, e.merchant, e.currency, coalesce(e.adjusts, e.day) AS day, e.amount
    FROM read_journal.entries e
    WHERE e.tenant = $1 AND e.account = 'cash-in-transit' AND e.position <= $2
), transit AS (
    -- By payout; payouts and transfers that explain each other together.
    SELECT coalesce(l.match, t.statement_line) AS line, min(l.processor) FILTER (WHERE l.side = 'processor') AS part,
        CASE WHEN count(DISTINCT t.merchant) FILTER (WHERE l.side = 'processor') = 1
            THEN min(t.merchant) FILTER (WHERE l.side = 'processor') END AS merchant,
        t.currency, coalesce(min(t.day) FILTER (WHERE l.side = 'processor'), min(t.day)) AS day, sum(t.amount) AS amount
    FROM moved t LEFT JOIN read_journal.journal_lines l ON l.tenant = $1 AND l.id = t.statement_line
    GROUP BY 1, t.currency HAVING sum(t.amount) <> 0
), paid AS (
    -- What left the receivable for a payout.
    SELECT e.part, coalesce(e.merchant, '') AS merchant, e.currency, coalesce(e.adjusts, e.day) AS day, e.amount
    FROM (SELECT DISTINCT position, statement_line FROM moved WHERE statement_line IS NOT NULL) t
    JOIN read_journal.entries e ON e.tenant = $1 AND e.account = 'processor-receivable' AND e.position = t.position
        AND e.statement_line = t.statement_line
), earned AS (
    -- The rest, by day: a line cancels the payment of its day.
    SELECT part, merchant, currency, day, sum(amount) AS amount FROM (
        SELECT part, merchant, currency, day, amount FROM read_journal.balances
        WHERE tenant = $1 AND account = 'processor-receivable'
        UNION ALL SELECT part, coalesce(merchant, ''), currency, day, -amount FROM read_journal.entries
        WHERE tenant = $1 AND account = 'processor-receivable' AND position > $2
        UNION ALL SELECT e.part, coalesce(e.merchant, ''), e.currency, n.day, n.sign * e.amount
        FROM read_journal.entries e CROSS JOIN LATERAL (VALUES (e.day, -1), (e.adjusts, 1)) n (day, sign)
        WHERE e.tenant = $1 AND e.account = 'processor-receivable' AND e.position <= $2 AND e.adjusts IS NOT NULL
        UNION ALL SELECT part, merchant, currency, day, -amount FROM paid
    ) b GROUP BY part, merchant, currency, day
), signed AS (
    SELECT *, sum(amount) OVER (PARTITION BY part, merchant, currency) AS total FROM (
        SELECT * FROM earned
        UNION ALL SELECT part, merchant, currency, day, sum(amount) FROM paid GROUP BY part, merchant, currency, day
    ) a
), unpaid AS (
    -- What is on the other side of the balance takes the oldest money first.
    SELECT part, merchant, currency, day, sign(total) * least(greatest(sign(total) * amount, 0), greatest(0,
            sum(greatest(sign(total) * amount, 0)) OVER (
                PARTITION BY part, merchant, currency ORDER BY day, amount ROWS UNBOUNDED PRECEDING
            ) - sum(greatest(-sign(total) * amount, 0)) OVER (PARTITION BY part, merchant, currency)
        )) AS amount
    FROM signed WHERE total <> 0
)
SELECT * FROM (
    SELECT 'processor-receivable', part, merchant, currency, NULL::uuid, day::text, sum(amount)::text
    FROM unpaid GROUP BY part, merchant, currency, day HAVING sum(amount) <> 0
    UNION ALL
    SELECT 'cash-in-transit', coalesce(part, ''), coalesce(merchant, ''), currency, line, day::text, amount::text
    FROM transit
) o (account, processor, merchant, currency, line, day, amount)
WHERE coalesce(processor = $3::text, true) AND coalesce(merchant = ANY ($4::text[]), true)
    AND coalesce(currency = $5::text, true)
LIMIT $6
