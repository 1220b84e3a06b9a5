-- The legs in `numbered` and their balances. A leg of a day that is closed for its merchant is posted on the day of its
-- event, or on the first open one.
, dated AS (
    SELECT n.*, CASE WHEN n.day <= k.day THEN greatest(n.event_day, k.day + 1) ELSE n.day END AS open_day,
        CASE WHEN n.day <= k.day THEN n.day END AS adjusts
    FROM numbered n LEFT JOIN LATERAL (
        SELECT c.day FROM closings c
        WHERE c.tenant = n.tenant AND c.merchant = n.merchant AND c.position < n.position
            AND (c.until IS NULL OR c.until > n.position)
        ORDER BY c.day DESC LIMIT 1
    ) k ON true
), written AS (
    INSERT INTO entries (tenant, position, leg, account, part, currency, amount, day, adjusts, merchant, terminal, transaction,
        line, statement_line, event)
    SELECT tenant, position, leg, account, part, currency, amount, open_day, adjusts, merchant, terminal, transaction, line,
        statement_line, event
    FROM dated
)
INSERT INTO balances AS b (tenant, day, merchant, account, part, currency, amount)
SELECT tenant, open_day, coalesce(merchant, ''), account, part, currency, sum(amount) FROM dated GROUP BY 1, 2, 3, 4, 5, 6
ON CONFLICT (tenant, day, merchant, account, part, currency) DO UPDATE SET amount = b.amount + excluded.amount
