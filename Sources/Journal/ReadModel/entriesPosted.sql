-- Entries about payments, and their balances: $1 tenants, $2 positions, $3 legs, $4 accounts, $5 parts, $6 currencies,
-- $7 amounts, $8 days, $9 merchants, $10 terminals, $11 payments, $12 lines of money, $13 events.
WITH legs AS (
    SELECT tenant, position, leg, account, part, currency, amount, day::date AS day, merchant, terminal, transaction, line,
        event
    FROM unnest($1::text[], $2::int8[], $3::int4[], $4::text[], $5::text[], $6::text[], $7::int8[], $8::text[], $9::text[],
        $10::text[], $11::uuid[], $12::text[], $13::uuid[])
        AS r (tenant, position, leg, account, part, currency, amount, day, merchant, terminal, transaction, line, event)
), written AS (
    INSERT INTO entries (tenant, position, leg, account, part, currency, amount, day, merchant, terminal, transaction, line,
        event)
    SELECT * FROM legs
)
INSERT INTO balances AS b (tenant, day, merchant, account, part, currency, amount)
SELECT tenant, day, coalesce(merchant, ''), account, part, currency, sum(amount) FROM legs GROUP BY 1, 2, 3, 4, 5, 6
ON CONFLICT (tenant, day, merchant, account, part, currency) DO UPDATE SET amount = b.amount + excluded.amount
