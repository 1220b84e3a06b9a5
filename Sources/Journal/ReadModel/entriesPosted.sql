-- The legs about payments: $1 tenants, $2 positions, $3 legs, $4 accounts, $5 parts, $6 currencies, $7 amounts, $8 days,
-- $9 merchants, $10 terminals, $11 payments, $12 lines of money, $13 events, $14 days of the events.
WITH numbered AS (
    SELECT tenant, position, leg, account, part, currency, amount, day::date AS day, event_day::date AS event_day, merchant,
        terminal, transaction, line, NULL::uuid AS statement_line, event
    FROM unnest($1::text[], $2::int8[], $3::int4[], $4::text[], $5::text[], $6::text[], $7::int8[], $8::text[], $9::text[],
        $10::text[], $11::uuid[], $12::text[], $13::uuid[], $14::text[])
        AS r (tenant, position, leg, account, part, currency, amount, day, merchant, terminal, transaction, line, event,
            event_day)
)
